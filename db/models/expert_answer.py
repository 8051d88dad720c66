"""Tables of assignments, of what experts answer, and of rooms in which they decide together."""

from datetime import datetime

from sqlalchemy import UniqueConstraint
from sqlmodel import Field, SQLModel

from db.models.columns import field_column, json_column, now, owned_by, refers_to, time_column


class AnswerDrawRow(SQLModel, table=True):
    __tablename__ = "answer_draw"
    __table_args__ = (UniqueConstraint("checklist_id"),)

    id: int | None = Field(default=None, primary_key=True)
    checklist_id: int = Field(sa_column=owned_by("checklist.id"))
    seed: int
    stratified: bool
    drawn_at: datetime = Field(default_factory=now, sa_column=time_column())


class AnswerWaveRow(SQLModel, table=True):
    """Texts drawn at one time, and by what: numbered from 1 within the draw."""

    __tablename__ = "answer_wave"
    __table_args__ = (UniqueConstraint("draw_id", "number"),)

    id: int | None = Field(default=None, primary_key=True)
    draw_id: int = Field(sa_column=owned_by("answer_draw.id"))
    number: int
    design: str
    seed: int
    tau: float
    drawn_at: datetime = Field(default_factory=now, sa_column=time_column())


class AnswerChanceRow(SQLModel, table=True):
    """The chance that a text would have had in a wave if no earlier one had drawn it, for every text that could be
    drawn. A wave of an older program has none: there all were alike."""

    __tablename__ = "answer_chance"
    __table_args__ = (UniqueConstraint("wave_id", "text_id"),)

    id: int | None = Field(default=None, primary_key=True)
    wave_id: int = Field(sa_column=owned_by("answer_wave.id"))
    text_id: int = Field(sa_column=owned_by("text.id"))
    chance: float


class AnswerDrawTextRow(SQLModel, table=True):
    """`wave` is the number of the one that drew the text."""

    __tablename__ = "answer_draw_text"
    __table_args__ = (UniqueConstraint("draw_id", "text_id"),)

    id: int | None = Field(default=None, primary_key=True)
    draw_id: int = Field(sa_column=owned_by("answer_draw.id"))
    text_id: int = Field(sa_column=owned_by("text.id"))
    wave: int = 1


class ExpertAnswerRow(SQLModel, table=True):
    """`answer` is yes, no, does not apply or unanswered (the expert skipped it); empty where there is only a note so
    far."""

    __tablename__ = "expert_answer"
    __table_args__ = (UniqueConstraint("draw_id", "contributor_id", "text_id", "question_id"),)

    id: int | None = Field(default=None, primary_key=True)
    draw_id: int = Field(sa_column=owned_by("answer_draw.id"))
    contributor_id: int = Field(sa_column=owned_by("contributor.id"))
    text_id: int = Field(sa_column=owned_by("text.id"))
    question_id: int = Field(sa_column=owned_by("question.id"))
    answer: str = ""
    note: str = Field(default="", sa_column=field_column())
    saved_at: datetime = Field(default_factory=now, sa_column=time_column())


class SideBySideRow(SQLModel, table=True):
    """`people` and `llms` are the wordings as they were shown: later edits don't change what was compared."""

    __tablename__ = "side_by_side"
    __table_args__ = (UniqueConstraint("dimension_id", "contributor_id"),)

    id: int | None = Field(default=None, primary_key=True)
    dimension_id: int = Field(sa_column=owned_by("dimension.id"))
    contributor_id: int = Field(sa_column=owned_by("contributor.id"))
    people_are_a: bool
    people: list[str] = Field(sa_column=json_column())
    llms: list[str] = Field(sa_column=json_column())
    revealed_at: datetime | None = Field(default=None, sa_column=time_column(nullable=True))
    created_at: datetime = Field(default_factory=now, sa_column=time_column())


class SideBySideAnswerRow(SQLModel, table=True):
    __tablename__ = "side_by_side_answer"
    __table_args__ = (UniqueConstraint("side_by_side_id", "question"),)

    id: int | None = Field(default=None, primary_key=True)
    side_by_side_id: int = Field(sa_column=owned_by("side_by_side.id"))
    question: str
    text: str = Field(default="", sa_column=field_column())
    saved_at: datetime = Field(default_factory=now, sa_column=time_column())


class PreferenceRow(SQLModel, table=True):
    """Which of two texts of one source a person found better: `winner` is a, b or tie. `attribute_id`: what the reason
    became."""

    __tablename__ = "preference"
    __table_args__ = (UniqueConstraint("dimension_id", "rater", "text_a_id", "text_b_id"),)

    id: int | None = Field(default=None, primary_key=True)
    dimension_id: int = Field(sa_column=owned_by("dimension.id"))
    text_a_id: int = Field(sa_column=owned_by("text.id"))
    text_b_id: int = Field(sa_column=owned_by("text.id"))
    rater: str
    winner: str
    reason: str = Field(default="", sa_column=field_column())
    attribute_id: int | None = Field(default=None, sa_column=refers_to("attribute.id"))
    created_at: datetime = Field(default_factory=now, sa_column=time_column())


class AssignmentRow(SQLModel, table=True):
    """A dimension that an expert was given. Whoever was given none has them all."""

    __tablename__ = "assignment"
    __table_args__ = (UniqueConstraint("contributor_id", "dimension_id"),)

    id: int | None = Field(default=None, primary_key=True)
    contributor_id: int = Field(sa_column=owned_by("contributor.id"))
    dimension_id: int = Field(sa_column=owned_by("dimension.id"))


class AnswerShareRow(SQLModel, table=True):
    """A drawn text that an expert was given to answer. Of a draw without any everybody answers every text."""

    __tablename__ = "answer_share"
    __table_args__ = (UniqueConstraint("draw_id", "text_id", "contributor_id"),)

    id: int | None = Field(default=None, primary_key=True)
    draw_id: int = Field(sa_column=owned_by("answer_draw.id"))
    text_id: int = Field(sa_column=owned_by("text.id"))
    contributor_id: int = Field(sa_column=owned_by("contributor.id"))


class RoomRow(SQLModel, table=True):
    """`texts` are ids; `revealed` is the number of the last round whose votes were revealed; `draft` is a version."""

    __tablename__ = "room"

    id: int | None = Field(default=None, primary_key=True)
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


class RoomMemberRow(SQLModel, table=True):
    """An expert who joined, and what they said in the discussion."""

    __tablename__ = "room_member"
    __table_args__ = (UniqueConstraint("room_id", "contributor_id"),)

    id: int | None = Field(default=None, primary_key=True)
    room_id: int = Field(sa_column=owned_by("room.id"))
    contributor_id: int = Field(sa_column=owned_by("contributor.id"))
    line: str = Field(default="", sa_column=field_column())
    joined_at: datetime = Field(default_factory=now, sa_column=time_column())


class RoomVoteRow(SQLModel, table=True):
    """`round` is 1 before the discussion and 2 after it."""

    __tablename__ = "room_vote"
    __table_args__ = (UniqueConstraint("member_id", "text_id", "round"),)

    id: int | None = Field(default=None, primary_key=True)
    member_id: int = Field(sa_column=owned_by("room_member.id"))
    text_id: int = Field(sa_column=owned_by("text.id"))
    round: int
    answer: str
    saved_at: datetime = Field(default_factory=now, sa_column=time_column())
