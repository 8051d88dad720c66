"""An import under way: what has been read of a file, until all of it becomes texts and ratings in one step."""

from datetime import datetime
from typing import Any

from sqlalchemy import UniqueConstraint
from sqlmodel import Field, SQLModel

from db.models.columns import json_column, now, owned_by, text_column, time_column


class TextImportRow(SQLModel, table=True):
    """Goes when the import is done. `touched_at` tells one that still goes on from one that was killed.

    job_file_id: the file that it reads, where that goes with a job."""

    __tablename__ = "text_import"
    __table_args__ = ({"sqlite_autoincrement": True},)  # the number of one that was killed is never another's

    id: int | None = Field(default=None, primary_key=True)
    job_file_id: int | None = Field(default=None, sa_column=owned_by("job_file.id", nullable=True))
    touched_at: datetime = Field(default_factory=now, sa_column=time_column())


class StagedTextRow(SQLModel, table=True):
    """`row` is where it stands in the file, `position` which text of the import it is."""

    __tablename__ = "staged_text"
    __table_args__ = (UniqueConstraint("import_id", "position"),)

    id: int | None = Field(default=None, primary_key=True)
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


class StagedRatingRow(SQLModel, table=True):
    """A rating of the text at `position`."""

    __tablename__ = "staged_rating"
    __table_args__ = (UniqueConstraint("import_id", "position", "dimension", "rater"),)

    id: int | None = Field(default=None, primary_key=True)
    import_id: int = Field(sa_column=owned_by("text_import.id"))
    position: int
    dimension: str
    rater: str
    value: float
