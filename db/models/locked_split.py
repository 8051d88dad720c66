"""A locked test split: documents kept away from everything but the judge, and who looked at what came of them."""

from datetime import datetime
from typing import Any

from sqlalchemy import UniqueConstraint
from sqlmodel import Field, SQLModel

from db.models.columns import json_column, now, owned_by, time_column


class LockedSplitRow(SQLModel, table=True):
    """`opened_at` is empty while the split is locked. An opened one stays on record, with its documents and looks."""

    __tablename__ = "locked_split"

    id: int | None = Field(default=None, primary_key=True)
    project_id: int = Field(sa_column=owned_by("project.id"))
    share: float
    seed: int
    locked_by: str
    locked_at: datetime = Field(default_factory=now, sa_column=time_column())
    opened_by: str = ""
    opened_at: datetime | None = Field(default=None, sa_column=time_column(nullable=True))


class LockedDocumentRow(SQLModel, table=True):
    """A document's name, not its texts: one that is imported later for a locked document is locked too."""

    __tablename__ = "locked_document"
    __table_args__ = (UniqueConstraint("split_id", "doc_id"),)

    id: int | None = Field(default=None, primary_key=True)
    split_id: int = Field(sa_column=owned_by("locked_split.id"))
    doc_id: str


class LockedLookRow(SQLModel, table=True):
    """One deliberate look at results on the locked texts; `runs` are the numbers of those looked at."""

    __tablename__ = "locked_look"

    id: int | None = Field(default=None, primary_key=True)
    split_id: int = Field(sa_column=owned_by("locked_split.id"))
    who: str
    runs: list[Any] = Field(default_factory=list, sa_column=json_column())
    looked_at: datetime = Field(default_factory=now, sa_column=time_column())
