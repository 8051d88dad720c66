"""A file that a person uploaded: what is in it, and what could be done with it.

The bytes are put under a name of our own in a folder of their own for as long as they are read; the name that the
file had on the person's machine only tells its kind.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from app.corpora.guessing import guess, source_label, writer_label
from app.corpora.mapping import FIELDS, ColumnMapping, RatingColumn, read_scale
from app.corpora.reading import FORMATS, KNOWN_FORMATS, detect_format, open_corpus
from app.corpora.records import sheets_of
from app.corpora.scale import NumberColumn, number_columns
from app.corpora.table import open_table
from app.domain.storable_text import storable_value
from app.domain.task import Task
from app.errors import WorkbenchError
from app.services.data.feasibility import Feasibility, feasibility

UPLOAD_FORMATS = FORMATS
TEXT_FIELDS = FIELDS
SUFFIXES = ("csv", "tsv", "xlsx", "json", "jsonl", "ndjson", "parquet")
_ROWS_SHOWN = 8
# What a column of texts is called -> the preset for such texts.
_KINDS = {
    "essay": "learner essays",
    "summary": "news summaries",
    "story": "stories",
    "response": "dialogue",
    "reply": "dialogue",
}


@dataclass(frozen=True, slots=True)
class Upload:
    """A file as it came. `name` is shown and never used as a path."""

    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class MappedColumns:
    """`fields` maps one of TEXT_FIELDS to a column; `ratings` are (dimension, column) pairs, each column a rater.

    `scales` are (dimension, scale as typed) pairs, such as "1..5"; a blank one leaves it to the ratings.
    """

    fields: Mapping[str, str]
    ratings: tuple[tuple[str, str], ...] = ()
    scales: tuple[tuple[str, str], ...] = ()

    def mapping(self) -> ColumnMapping:
        """Raises InputError for a scale that is none."""
        ratings = tuple(RatingColumn(dimension.strip(), column, column) for dimension, column in self.ratings)
        scales = {name.strip(): read_scale(typed, name.strip()) for name, typed in self.scales if typed.strip()}
        return ColumnMapping(dict(self.fields), ratings, scales)


@dataclass(frozen=True, slots=True)
class UploadPreview:
    """What a file holds. Only a table of no known format has its first `rows` of `count`, a `guess` what its columns
    mean with `why`, and what its columns of `numbers` hold."""

    format: str
    columns: tuple[str, ...] = ()
    rows: tuple[Mapping[str, Any], ...] = ()
    count: int = 0
    guess: MappedColumns | None = None
    why: Mapping[str, str] = field(default_factory=dict)
    numbers: Mapping[str, NumberColumn] = field(default_factory=dict)

    def worded(self, task: Task, fields: Mapping[str, str]) -> Task:
        """The words of a new project where these columns hold its fields: they may say what sources and writers are
        called."""
        source, writer = source_label(fields), writer_label(fields.get("system_id", ""))
        return replace(task, source_name=source or task.source_name, writer_name=writer or task.writer_name)

    @property
    def kind(self) -> str:
        """The preset for such texts, going by what their column is called; "" where that says nothing."""
        column = self.guess.fields.get("text", "") if self.guess else ""
        return next((kind for word, kind in _KINDS.items() if word in column.casefold()), "")


@dataclass(frozen=True, slots=True)
class ImportPlan:
    """How an upload is to be read: its format, of a workbook the sheet, what the columns mean where no format fixes it,
    and for a new project the preset whose wording and rubrics it takes and what the writers of its texts are called, ""
    for none and for what their column is called."""

    format: str = "auto"
    sheet: str = ""
    mapped: MappedColumns | None = None
    preset: str = ""
    writer: str = ""


def upload_sheets(upload: Upload) -> tuple[str, ...]:
    """Those of a workbook, to choose from. Raises FileFormatError."""
    with stored(upload) as path:
        return sheets_of(path)


def preview_upload(upload: Upload, format_name: str = "auto", sheet: str = "") -> UploadPreview:
    """Raises FileFormatError where the file can't be read as this format."""
    with stored(upload) as path:
        found = detect_format(path, sheet) if format_name == "auto" else format_name
        if found in KNOWN_FORMATS:
            return UploadPreview(found)
        table = open_table(path, found, sheet)
        guessed = guess(table.columns, table.rows)
        ratings = tuple((rating.dimension, rating.column) for rating in guessed.mapping.ratings)
        return UploadPreview(
            found,
            table.columns,
            # They are shown as they will be kept: the import itself makes what it keeps storable.
            tuple(storable_value(row) for row in table.rows[:_ROWS_SHOWN]),
            len(table.rows),
            MappedColumns(guessed.mapping.columns, ratings),
            guessed.why,
            number_columns(table),
        )


def check_upload(upload: Upload, plan: ImportPlan) -> tuple[Feasibility, ...]:
    """What can be done with the texts if they are imported so. Raises FileFormatError, InputError."""
    with stored(upload) as path:
        mapping = plan.mapped.mapping() if plan.mapped else None
        return feasibility(open_corpus(path, plan.format, mapping, plan.sheet))


@contextmanager
def stored(upload: Upload) -> Iterator[Path]:
    """The file under a name of our own, for as long as the block lasts; errors name it as the person does."""
    with stored_as(upload.name) as path:
        path.write_bytes(upload.data)
        yield path


@contextmanager
def stored_as(name: str) -> Iterator[Path]:
    """Where a file that a person calls so can be written, for as long as the block lasts; errors name it as they do."""
    suffix = Path(name).suffix.lower()
    with TemporaryDirectory(prefix="interacteval-") as folder:
        path = Path(folder) / f"the-file{suffix if suffix[1:] in SUFFIXES else ''}"
        try:
            yield path
        except WorkbenchError as error:
            error.message, error.hint = (
                said.replace(str(path), name).replace(path.name, name) for said in (error.message, error.hint)
            )
            raise
