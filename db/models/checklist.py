"""Tables of builds, checklists, decided answers and improvements."""

from datetime import datetime
from typing import Any

from sqlalchemy import UniqueConstraint
from sqlmodel import Field, SQLModel

from db.models.columns import FieldLine, field_column, json_column, now, owned_by, refers_to, text_column, time_column


class ChecklistRow(SQLModel, table=True):
    __tablename__ = "checklist"
    __table_args__ = (UniqueConstraint("dimension_id", "version"),)

    id: int | None = Field(default=None, primary_key=True)
    dimension_id: int = Field(sa_column=owned_by("dimension.id"))
    version: int
    parent_id: int | None = Field(default=None, sa_column=refers_to("checklist.id"))
    condition: str = "comb"
    status: str = "draft"
    origin: str = "built"
    model: str = ""
    max_components: int = 5
    created_at: datetime = Field(default_factory=now, sa_column=time_column())
    published_at: datetime | None = Field(default=None, sa_column=time_column(nullable=True))


class ComponentRow(SQLModel, table=True):
    __tablename__ = "component"

    id: int | None = Field(default=None, primary_key=True)
    checklist_id: int = Field(sa_column=owned_by("checklist.id"))
    name: str = Field(sa_type=FieldLine)
    description: str = Field(default="", sa_column=field_column())
    position: int = 0
    removed: bool = False


class ComponentAttributeRow(SQLModel, table=True):
    __tablename__ = "component_attribute"
    __table_args__ = (UniqueConstraint("component_id", "attribute_id"),)

    id: int | None = Field(default=None, primary_key=True)
    component_id: int = Field(sa_column=owned_by("component.id"))
    attribute_id: int = Field(sa_column=owned_by("attribute.id"))


class DroppedAttributeRow(SQLModel, table=True):
    __tablename__ = "dropped_attribute"
    __table_args__ = (UniqueConstraint("checklist_id", "attribute_id"),)

    id: int | None = Field(default=None, primary_key=True)
    checklist_id: int = Field(sa_column=owned_by("checklist.id"))
    attribute_id: int = Field(sa_column=owned_by("attribute.id"))
    stage: str
    reason: str = Field(default="", sa_column=text_column())


class QuestionRow(SQLModel, table=True):
    """`original_text` is the first wording; `parent_id` is a sub-question's key question.

    A question that was removed stays, so that it can come back.
    """

    __tablename__ = "question"

    id: int | None = Field(default=None, primary_key=True)
    checklist_id: int = Field(sa_column=owned_by("checklist.id"))
    component_id: int | None = Field(default=None, sa_column=owned_by("component.id", nullable=True))
    parent_id: int | None = Field(default=None, sa_column=refers_to("question.id"))
    kind: str = "sub"
    text: str = Field(sa_column=field_column())
    original_text: str = Field(sa_column=field_column())
    guidance: str = Field(default="", sa_column=field_column())
    position: int = 0
    enabled: bool = True
    removed: bool = False
    weight: float = 1.0
    may_not_apply: bool = False
    not_apply_reason: str = Field(default="", sa_column=field_column())
    must_not: bool = False
    cap: float | None = None
    grade: str = Field(default="", sa_column=field_column())
    origin: str = "generated"
    reason: str = Field(default="", sa_column=text_column())
    created_at: datetime = Field(default_factory=now, sa_column=time_column())


class CopiedQuestionRow(SQLModel, table=True):
    """A question that a new draft took over from an earlier version: comments on that one are about this one too."""

    __tablename__ = "copied_question"
    __table_args__ = (UniqueConstraint("question_id"),)

    id: int | None = Field(default=None, primary_key=True)
    question_id: int = Field(sa_column=owned_by("question.id"))
    from_id: int = Field(sa_column=owned_by("question.id"))


class QuestionCommentRow(SQLModel, table=True):
    """What somebody said about a question, or about a comment (`comment_id`): that it is resolved, or open again.

    Rows are only ever added. `kind` is comment, resolved or reopened.
    """

    __tablename__ = "question_comment"

    id: int | None = Field(default=None, primary_key=True)
    question_id: int = Field(sa_column=owned_by("question.id"))
    comment_id: int | None = Field(default=None, sa_column=owned_by("question_comment.id", nullable=True))
    kind: str = "comment"
    who: str = ""
    text: str = Field(default="", sa_column=field_column())
    created_at: datetime = Field(default_factory=now, sa_column=time_column())


class QuestionAttributeRow(SQLModel, table=True):
    __tablename__ = "question_attribute"
    __table_args__ = (UniqueConstraint("question_id", "attribute_id"),)

    id: int | None = Field(default=None, primary_key=True)
    question_id: int = Field(sa_column=owned_by("question.id"))
    attribute_id: int = Field(sa_column=owned_by("attribute.id"))


class ChecklistChangeRow(SQLModel, table=True):
    """One edit of a draft: who, when, and what each thing it touched was before and after. `undoes_id`: takes back."""

    __tablename__ = "checklist_change"

    id: int | None = Field(default=None, primary_key=True)
    checklist_id: int = Field(sa_column=owned_by("checklist.id"))
    who: str = ""
    what: str
    steps: list[dict[str, Any]] = Field(default_factory=list, sa_column=json_column())
    undoes_id: int | None = Field(default=None, sa_column=refers_to("checklist_change.id"))
    created_at: datetime = Field(default_factory=now, sa_column=time_column())


class ProposalRow(SQLModel, table=True):
    """What a model would change in a draft, open until a person decides. `sources` are question ids."""

    __tablename__ = "question_proposal"

    id: int | None = Field(default=None, primary_key=True)
    checklist_id: int = Field(sa_column=owned_by("checklist.id"))
    stage_run_id: int | None = Field(default=None, sa_column=refers_to("stage_run.id"))
    action: str
    model: str
    sources: list[int] = Field(default_factory=list, sa_column=json_column())
    before: list[str] = Field(default_factory=list, sa_column=json_column())
    after: list[str] = Field(default_factory=list, sa_column=json_column())
    reason: str = Field(default="", sa_column=text_column())
    status: str = "open"
    decided_by: str = ""
    created_at: datetime = Field(default_factory=now, sa_column=time_column())
    decided_at: datetime | None = Field(default=None, sa_column=time_column(nullable=True))


class DecisionRow(SQLModel, table=True):
    """`wording` and `guidance` are the question's as they were; `guided` the line that became guidance of it."""

    __tablename__ = "decision"

    id: int | None = Field(default=None, primary_key=True)
    question_id: int = Field(sa_column=owned_by("question.id"))
    text_id: int = Field(sa_column=owned_by("text.id"))
    run_id: int | None = Field(default=None, sa_column=refers_to("scoring_run.id"))
    answer: str
    why: str = Field(default="", sa_column=field_column())
    wording: str = Field(default="", sa_column=field_column())
    guidance: str = Field(default="", sa_column=field_column())
    guided: str = Field(default="", sa_column=field_column())
    decided_by: str = ""
    decided_at: datetime = Field(default_factory=now, sa_column=time_column())
    undone_by: str = ""
    undone_at: datetime | None = Field(default=None, sa_column=time_column(nullable=True))


class DocumentHalfRow(SQLModel, table=True):
    """A document's name, not its texts: one that is imported later for it belongs to the same half. Never changed."""

    __tablename__ = "document_half"
    __table_args__ = (UniqueConstraint("project_id", "doc_id"),)

    id: int | None = Field(default=None, primary_key=True)
    project_id: int = Field(sa_column=owned_by("project.id"))
    doc_id: str
    half: str
    drawn_at: datetime = Field(default_factory=now, sa_column=time_column())


class ImprovementRow(SQLModel, table=True):
    """`text` and `guidance` are the question's as they were; `decisions` and `proof_texts` are ids. `best` is a place
    in `tried`; `proof` is empty where the proof part wasn't asked. `taken_text` is empty until one was taken."""

    __tablename__ = "question_improvement"

    id: int | None = Field(default=None, primary_key=True)
    question_id: int = Field(sa_column=owned_by("question.id"))
    run_id: int | None = Field(default=None, sa_column=refers_to("scoring_run.id"))
    model: str
    judge: str
    text: str = Field(default="", sa_column=field_column())
    guidance: str = Field(default="", sa_column=field_column())
    decisions: list[int] = Field(default_factory=list, sa_column=json_column())
    tried: list[dict[str, Any]] = Field(default_factory=list, sa_column=json_column())
    best: int | None = None
    proof: dict[str, Any] = Field(default_factory=dict, sa_column=json_column())
    proof_decided: int = 0
    proof_texts: list[int] = Field(default_factory=list, sa_column=json_column())
    calls: int = 0
    cost_usd: float | None = None
    status: str = "open"
    made_by: str = ""
    made_at: datetime = Field(default_factory=now, sa_column=time_column())
    decided_by: str = ""
    decided_at: datetime | None = Field(default=None, sa_column=time_column(nullable=True))
    taken_text: str = Field(default="", sa_column=field_column())
    taken_guidance: str = Field(default="", sa_column=field_column())


class BuildRow(SQLModel, table=True):
    """`study_digest`: of all that a study of conditions asked it to be made from; "" for builds that people work on."""

    __tablename__ = "build"

    id: int | None = Field(default=None, primary_key=True)
    dimension_id: int = Field(sa_column=owned_by("dimension.id"))
    condition: str
    study_digest: str = Field(default="", index=True)
    created_at: datetime = Field(default_factory=now, sa_column=time_column())


class BuildRevisionRow(SQLModel, table=True):
    """`what` was done by `who` ("" for no name), and the whole state after it; `checklist_id` is the version that was
    made from it."""

    __tablename__ = "build_revision"
    __table_args__ = (UniqueConstraint("build_id", "number"),)

    id: int | None = Field(default=None, primary_key=True)
    build_id: int = Field(sa_column=owned_by("build.id"))
    number: int
    what: str = Field(sa_column=text_column())
    who: str = ""
    state: dict[str, Any] = Field(sa_column=json_column())
    checklist_id: int | None = Field(default=None, sa_column=refers_to("checklist.id"))
    created_at: datetime = Field(default_factory=now, sa_column=time_column())
