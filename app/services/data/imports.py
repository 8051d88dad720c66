"""Import of texts and ratings from a file into a project: valid rows are stored, the others listed."""

import time
import uuid
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from app.corpora.corpus import ColumnUse, Corpus, CorpusReader, CorpusText, SkippedRow
from app.corpora.mapping import FIELD_NAMES, OUTPUT_NAMES, ColumnMapping
from app.corpora.presets import Preset, load_preset, paper_definitions
from app.corpora.reading import as_wished, open_corpus
from app.domain.project import Dimension, Project, Task
from app.domain.roles_and_rights import Right
from app.errors import ConflictError, FileFormatError, InputError, WorkbenchError
from app.export.import_template import template_columns, template_csv, template_workbook
from app.providers.credentials import Credentials
from app.services.background.jobs import refuse_second_job, start_job, workers_there
from app.services.background.progress import (
    Progress,
    delete_handed_file,
    is_used,
    job_kind,
    name_and_size,
    store_job_file,
    write_handed,
)
from app.services.data.projects import project_to_fill
from app.services.data.uploads import ImportPlan, Upload, stored, stored_as
from app.services.runtime.workbench import Workbench, use_case
from app.think_aloud.sample_choice import few_documents
from db.repositories.imports import TextOfFile
from db.unit_of_work import UnitOfWork

BLOCK = 1_000  # texts that are read in at once
PAUSE = 0.01  # seconds between blocks, so that others can write


@dataclass(frozen=True, slots=True)
class ImportedDimension:
    ratings: int
    raters: int
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class ImportReport:
    """The result of an import: what the project holds now, what was new, skipped rows and ratings with reasons, and
    what columns were read as. `file` is its name; `notes` are about the whole file."""

    project: str
    format: str
    texts: int
    sources: int
    systems: int
    ratings: int
    dimensions: dict[str, ImportedDimension]
    skipped: tuple[SkippedRow, ...]
    added_texts: int
    added_ratings: int
    columns: tuple[ColumnUse, ...] = ()
    file: str = ""
    notes: tuple[str, ...] = ()

    @property
    def ungrouped(self) -> bool:
        """Return whether no two texts share a source, so that correlations within sources are impossible."""
        return self.texts > 1 and self.sources == self.texts

    @property
    def few_sources(self) -> bool:
        """Return whether samples keep only themselves out of scoring, because sources are few or large."""
        return few_documents(self.sources, self.texts)

    def to_json(self) -> dict[str, Any]:
        return asdict(self) | {"few_sources": self.few_sources}


REPORTS = TypeAdapter(ImportReport)


@dataclass(frozen=True, slots=True)
class ReceivedFile:
    """An uploaded file: its name, and its id if it was handed over with a job."""

    name: str
    job_file: int | None = None


@use_case(Right.FACILITATE, project="project", act="imported texts", about="format_name")
def import_file(
    workbench: Workbench,
    path: Path,
    project: str,
    format_name: str = "auto",
    mapping: ColumnMapping | None = None,
    sheet: str = "",
    preset: Preset | None = None,
    writer: str = "",
    references: str = "",
    part: str = "",
    definitions: str = "",
) -> ImportReport:
    """Read the file and store all of it or nothing. A new project is created.

    Existing texts and ratings aren't added again. sheet: of a workbook, by default its first. preset: wording and
    rubrics for a format that has none. writer: a new project's name for writers of texts, by default their column's.
    references: replaces the file's references of new texts. part: which part of a conversation is judged (`as_wished`).
    definitions: a paper whose definitions new dimensions get. Raises FileFormatError or NotFoundError for an unreadable
    file.
    """
    corpus = open_worded(path, format_name, mapping, sheet, preset, writer, references, part, definitions)
    return replace(store_corpus(workbench, corpus, project), file=path.name)


def open_worded(
    path: Path,
    format_name: str,
    mapping: ColumnMapping | None,
    sheet: str,
    preset: Preset | None,
    writer: str = "",
    references: str = "",
    part: str = "",
    definitions: str = "",
) -> CorpusReader:
    """Open the file as `open_corpus` does, with the preset's wording if the format has none, the name of writers,
    references and part of conversations (`as_wished`), and a paper's definitions."""
    corpus = as_wished(open_corpus(path, format_name, mapping, sheet), references, part)
    corpus = worded(corpus, preset) if preset and corpus.columns else corpus
    corpus = defined(corpus, definitions) if definitions else corpus
    return replace(corpus, task=replace(corpus.task, writer_name=writer.strip())) if writer.strip() else corpus


def worded(corpus: CorpusReader, preset: Preset) -> CorpusReader:
    """Return the corpus with the preset's wording, and its rubrics for dimensions with the same names, ignoring case.

    The scale and the file's names for sources and writers stay.
    """
    rubrics = {dimension.name.casefold(): dimension.rubric for dimension in preset.dimensions}
    dimensions = tuple(replace(d, rubric=d.rubric or rubrics.get(d.name.casefold(), "")) for d in corpus.dimensions)
    found, usual = corpus.task, Task()
    task = replace(
        preset.task,
        source_name=preset.task.source_name if found.source_name == usual.source_name else found.source_name,
        writer_name=preset.task.writer_name if found.writer_name == usual.writer_name else found.writer_name,
    )
    return replace(corpus, task=task, dimensions=dimensions)


def defined(corpus: CorpusReader, paper: str) -> CorpusReader:
    """Return the corpus with the paper's definitions of its dimensions. Raises InputError if the paper defines none of
    them."""
    rubrics = paper_definitions(paper)
    dimensions = tuple(replace(d, rubric=rubrics.get(d.name.casefold(), d.rubric)) for d in corpus.dimensions)
    if not any(d.name.casefold() in rubrics for d in dimensions):
        names = ", ".join(d.name for d in dimensions) or "none"
        raise InputError(f"{paper} defines none of the file's dimensions: {names}.", f"It has: {', '.join(rubrics)}.")
    return replace(corpus, dimensions=dimensions)


def store_corpus(
    workbench: Workbench,
    corpus: Corpus | CorpusReader,
    project: str,
    notice: str = "",
    sent: ReceivedFile | None = None,
) -> ImportReport:
    """Store a corpus block by block, visible only once it is complete, so that memory holds one block and others can
    write meanwhile.

    sent: the uploaded file; its report is stored with its texts. Raises ConflictError if another process imported the
    same file meanwhile.
    """
    corpus = corpus.reader() if isinstance(corpus, Corpus) else corpus
    job_file = sent.job_file if sent else None
    with workbench.database.write() as work:
        abandoned = work.imports.abandoned(job_file)
        import_id = work.imports.begin(job_file)
    try:
        for block in _blocks(corpus.read()):
            with workbench.database.write() as work:
                work.imports.add(import_id, block)
            time.sleep(PAUSE)
        with workbench.database.write() as work:
            if job_file is not None and not work.job_files.use(job_file):
                raise ConflictError("Another process has brought this file in.", "There is nothing left to do.")
            work.imports.lock_imports()
            target = project_to_fill(work, workbench.actor, project, corpus.task, notice)
            there = {d.name for d in work.projects.dimensions(target.id)}
            for dimension in corpus.dimensions:
                if dimension.name not in there:
                    work.projects.add_dimension(target.id, dimension)
            kept = work.imports.keep(import_id, target.id)
            skipped = [*corpus.left_out(), *(SkippedRow(row, reason) for row, reason in kept.left_out)]
            report = _report(work, target, corpus.format, skipped, (kept.texts, kept.ratings))
            report = replace(report, columns=corpus.columns, notes=corpus.notes)
            if sent is not None:
                report = replace(report, file=sent.name)
                work.import_reports.keep(target.id, REPORTS.dump_python(report, mode="json"))
            return report
    finally:
        for done in (import_id, *abandoned):
            _forget(workbench, done)


def _forget(workbench: Workbench, import_id: int) -> None:
    """Delete the rows of an import that is complete or abandoned."""
    left = True
    while left:
        with workbench.database.write() as work:
            left = work.imports.forget(import_id)
        time.sleep(PAUSE if left else 0)


def _blocks(texts: Iterable[CorpusText]) -> Iterator[list[TextOfFile]]:
    placed = (TextOfFile(position, item.row, item.text, item.ratings) for position, item in enumerate(texts))
    while block := list(islice(placed, BLOCK)):
        yield block


def _report(
    work: UnitOfWork, project: Project, format_name: str, skipped: Sequence[SkippedRow], added: tuple[int, int]
) -> ImportReport:
    counts = work.texts.rating_counts(project.id)
    sources, systems = work.texts.distinct(project.id)
    dimensions = {
        d.name: ImportedDimension(*counts.get(d.name, (0, 0)), d.low, d.high)
        for d in work.projects.dimensions(project.id)
    }
    return ImportReport(
        project=project.name,
        format=format_name,
        texts=work.every_text.count(project.id),
        sources=sources,
        systems=systems,
        ratings=sum(d.ratings for d in dimensions.values()),
        dimensions=dimensions,
        skipped=tuple(sorted(skipped, key=lambda s: s.row)),
        added_texts=added[0],
        added_ratings=added[1],
    )


LARGE_IMPORT = 50 * 2**20
"""Bytes: larger files are imported by a worker; smaller ones at once, so that they don't wait for busy workers."""
_READING = "reading the file and keeping its texts and ratings"

_uploads: dict[str, Upload] = {}


@dataclass(frozen=True, slots=True)
class ImportJob:
    """The job that imports a file in this process. `upload` is its id there."""

    upload: str
    project: str
    plan: ImportPlan


@dataclass(frozen=True, slots=True)
class HandedImportJob:
    """The job that imports a file stored in the database with the id `file`."""

    file: int
    project: str
    plan: ImportPlan


def import_key(project: str) -> str:
    """Return the key of the job that imports into this project."""
    return f"import-{project}"


@use_case(Right.FACILITATE, project="project", act="imported texts", about="project")
def start_import(workbench: Workbench, upload: Upload, project: str, plan: ImportPlan) -> bool:
    """Import in the background under `import_key`; `last_report` returns the report.

    Returns True if the file was handed over, so that the caller can free the bytes. Raises ConflictError while an
    import runs.
    """
    key, title = import_key(project), f"Importing {upload.name}"
    refuse_second_job(workbench, key)
    with workbench.database.write() as work:
        work.import_reports.forget(project)
    if len(upload.data) > LARGE_IMPORT and workers_there(workbench):
        without_keys = replace(workbench, credentials=Credentials())  # it asks no model: a typed key binds it to nobody
        file = store_job_file(workbench, upload.name, upload.data)
        try:
            start_job(without_keys, key, title, HandedImportJob(file, project, plan), file)
        except WorkbenchError:
            delete_handed_file(workbench, file)
            raise
        return True
    job = ImportJob(uuid.uuid4().hex, project, plan)
    _uploads[job.upload] = upload
    try:
        start_job(workbench, key, title, job)
    except WorkbenchError:
        del _uploads[job.upload]
        raise
    return False


@job_kind(ImportJob, bound=True)
def _import(workbench: Workbench, job: ImportJob, progress: Progress) -> str:
    upload = _uploads.pop(job.upload)
    progress.report(_READING)
    with stored(upload) as path:
        _bring_in(workbench, path, job.project, job.plan, ReceivedFile(upload.name))
    return ""


@job_kind(HandedImportJob)
def _import_handed(workbench: Workbench, job: HandedImportJob, progress: Progress) -> str:
    """Import a handed-over file, unless an earlier worker finished it."""
    if is_used(workbench, job.file):
        return ""
    progress.report(_READING)
    name, _ = name_and_size(workbench, job.file)
    try:
        with stored_as(name) as path:
            write_handed(workbench, job.file, path)
            _bring_in(workbench, path, job.project, job.plan, ReceivedFile(name, job.file))
    except WorkbenchError:
        if not is_used(workbench, job.file):
            raise
    return ""


@use_case(Right.FACILITATE, project="project")
def _bring_in(workbench: Workbench, path: Path, project: str, plan: ImportPlan, sent: ReceivedFile) -> None:
    """Import as the person in the audit log; the right is checked again, because it may have been revoked meanwhile."""
    mapping = plan.mapped.mapping() if plan.mapped else None
    preset = load_preset(plan.preset) if plan.preset else None
    corpus = open_worded(
        path, plan.format, mapping, plan.sheet, preset, plan.writer, plan.references, plan.part, plan.definitions
    )
    store_corpus(workbench, corpus, project, sent=sent)


@use_case(Right.FACILITATE, project="project")
def last_report(workbench: Workbench, project: str) -> ImportReport | None:
    """Return the report of the last upload into this project, until it is dismissed or the next begins; None for
    none."""
    with workbench.database.read() as work:
        kept = work.import_reports.of(project)
    try:
        return REPORTS.validate_python(kept) if kept is not None else None
    except ValidationError:  # another version of the program wrote it
        return None


@use_case(Right.FACILITATE, project="project")
def forget_report(workbench: Workbench, project: str) -> None:
    with workbench.database.write() as work:
        work.import_reports.forget(project)


TEMPLATE_FORMATS = ("xlsx", "csv")


@use_case(Right.FACILITATE)
def project_template(workbench: Workbench, project: Project, format_name: str) -> bytes:
    """Return a template with the project's dimensions. Raises FileFormatError for a format not in TEMPLATE_FORMATS."""
    with workbench.database.read() as work:
        return _file(project.task, work.projects.dimensions(project.id), format_name)


def preset_template(preset: str, format_name: str) -> bytes:
    """Return a template with the preset's dimensions, for "" with one. Raises NotFoundError, FileFormatError."""
    start = load_preset(preset) if preset else None
    return _file(start.task, start.dimensions, format_name) if start else _file(Task(), (), format_name)


def _file(task: Task, dimensions: Sequence[Dimension], format_name: str) -> bytes:
    """Return the template, with column names that an import recognizes: the task's words if it knows them."""
    text = task.text_name if task.text_name in OUTPUT_NAMES else "text"
    source = task.source_name if task.source_name in FIELD_NAMES["source"] else "source"
    columns = template_columns(task, dimensions, text, source)
    if format_name not in TEMPLATE_FORMATS:
        raise FileFormatError(f"“{format_name}” is no format for a template.", f"Use {', '.join(TEMPLATE_FORMATS)}.")
    return template_workbook(columns) if format_name == "xlsx" else template_csv(columns)
