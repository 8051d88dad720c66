"""A project's own wordings of prompts: every one is kept, at most one of each prompt is in use."""

from datetime import datetime

from sqlalchemy import UniqueConstraint
from sqlmodel import Field, SQLModel

from db.models.columns import now, owned_by, text_column, time_column


class OwnPromptRow(SQLModel, table=True):
    __tablename__ = "own_prompt"
    __table_args__ = (UniqueConstraint("project_id", "name", "number"),)

    id: int | None = Field(default=None, primary_key=True)
    project_id: int = Field(sa_column=owned_by("project.id"))
    name: str
    number: int
    source: str = Field(sa_column=text_column())
    digest: str
    in_use: bool = False
    created_at: datetime = Field(default_factory=now, sa_column=time_column())
