"""Builds: the state after every run and every edit, so that nothing is lost and everything can be taken back."""

from datetime import datetime
from typing import Any

from sqlalchemy import UniqueConstraint
from sqlmodel import Field, SQLModel

from db.models.columns import json_column, now, owned_by, refers_to, text_column, time_column


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
