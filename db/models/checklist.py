"""Checklists: components, questions, and the attributes behind each of them."""

from datetime import datetime
from typing import Any

from sqlalchemy import UniqueConstraint
from sqlmodel import Field, SQLModel

from db.models.columns import field_column, json_column, now, owned_by, refers_to, text_column, time_column


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
    name: str
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
