"""What people upload: a file on its way to whoever does its job, what came of it, and how much it was."""

from datetime import datetime
from typing import Any

from sqlalchemy import Column, LargeBinary, UniqueConstraint
from sqlmodel import Field, SQLModel

from db.models.columns import json_column, now, owned_by, time_column


class JobFileRow(SQLModel, table=True):
    """A file that goes with a job, and with its end. `job_id` is empty while it is still written; `touched_at` tells
    one that is from one whose process was killed. `used`: what the job makes of it is kept."""

    __tablename__ = "job_file"
    __table_args__ = ({"sqlite_autoincrement": True},)  # the number of one that went is never another's

    id: int | None = Field(default=None, primary_key=True)
    job_id: int | None = Field(default=None, sa_column=owned_by("job.id", nullable=True))
    name: str
    size: int
    used: bool = False
    touched_at: datetime = Field(default_factory=now, sa_column=time_column())


class JobFileBlockRow(SQLModel, table=True):
    """The part of it at `position`, counted from 0."""

    __tablename__ = "job_file_block"
    __table_args__ = (UniqueConstraint("file_id", "position"),)

    id: int | None = Field(default=None, primary_key=True)
    file_id: int = Field(sa_column=owned_by("job_file.id"))
    position: int
    data: bytes = Field(sa_column=Column(LargeBinary, nullable=False))


class ImportReportRow(SQLModel, table=True):
    """What the last import brought into a project, until somebody puts it away."""

    __tablename__ = "import_report"
    __table_args__ = (UniqueConstraint("project_id"),)

    id: int | None = Field(default=None, primary_key=True)
    project_id: int = Field(sa_column=owned_by("project.id"))
    report: dict[str, Any] = Field(default_factory=dict, sa_column=json_column())


class CountedUploadRow(SQLModel, table=True):
    """How many bytes a person sent, for as long as they count."""

    __tablename__ = "counted_upload"

    id: int | None = Field(default=None, primary_key=True)
    person_id: int = Field(sa_column=owned_by("person.id"))
    size: int
    at: datetime = Field(default_factory=now, sa_column=time_column())
