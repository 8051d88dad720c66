"""Tables of projects, dimensions, texts, imports, uploads, own prompts and jobs."""

from datetime import datetime
from typing import Any

from sqlalchemy import Column, Index, LargeBinary, UniqueConstraint, text
from sqlmodel import Field, SQLModel

from db.models.columns import FieldLine, NumberedRow, field_column, json_column, now, owned_by, text_column, time_column


class ProjectRow(NumberedRow, table=True):
    __tablename__ = "project"

    name: str = Field(unique=True)
    text_name: str = Field(default="text", sa_type=FieldLine)
    source_name: str = Field(default="source", sa_type=FieldLine)
    description: str = Field(default="", sa_column=field_column())
    language: str = Field(default="English", sa_type=FieldLine)
    writer_name: str = Field(default="system", sa_type=FieldLine)
    notice: str = Field(default="", sa_column=field_column())
    research: bool = False
    follow_up: str = ""
    human_systems: list[str] = Field(default_factory=list, sa_column=json_column())
    created_at: datetime = Field(default_factory=now, sa_column=time_column())


class DimensionRow(NumberedRow, table=True):
    """A dimension. `overlap`: how many experts answer each drawn text, 0 for all of them."""

    __tablename__ = "dimension"
    __table_args__ = (UniqueConstraint("project_id", "name"),)

    project_id: int = Field(sa_column=owned_by("project.id"))
    name: str
    rubric: str = Field(default="", sa_column=field_column())
    low: float = 1.0
    high: float = 5.0
    position: int = 0
    overlap: int = 0


class TextRow(NumberedRow, table=True):
    """A text. `imported_at` is empty for texts imported before it was recorded."""

    __tablename__ = "text"
    __table_args__ = (UniqueConstraint("project_id", "doc_id", "system_id", "item_id"),)

    project_id: int = Field(sa_column=owned_by("project.id"))
    doc_id: str
    system_id: str = ""
    item_id: str = ""
    source: str = Field(default="", sa_column=text_column())
    text: str = Field(sa_column=text_column())
    references: list[str] = Field(default_factory=list, sa_column=json_column())
    extra: dict[str, Any] = Field(default_factory=dict, sa_column=json_column())
    imported_at: datetime | None = Field(default=None, sa_column=time_column(nullable=True))


class RatingRow(NumberedRow, table=True):
    __tablename__ = "rating"
    __table_args__ = (UniqueConstraint("text_id", "dimension_id", "rater"),)

    text_id: int = Field(sa_column=owned_by("text.id"))
    dimension_id: int = Field(sa_column=owned_by("dimension.id"))
    rater: str
    value: float


class VerdictRow(NumberedRow, table=True):
    """An expert's verdict on a text while reading it. Good and not good are ratings of theirs too."""

    __tablename__ = "verdict"
    __table_args__ = (UniqueConstraint("text_id", "dimension_id", "contributor_id"),)

    text_id: int = Field(sa_column=owned_by("text.id"))
    dimension_id: int = Field(sa_column=owned_by("dimension.id"))
    contributor_id: int = Field(sa_column=owned_by("contributor.id"))
    verdict: str
    created_at: datetime = Field(default_factory=now, sa_column=time_column())


class TextImportRow(NumberedRow, table=True):
    """An import in progress; deleted when it is done. An old `touched_at` shows that its process was killed.

    job_file_id: the file that it reads, if that belongs to a job.
    """

    __tablename__ = "text_import"
    __table_args__ = ({"sqlite_autoincrement": True},)  # the number of one that was killed is never another's

    job_file_id: int | None = Field(default=None, sa_column=owned_by("job_file.id", nullable=True))
    touched_at: datetime = Field(default_factory=now, sa_column=time_column())


class StagedTextRow(NumberedRow, table=True):
    """A text read by an import; `row` is its place in the file, `position` its number within the import."""

    __tablename__ = "staged_text"
    __table_args__ = (UniqueConstraint("import_id", "position"),)

    import_id: int = Field(sa_column=owned_by("text_import.id"))
    position: int
    row: int
    doc_id: str
    system_id: str = ""
    item_id: str = ""
    source: str = Field(default="", sa_column=text_column())
    text: str = Field(sa_column=text_column())
    references: list[str] = Field(default_factory=list, sa_column=json_column())
    extra: dict[str, Any] = Field(default_factory=dict, sa_column=json_column())


class StagedRatingRow(NumberedRow, table=True):
    """A rating of the text at `position`."""

    __tablename__ = "staged_rating"
    __table_args__ = (UniqueConstraint("import_id", "position", "dimension", "rater"),)

    import_id: int = Field(sa_column=owned_by("text_import.id"))
    position: int
    dimension: str
    rater: str
    value: float


class JobFileRow(NumberedRow, table=True):
    """A file of a job, deleted at its end. `job_id` is empty while the file is being written; an old `touched_at` then
    shows that the process was killed. `used`: what the job makes from it is saved."""

    __tablename__ = "job_file"
    __table_args__ = ({"sqlite_autoincrement": True},)  # the number of one that went is never another's

    job_id: int | None = Field(default=None, sa_column=owned_by("job.id", nullable=True))
    name: str
    size: int
    used: bool = False
    touched_at: datetime = Field(default_factory=now, sa_column=time_column())


class JobFileBlockRow(NumberedRow, table=True):
    """The part of the file at `position`, counted from 0."""

    __tablename__ = "job_file_block"
    __table_args__ = (UniqueConstraint("file_id", "position"),)

    file_id: int = Field(sa_column=owned_by("job_file.id"))
    position: int
    data: bytes = Field(sa_column=Column(LargeBinary, nullable=False))


class ImportReportRow(NumberedRow, table=True):
    """Report of a project's last import, until somebody dismisses it."""

    __tablename__ = "import_report"
    __table_args__ = (UniqueConstraint("project_id"),)

    project_id: int = Field(sa_column=owned_by("project.id"))
    report: dict[str, Any] = Field(default_factory=dict, sa_column=json_column())


class CountedUploadRow(NumberedRow, table=True):
    """How many bytes a person sent, for as long as they count."""

    __tablename__ = "counted_upload"

    person_id: int = Field(sa_column=owned_by("person.id"))
    size: int
    at: datetime = Field(default_factory=now, sa_column=time_column())


class OwnPromptRow(NumberedRow, table=True):
    __tablename__ = "own_prompt"
    __table_args__ = (UniqueConstraint("project_id", "name", "number"),)

    project_id: int = Field(sa_column=owned_by("project.id"))
    name: str
    number: int
    source: str = Field(sa_column=text_column())
    digest: str
    in_use: bool = False
    created_at: datetime = Field(default_factory=now, sa_column=time_column())


ACTIVE = text("status IN ('waiting', 'running')")


class JobRow(NumberedRow, table=True):
    """A job. `losses`: how many processes died while running it. `seen_at`: when somebody was told how it ended.

    `params` hold no key: a job that needs a typed key is `bound` to its process.
    """

    __tablename__ = "job"
    __table_args__ = (Index("uq_job_key_active", "key", unique=True, sqlite_where=ACTIVE, postgresql_where=ACTIVE),)

    key: str = Field(index=True)
    kind: str
    params: dict[str, Any] = Field(default_factory=dict, sa_column=json_column())
    title: str
    person_id: int | None = Field(default=None, sa_column=owned_by("person.id", nullable=True))
    bound: bool = False
    status: str
    done: int = 0
    all: int = 0
    message: str = Field(default="", sa_column=text_column())
    complete: bool = True
    made: list[int] = Field(default_factory=list, sa_column=json_column())
    stop_requested: bool = False
    writer: str = ""
    losses: int = 0
    created_at: datetime = Field(default_factory=now, sa_column=time_column())
    begun_at: datetime | None = Field(default=None, sa_column=time_column(nullable=True))
    heartbeat_at: datetime | None = Field(default=None, sa_column=time_column(nullable=True))
    ended_at: datetime | None = Field(default=None, sa_column=time_column(nullable=True))
    seen_at: datetime | None = Field(default=None, sa_column=time_column(nullable=True))


class WorkerRow(SQLModel, table=True):
    """A worker process. `name` is that of its lock, which shows other processes of its machine whether it lives."""

    __tablename__ = "worker"

    name: str = Field(primary_key=True)
    started_at: datetime = Field(default_factory=now, sa_column=time_column())
    seen_at: datetime = Field(default_factory=now, sa_column=time_column())
