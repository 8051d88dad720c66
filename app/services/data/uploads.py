"""A file that a person uploaded: what is in it, and its import as work in the background.

The bytes are put under a name of our own in a folder of their own for as long as they are read; the name that the
file had on the person's machine only tells its kind.
"""

import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from weakref import WeakKeyDictionary

from app.corpora.guessing import guess
from app.corpora.mapping import FIELDS, ColumnMapping, RatingColumn, read_scale
from app.corpora.presets import load_preset
from app.corpora.reading import FORMATS, KNOWN_FORMATS, detect_format, read_corpus
from app.corpora.records import sheets_of
from app.corpora.scale import NumberColumn, number_columns
from app.corpora.table import load_table
from app.domain.people.actor import Right
from app.domain.storable_text import storable_value
from app.errors import WorkbenchError
from app.services.background.jobs import start_job
from app.services.background.kinds import job_kind
from app.services.background.progress import Progress
from app.services.data.feasibility import Feasibility, feasibility
from app.services.data.imports import ImportReport, import_file
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench
from db.unit_of_work import Database

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

# Reports are for the person who waits for them, so they last as long as the process; what came in is in the database.
_uploads: dict[str, "Upload"] = {}
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
    """What a file holds. Only a table of no known format has its first `rows` of `count`, a `guess` what its columns
    mean with `why`, and what its columns of `numbers` hold."""

    format: str
    columns: tuple[str, ...] = ()
    rows: tuple[Mapping[str, Any], ...] = ()
    count: int = 0
    guess: MappedColumns | None = None
    why: Mapping[str, str] = field(default_factory=dict)
    numbers: Mapping[str, NumberColumn] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        """The preset for such texts, going by what their column is called; "" where that says nothing."""
        column = self.guess.fields.get("text", "") if self.guess else ""
        return next((kind for word, kind in _KINDS.items() if word in column.casefold()), "")


@dataclass(frozen=True, slots=True)
class ImportPlan:
    """How an upload is to be read: its format, of a workbook the sheet, what the columns mean where no format fixes it,
    and for a new project the preset whose wording and rubrics it takes, "" for none."""

    format: str = "auto"
    sheet: str = ""
    mapped: MappedColumns | None = None
    preset: str = ""


@dataclass(frozen=True, slots=True)
class ImportJob:
    """`upload` is the number under which this process has the file."""

    upload: str
    project: str
    plan: ImportPlan


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
        table = load_table(path, found, sheet)
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
        return feasibility(read_corpus(path, plan.format, mapping, plan.sheet))


def import_key(project: str) -> str:
    """The background job that imports into this project."""
    return f"import-{project}"


@use_case(Right.FACILITATE, project="project", act="brought texts in")
def start_import(workbench: Workbench, upload: Upload, project: str, plan: ImportPlan) -> None:
    """Import in the background under `import_key`; the report is `last_report`. Raises ConflictError while one runs."""
    job = ImportJob(uuid.uuid4().hex, project, plan)
    _uploads[job.upload] = upload
    forget_report(workbench, project)
    try:
        start_job(workbench, import_key(project), f"Importing {upload.name}", job)
    except WorkbenchError:
        del _uploads[job.upload]
        raise


@job_kind(ImportJob, bound=True)
def _import(workbench: Workbench, job: ImportJob, progress: Progress) -> str:
    upload, plan = _uploads.pop(job.upload), job.plan
    mapping = plan.mapped.mapping() if plan.mapped else None
    start = load_preset(plan.preset) if plan.preset else None
    progress.report("reading the file and keeping its texts and ratings")
    with stored(upload) as path:
        report = import_file(workbench, path, job.project, plan.format, mapping, plan.sheet, start)
    _reports.setdefault(workbench.database, {})[job.project] = replace(report, file=upload.name)
    return ""


@use_case(Right.FACILITATE, project="project")
def last_report(workbench: Workbench, project: str) -> ImportReport | None:
    """What the last import into this project brought, since the server started."""
    return _reports.get(workbench.database, {}).get(project)


@use_case(Right.FACILITATE, project="project")
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
            error.message, error.hint = (
                said.replace(str(path), upload.name).replace(path.name, upload.name)
                for said in (error.message, error.hint)
            )
            raise
