"""A file that a person uploaded: what is in it, and its import as work in the background.

The bytes are put under a name of our own in a folder of their own for as long as they are read; the name that the
file had on the person's machine only tells its kind.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from weakref import WeakKeyDictionary

from app.corpora.mapping import FIELDS, ColumnMapping, RatingColumn, guess_mapping, read_scale
from app.corpora.reading import FORMATS, KNOWN_FORMATS, detect_format
from app.corpora.scale import proposed_scales
from app.corpora.table import load_table
from app.domain.storable_text import storable_value
from app.errors import WorkbenchError
from app.services.data.imports import ImportReport, import_file
from app.services.runtime.jobs import JOBS, Progress
from app.services.runtime.workbench import Workbench
from db.unit_of_work import Database

UPLOAD_FORMATS = FORMATS
TEXT_FIELDS = FIELDS
SUFFIXES = ("csv", "tsv", "json", "jsonl", "ndjson", "parquet")
_ROWS_SHOWN = 8

# Reports are for the person who waits for them, so they last as long as the process; what came in is in the database.
_reports: WeakKeyDictionary[Database, dict[str, ImportReport]] = WeakKeyDictionary()


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
    """What a file holds. Only a table of no known format has its first `rows`, a `guess` what its columns mean,
    and for each column of numbers the scale that almost all of them fit."""

    format: str
    columns: tuple[str, ...] = ()
    rows: tuple[Mapping[str, Any], ...] = ()
    guess: MappedColumns | None = None
    proposed: Mapping[str, tuple[float, float]] = field(default_factory=dict)


def preview_upload(upload: Upload, format_name: str = "auto") -> UploadPreview:
    """Raises FileFormatError where the file can't be read as this format."""
    with stored(upload) as path:
        found = detect_format(path) if format_name == "auto" else format_name
        if found in KNOWN_FORMATS:
            return UploadPreview(found)
        table = load_table(path, found)
        guessed = guess_mapping(table.columns, table.rows)
        guess = MappedColumns(guessed.columns, tuple((rating.dimension, rating.column) for rating in guessed.ratings))
        # They are shown as they will be kept: the import itself makes what it keeps storable.
        rows = tuple(storable_value(row) for row in table.rows[:_ROWS_SHOWN])
        return UploadPreview(found, table.columns, rows, guess, proposed_scales(table))


def import_key(project: str) -> str:
    """The background job that imports into this project."""
    return f"import-{project}"


def start_import(
    workbench: Workbench, upload: Upload, project: str, format_name: str, mapped: MappedColumns | None
) -> None:
    """Import in the background under `import_key`; the report is `last_report`. Raises ConflictError while one runs."""

    mapping = mapped.mapping() if mapped else None

    def work(progress: Progress) -> str:
        progress.report("reading the file and keeping its texts and ratings")
        with stored(upload) as path:
            report = import_file(workbench, path, project, format_name, mapping)
        _reports.setdefault(workbench.database, {})[project] = report
        return ""

    forget_report(workbench, project)
    JOBS.start(import_key(project), f"Importing {upload.name}", work)


def last_report(workbench: Workbench, project: str) -> ImportReport | None:
    """What the last import into this project brought, since the server started."""
    return _reports.get(workbench.database, {}).get(project)


def forget_report(workbench: Workbench, project: str) -> None:
    _reports.get(workbench.database, {}).pop(project, None)


@contextmanager
def stored(upload: Upload) -> Iterator[Path]:
    """The file under a name of our own, for as long as the block lasts; errors name it as the person does."""
    suffix = Path(upload.name).suffix.lower()
    with TemporaryDirectory(prefix="interacteval-") as folder:
        path = Path(folder) / f"the-file{suffix if suffix[1:] in SUFFIXES else ''}"
        path.write_bytes(upload.data)
        try:
            yield path
        except WorkbenchError as error:
            error.message, error.hint = (said.replace(path.name, upload.name) for said in (error.message, error.hint))
            raise
