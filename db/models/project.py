"""A project: what is judged, on which dimensions, with which human ratings."""

from datetime import datetime
from typing import Any

from sqlalchemy import UniqueConstraint
from sqlmodel import Field, SQLModel

from db.models.columns import field_column, json_column, now, owned_by, text_column, time_column


class ProjectRow(SQLModel, table=True):
    __tablename__ = "project"

    id: int | None = Field(default=None, primary_key=True)
    name: str = Field(unique=True)
    text_name: str = "text"
    source_name: str = "source"
    description: str = Field(default="", sa_column=field_column())
    language: str = "English"
    writer_name: str = "system"
    notice: str = Field(default="", sa_column=field_column())
    research: bool = False
    human_systems: list[str] = Field(default_factory=list, sa_column=json_column())
    created_at: datetime = Field(default_factory=now, sa_column=time_column())


class DimensionRow(SQLModel, table=True):
    """`overlap`: how many experts answer each text drawn for them, 0 for all of them."""

    __tablename__ = "dimension"
    __table_args__ = (UniqueConstraint("project_id", "name"),)

    id: int | None = Field(default=None, primary_key=True)
    project_id: int = Field(sa_column=owned_by("project.id"))
    name: str
    rubric: str = Field(default="", sa_column=field_column())
    low: float = 1.0
    high: float = 5.0
    position: int = 0
    overlap: int = 0


class TextRow(SQLModel, table=True):
    __tablename__ = "text"
    __table_args__ = (UniqueConstraint("project_id", "doc_id", "system_id", "item_id"),)

    id: int | None = Field(default=None, primary_key=True)
    project_id: int = Field(sa_column=owned_by("project.id"))
    doc_id: str
    system_id: str = ""
    item_id: str = ""
    source: str = Field(default="", sa_column=text_column())
    text: str = Field(sa_column=text_column())
    references: list[str] = Field(default_factory=list, sa_column=json_column())
    extra: dict[str, Any] = Field(default_factory=dict, sa_column=json_column())


class RatingRow(SQLModel, table=True):
    __tablename__ = "rating"
    __table_args__ = (UniqueConstraint("text_id", "dimension_id", "rater"),)

    id: int | None = Field(default=None, primary_key=True)
    text_id: int = Field(sa_column=owned_by("text.id"))
    dimension_id: int = Field(sa_column=owned_by("dimension.id"))
    rater: str
    value: float
