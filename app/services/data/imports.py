"""Texts and ratings from a file into a project: the good rows come in, the bad ones are listed."""

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
from app.domain.people import Right
from app.domain.project import Dimension, Project, Task
from app.errors import ConflictError, FileFormatError, InputError, WorkbenchError
from app.export.import_template import template_columns, template_csv, template_workbook
from app.providers.credentials import Credentials
from app.services.background.jobs import refuse_second_job, start_job, workers_there
from app.services.background.progress import (
    Progress,
    drop_handed,
    hand_over,
    is_used,
    job_kind,
    name_and_size,
    write_handed,
)
from app.services.data.projects import project_to_fill
from app.services.data.uploads import ImportPlan, Upload, stored, stored_as
from app.services.runtime.workbench import Workbench, use_case
from app.think_aloud import few_documents
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
    """What the project holds after the import, what was new, which rows or ratings stayed out and why, and what the
    columns of a table were read as. `file` is its name; `notes` are about the whole file."""

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
        """No two texts share a source: nothing can be correlated inside a source's group."""
        return self.texts > 1 and self.sources == self.texts

    @property
    def few_sources(self) -> bool:
        """So few sources, or such large ones, that samples keep only themselves out of scoring."""
        return few_documents(self.sources, self.texts)

    def to_json(self) -> dict[str, Any]:
        return asdict(self) | {"few_sources": self.few_sources}


REPORTS = TypeAdapter(ImportReport)


@dataclass(frozen=True, slots=True)
class SentFile:
    """A file that somebody uploaded: its name, and its number where it was handed over with a job."""

    name: str
    job_file: int | None = None


@use_case(Right.FACILITATE, project="project", act="brought texts in", about="format_name")
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
    """Read the file, then keep all of it or nothing. The project is created if it is new.

    What is already there is not added again. sheet: of a workbook, else its first. preset: whose wording and rubrics
    the texts get where the file's format has none. writer: what a new project calls those who wrote the texts, else
    what their column is called. references: what new texts are compared with instead of the file's references.
    part: which part of a conversation is judged (`as_wished`). definitions: the paper that says what new dimensions
    are, in place of the format or preset. Raises FileFormatError or NotFoundError for a file that can't be read.
    """
    corpus = open_worded(path, format_name, mapping, sheet, preset, writer, references, part, definitions)
    return replace(keep_corpus(workbench, corpus, project), file=path.name)


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
    """As `open_corpus`, with the preset's wording where the format has none, with this name of the writer, with these
    references and this part of conversations (`as_wished`), and with a paper's definitions of its dimensions."""
    corpus = as_wished(open_corpus(path, format_name, mapping, sheet), references, part)
    corpus = worded(corpus, preset) if preset and corpus.columns else corpus
    corpus = defined(corpus, definitions) if definitions else corpus
    return replace(corpus, task=replace(corpus.task, writer_name=writer.strip())) if writer.strip() else corpus


def worded(corpus: CorpusReader, preset: Preset) -> CorpusReader:
    """With the preset's wording, and its rubrics for those dimensions that are called as its own; case doesn't count.

    The scale stays the file's, and what it calls sources and writers.
    """
    rubrics = {dimension.name.casefold(): dimension.rubric for dimension in preset.dimensions}
    dimensions = tuple(replace(d, rubric=d.rubric or rubrics.get(d.name.casefold(), "")) for d in corpus.dimensions)
    own = corpus.task.source_name
    task = replace(
        preset.task,
        source_name=preset.task.source_name if own == Task().source_name else own,
        writer_name=corpus.task.writer_name,
    )
    return replace(corpus, task=task, dimensions=dimensions)


def defined(corpus: CorpusReader, paper: str) -> CorpusReader:
    """With the paper's definitions of the dimensions that it has; others stay. Raises InputError where it has none."""
    rubrics = paper_definitions(paper)
    dimensions = tuple(replace(d, rubric=rubrics.get(d.name.casefold(), d.rubric)) for d in corpus.dimensions)
    if not any(d.name.casefold() in rubrics for d in dimensions):
        names = ", ".join(d.name for d in dimensions) or "none"
        raise InputError(f"{paper} defines none of the file's dimensions: {names}.", f"It has: {', '.join(rubrics)}.")
    return replace(corpus, dimensions=dimensions)


def keep_corpus(
    workbench: Workbench, corpus: Corpus | CorpusReader, project: str, notice: str = "", sent: SentFile | None = None
) -> ImportReport:
    """Nobody sees a part of it, and others write while it is read in, block by block: no more than a block is held.

    sent: the file that somebody uploaded and is told about; its report is kept together with its texts. Raises
    ConflictError where another process was quicker with the same file.
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
            work.imports.take_turn()
            target = project_to_fill(work, workbench.actor, project, corpus.task, notice)
            _add_dimensions(work, target, corpus)
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
    """What was read in and is in its place now, or never will be."""
    left = True
    while left:
        with workbench.database.write() as work:
            left = work.imports.forget(import_id)
        time.sleep(PAUSE if left else 0)


def _blocks(texts: Iterable[CorpusText]) -> Iterator[list[TextOfFile]]:
    placed = (TextOfFile(position, item.row, item.text, item.ratings) for position, item in enumerate(texts))
    while block := list(islice(placed, BLOCK)):
        yield block


def _add_dimensions(work: UnitOfWork, project: Project, corpus: CorpusReader) -> None:
    there = {d.name for d in work.projects.dimensions(project.id)}
    for dimension in corpus.dimensions:
        if dimension.name not in there:
            work.projects.add_dimension(project.id, dimension)


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
"""Bytes: larger files are a worker's. Smaller ones come in at once, even where all workers are busy for hours."""
_READING = "reading the file and keeping its texts and ratings"

_uploads: dict[str, Upload] = {}


@dataclass(frozen=True, slots=True)
class ImportJob:
    """`upload` is the number under which this process has the file."""

    upload: str
    project: str
    plan: ImportPlan


@dataclass(frozen=True, slots=True)
class HandedImportJob:
    """`file` is the number under which the database has it."""

    file: int
    project: str
    plan: ImportPlan


def import_key(project: str) -> str:
    """The background job that imports into this project."""
    return f"import-{project}"


@use_case(Right.FACILITATE, project="project", act="brought texts in", about="project")
def start_import(workbench: Workbench, upload: Upload, project: str, plan: ImportPlan) -> bool:
    """Import in the background under `import_key`; the report is `last_report`.

    True where the file was handed over: nobody needs the bytes here any more. Raises ConflictError while one runs.
    """
    key, title = import_key(project), f"Importing {upload.name}"
    refuse_second_job(workbench, key)
    with workbench.database.write() as work:
        work.import_reports.forget(project)
    if len(upload.data) > LARGE_IMPORT and workers_there(workbench):
        _hand_over(workbench, upload, key, title, project, plan)
        return True
    job = ImportJob(uuid.uuid4().hex, project, plan)
    _uploads[job.upload] = upload
    try:
        start_job(workbench, key, title, job)
    except WorkbenchError:
        del _uploads[job.upload]
        raise
    return False


def _hand_over(workbench: Workbench, upload: Upload, key: str, title: str, project: str, plan: ImportPlan) -> None:
    without_keys = replace(workbench, credentials=Credentials())  # it asks no model: a typed key binds it to nobody
    file = hand_over(workbench, upload.name, upload.data)
    try:
        start_job(without_keys, key, title, HandedImportJob(file, project, plan), file)
    except WorkbenchError:
        drop_handed(workbench, file)
        raise


@job_kind(ImportJob, bound=True)
def _import(workbench: Workbench, job: ImportJob, progress: Progress) -> str:
    upload = _uploads.pop(job.upload)
    progress.report(_READING)
    with stored(upload) as path:
        _bring_in(workbench, path, job.project, job.plan, SentFile(upload.name))
    return ""


@job_kind(HandedImportJob)
def _import_handed(workbench: Workbench, job: HandedImportJob, progress: Progress) -> str:
    """Import a file whose earlier worker may have finished the last step, or may still be working."""
    if is_used(workbench, job.file):
        return ""
    progress.report(_READING)
    name, _ = name_and_size(workbench, job.file)
    try:
        with stored_as(name) as path:
            write_handed(workbench, job.file, path)
            _bring_in(workbench, path, job.project, job.plan, SentFile(name, job.file))
    except WorkbenchError:
        if not is_used(workbench, job.file):
            raise
    return ""


@use_case(Right.FACILITATE, project="project")
def _bring_in(workbench: Workbench, path: Path, project: str, plan: ImportPlan, sent: SentFile) -> None:
    """Import as the person in the audit log; check the right again, because it may have been taken away meanwhile."""
    mapping = plan.mapped.mapping() if plan.mapped else None
    preset = load_preset(plan.preset) if plan.preset else None
    corpus = open_worded(
        path, plan.format, mapping, plan.sheet, preset, plan.writer, plan.references, plan.part, plan.definitions
    )
    keep_corpus(workbench, corpus, project, sent=sent)


@use_case(Right.FACILITATE, project="project")
def last_report(workbench: Workbench, project: str) -> ImportReport | None:
    """What the last upload into this project brought, until it is put away or the next begins."""
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
    """With the project's dimensions. Raises FileFormatError for another format than TEMPLATE_FORMATS."""
    with workbench.database.read() as work:
        return _file(project.task, work.projects.dimensions(project.id), format_name)


def preset_template(preset: str, format_name: str) -> bytes:
    """With the preset's dimensions, of "" with one. Raises NotFoundError, FileFormatError."""
    start = load_preset(preset) if preset else None
    return _file(start.task, start.dimensions, format_name) if start else _file(Task(), (), format_name)


def _file(task: Task, dimensions: Sequence[Dimension], format_name: str) -> bytes:
    """The columns are called so that an import guesses them right: by the task's words where these are known there."""
    text = task.text_name if task.text_name in OUTPUT_NAMES else "text"
    source = task.source_name if task.source_name in FIELD_NAMES["source"] else "source"
    columns = template_columns(task, dimensions, text, source)
    if format_name not in TEMPLATE_FORMATS:
        raise FileFormatError(f"“{format_name}” is no format for a template.", f"Use {', '.join(TEMPLATE_FORMATS)}.")
    return template_workbook(columns) if format_name == "xlsx" else template_csv(columns)
