"""People and LLMs side by side: what one expert saw, in which order, and answered."""

from datetime import datetime

from sqlalchemy import UniqueConstraint
from sqlmodel import Field, SQLModel

from db.models.columns import field_column, json_column, now, owned_by, time_column


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
