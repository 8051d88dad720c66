"""Tables of builds, checklists, experts' answers and rooms, decisions and improvements."""

from datetime import datetime
from typing import Any

from sqlalchemy import UniqueConstraint
from sqlmodel import Field

from db.models.columns import (
    FieldLine,
    NumberedRow,
    field_column,
    json_column,
    now,
    owned_by,
    refers_to,
    text_column,
    time_column,
)


class AnswerDrawRow(NumberedRow, table=True):
    __tablename__ = "answer_draw"
    __table_args__ = (UniqueConstraint("checklist_id"),)

    checklist_id: int = Field(sa_column=owned_by("checklist.id"))
    seed: int
    stratified: bool
    drawn_at: datetime = Field(default_factory=now, sa_column=time_column())


class AnswerWaveRow(NumberedRow, table=True):
    """Texts drawn together, and how; waves are numbered from 1 within the draw."""

    __tablename__ = "answer_wave"
    __table_args__ = (UniqueConstraint("draw_id", "number"),)

    draw_id: int = Field(sa_column=owned_by("answer_draw.id"))
    number: int
    design: str
    seed: int
    tau: float
    drawn_at: datetime = Field(default_factory=now, sa_column=time_column())


class AnswerChanceRow(NumberedRow, table=True):
    """The chance of a text in a wave if no earlier wave drew it, for every text that could be drawn. Waves of older
    programs have none: all chances were equal."""

    __tablename__ = "answer_chance"
    __table_args__ = (UniqueConstraint("wave_id", "text_id"),)

    wave_id: int = Field(sa_column=owned_by("answer_wave.id"))
    text_id: int = Field(sa_column=owned_by("text.id"))
    chance: float


class AnswerDrawTextRow(NumberedRow, table=True):
    """A drawn text; `wave` is the number of the wave that drew it."""

    __tablename__ = "answer_draw_text"
    __table_args__ = (UniqueConstraint("draw_id", "text_id"),)

    draw_id: int = Field(sa_column=owned_by("answer_draw.id"))
    text_id: int = Field(sa_column=owned_by("text.id"))
    wave: int = 1


class ExpertAnswerRow(NumberedRow, table=True):
    """An expert's answer: yes, no, does not apply or unanswered (the expert skipped it); empty if there is only a note
    yet."""

    __tablename__ = "expert_answer"
    __table_args__ = (UniqueConstraint("draw_id", "contributor_id", "text_id", "question_id"),)

    draw_id: int = Field(sa_column=owned_by("answer_draw.id"))
    contributor_id: int = Field(sa_column=owned_by("contributor.id"))
    text_id: int = Field(sa_column=owned_by("text.id"))
    question_id: int = Field(sa_column=owned_by("question.id"))
    answer: str = ""
    note: str = Field(default="", sa_column=field_column())
    saved_at: datetime = Field(default_factory=now, sa_column=time_column())


class SideBySideRow(NumberedRow, table=True):
    """A blind comparison. `people` and `llms` are the wordings as shown: later edits don't change what was compared."""

    __tablename__ = "side_by_side"
    __table_args__ = (UniqueConstraint("dimension_id", "contributor_id"),)

    dimension_id: int = Field(sa_column=owned_by("dimension.id"))
    contributor_id: int = Field(sa_column=owned_by("contributor.id"))
    people_are_a: bool
    people: list[str] = Field(sa_column=json_column())
    llms: list[str] = Field(sa_column=json_column())
    revealed_at: datetime | None = Field(default=None, sa_column=time_column(nullable=True))
    created_at: datetime = Field(default_factory=now, sa_column=time_column())


class SideBySideAnswerRow(NumberedRow, table=True):
    __tablename__ = "side_by_side_answer"
    __table_args__ = (UniqueConstraint("side_by_side_id", "question"),)

    side_by_side_id: int = Field(sa_column=owned_by("side_by_side.id"))
    question: str
    text: str = Field(default="", sa_column=field_column())
    saved_at: datetime = Field(default_factory=now, sa_column=time_column())


class PreferenceRow(NumberedRow, table=True):
    """Which of two texts of one source a person preferred: `winner` is a, b or tie. `attribute_id`: the attribute made
    from the reason."""

    __tablename__ = "preference"
    __table_args__ = (UniqueConstraint("dimension_id", "rater", "text_a_id", "text_b_id"),)

    dimension_id: int = Field(sa_column=owned_by("dimension.id"))
    text_a_id: int = Field(sa_column=owned_by("text.id"))
    text_b_id: int = Field(sa_column=owned_by("text.id"))
    rater: str
    winner: str
    reason: str = Field(default="", sa_column=field_column())
    attribute_id: int | None = Field(default=None, sa_column=refers_to("attribute.id"))
    created_at: datetime = Field(default_factory=now, sa_column=time_column())


class PairDrawRow(NumberedRow, table=True):
    """Drawn pairs of texts: `pairs` are ids of two texts each. The newest draw of a dimension counts."""

    __tablename__ = "pair_draw"

    dimension_id: int = Field(sa_column=owned_by("dimension.id"))
    pairs: list[list[int]] = Field(sa_column=json_column())
    drawn_by: str = ""
    drawn_at: datetime = Field(default_factory=now, sa_column=time_column())


class AssignmentRow(NumberedRow, table=True):
    """A dimension assigned to an expert. An expert without assignments has all dimensions."""

    __tablename__ = "assignment"
    __table_args__ = (UniqueConstraint("contributor_id", "dimension_id"),)

    contributor_id: int = Field(sa_column=owned_by("contributor.id"))
    dimension_id: int = Field(sa_column=owned_by("dimension.id"))


class AnswerShareRow(NumberedRow, table=True):
    """A drawn text assigned to an expert to answer. In a draw without assignments everybody answers every text."""

    __tablename__ = "answer_share"
    __table_args__ = (UniqueConstraint("draw_id", "text_id", "contributor_id"),)

    draw_id: int = Field(sa_column=owned_by("answer_draw.id"))
    text_id: int = Field(sa_column=owned_by("text.id"))
    contributor_id: int = Field(sa_column=owned_by("contributor.id"))


class RoomRow(NumberedRow, table=True):
    """A room. `texts` are ids; `revealed` is the last round with revealed votes; `draft` is a version."""

    __tablename__ = "room"

    question_id: int = Field(sa_column=owned_by("question.id"))
    texts: list[int] = Field(sa_column=json_column())
    stage: str
    revealed: int = 0
    agreed: str = Field(default="", sa_column=field_column())
    draft: int | None = None
    opened_by: str = ""
    opened_at: datetime = Field(default_factory=now, sa_column=time_column())
    closed_by: str = ""
    closed_at: datetime | None = Field(default=None, sa_column=time_column(nullable=True))


class RoomMemberRow(NumberedRow, table=True):
    """An expert who joined a room, and their line in the discussion."""

    __tablename__ = "room_member"
    __table_args__ = (UniqueConstraint("room_id", "contributor_id"),)

    room_id: int = Field(sa_column=owned_by("room.id"))
    contributor_id: int = Field(sa_column=owned_by("contributor.id"))
    line: str = Field(default="", sa_column=field_column())
    joined_at: datetime = Field(default_factory=now, sa_column=time_column())


class RoomVoteRow(NumberedRow, table=True):
    """A vote; `round` is 1 before the discussion and 2 after it."""

    __tablename__ = "room_vote"
    __table_args__ = (UniqueConstraint("member_id", "text_id", "round"),)

    member_id: int = Field(sa_column=owned_by("room_member.id"))
    text_id: int = Field(sa_column=owned_by("text.id"))
    round: int
    answer: str
    saved_at: datetime = Field(default_factory=now, sa_column=time_column())


class ChecklistRow(NumberedRow, table=True):
    __tablename__ = "checklist"
    __table_args__ = (UniqueConstraint("dimension_id", "version"),)

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


class ComponentRow(NumberedRow, table=True):
    __tablename__ = "component"

    checklist_id: int = Field(sa_column=owned_by("checklist.id"))
    name: str = Field(sa_type=FieldLine)
    description: str = Field(default="", sa_column=field_column())
    position: int = 0
    removed: bool = False


class ComponentAttributeRow(NumberedRow, table=True):
    __tablename__ = "component_attribute"
    __table_args__ = (UniqueConstraint("component_id", "attribute_id"),)

    component_id: int = Field(sa_column=owned_by("component.id"))
    attribute_id: int = Field(sa_column=owned_by("attribute.id"))


class DroppedAttributeRow(NumberedRow, table=True):
    __tablename__ = "dropped_attribute"
    __table_args__ = (UniqueConstraint("checklist_id", "attribute_id"),)

    checklist_id: int = Field(sa_column=owned_by("checklist.id"))
    attribute_id: int = Field(sa_column=owned_by("attribute.id"))
    stage: str
    reason: str = Field(default="", sa_column=text_column())


class QuestionRow(NumberedRow, table=True):
    """A question. `original_text` is its first wording; `parent_id` is a sub-question's key question.

    A removed question stays, so that it can be restored.
    """

    __tablename__ = "question"

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
    examples: list[dict[str, Any]] = Field(default_factory=list, sa_column=json_column())
    origin: str = "generated"
    reason: str = Field(default="", sa_column=text_column())
    created_at: datetime = Field(default_factory=now, sa_column=time_column())


class CopiedQuestionRow(NumberedRow, table=True):
    """A question copied from an earlier version into a draft: comments on the earlier one are about this one too."""

    __tablename__ = "copied_question"
    __table_args__ = (UniqueConstraint("question_id"),)

    question_id: int = Field(sa_column=owned_by("question.id"))
    from_id: int = Field(sa_column=owned_by("question.id"))


class QuestionCommentRow(NumberedRow, table=True):
    """A comment on a question, or a note on a comment (`comment_id`) that it is resolved or reopened.

    Rows are never changed. `kind` is comment, resolved or reopened.
    """

    __tablename__ = "question_comment"

    question_id: int = Field(sa_column=owned_by("question.id"))
    comment_id: int | None = Field(default=None, sa_column=owned_by("question_comment.id", nullable=True))
    kind: str = "comment"
    who: str = ""
    text: str = Field(default="", sa_column=field_column())
    created_at: datetime = Field(default_factory=now, sa_column=time_column())


class QuestionAttributeRow(NumberedRow, table=True):
    __tablename__ = "question_attribute"
    __table_args__ = (UniqueConstraint("question_id", "attribute_id"),)

    question_id: int = Field(sa_column=owned_by("question.id"))
    attribute_id: int = Field(sa_column=owned_by("attribute.id"))


class ChecklistChangeRow(NumberedRow, table=True):
    """One edit of a draft: who, when, and each thing it changed before and after. `undoes_id`: the edit that it
    undoes."""

    __tablename__ = "checklist_change"

    checklist_id: int = Field(sa_column=owned_by("checklist.id"))
    who: str = ""
    what: str
    steps: list[dict[str, Any]] = Field(default_factory=list, sa_column=json_column())
    undoes_id: int | None = Field(default=None, sa_column=refers_to("checklist_change.id"))
    created_at: datetime = Field(default_factory=now, sa_column=time_column())


class ProposalRow(NumberedRow, table=True):
    """A model's proposal for a draft, open until a person decides. `sources` are question ids."""

    __tablename__ = "question_proposal"

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


class DecisionRow(NumberedRow, table=True):
    """A decision. `wording` and `guidance` are the question's at that time; `guided` the line added to its guidance."""

    __tablename__ = "decision"

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


class DocumentHalfRow(NumberedRow, table=True):
    """A document's half, by its name: texts imported later for the document belong to the same half. Never changed."""

    __tablename__ = "document_half"
    __table_args__ = (UniqueConstraint("project_id", "doc_id"),)

    project_id: int = Field(sa_column=owned_by("project.id"))
    doc_id: str
    half: str
    drawn_at: datetime = Field(default_factory=now, sa_column=time_column())


class ImprovementRow(NumberedRow, table=True):
    """An attempt at better wordings. `text` and `guidance` are the question's at that time; `decisions` and
    `proof_texts` are ids. `best` is an index in `tried`; `proof` is empty if the proof part wasn't asked, `beside`
    without random examples. `taken_text` is empty until a wording was taken."""

    __tablename__ = "question_improvement"

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
    beside: dict[str, Any] = Field(default_factory=dict, sa_column=json_column())
    examples: list[dict[str, Any]] = Field(default_factory=list, sa_column=json_column())
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


class BuildRow(NumberedRow, table=True):
    """A build. `study_digest`: of all inputs of a build made by a study of conditions; "" for builds that people work
    on."""

    __tablename__ = "build"

    dimension_id: int = Field(sa_column=owned_by("dimension.id"))
    condition: str
    study_digest: str = Field(default="", index=True)
    created_at: datetime = Field(default_factory=now, sa_column=time_column())


class BuildRevisionRow(NumberedRow, table=True):
    """`what` was done by `who` ("" for no name), and the whole state after it; `checklist_id` is the version made from
    it."""

    __tablename__ = "build_revision"
    __table_args__ = (UniqueConstraint("build_id", "number"),)

    build_id: int = Field(sa_column=owned_by("build.id"))
    number: int
    what: str = Field(sa_column=text_column())
    who: str = ""
    state: dict[str, Any] = Field(sa_column=json_column())
    checklist_id: int | None = Field(default=None, sa_column=refers_to("checklist.id"))
    created_at: datetime = Field(default_factory=now, sa_column=time_column())
