"""Import of an uploaded file as work in the background, and what it brought.

A large file is handed over in the database where a worker is there: the web process is rid of it, and whatever ends the
worker, another brings the file in, once. Other files are brought in by the process that has them.
"""

import uuid
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import ValidationError

from app.corpora.presets import load_preset
from app.domain.people.actor import Right
from app.errors import WorkbenchError
from app.providers.credentials import Credentials
from app.services.background.job_files import drop_handed, hand_over, is_used, name_and_size, write_handed
from app.services.background.jobs import refuse_second_job, start_job, workers_there
from app.services.background.kinds import job_kind
from app.services.background.progress import Progress
from app.services.data.imports import REPORTS, ImportReport, SentFile, keep_corpus, open_worded
from app.services.data.uploads import ImportPlan, Upload, stored, stored_as
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench

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
    """Whoever had it before may have ended after the last step, or still be at it."""
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
    """Whoever began the import is in the trail; the right is asked again, for it may be gone meanwhile."""
    mapping = plan.mapped.mapping() if plan.mapped else None
    preset = load_preset(plan.preset) if plan.preset else None
    keep_corpus(workbench, open_worded(path, plan.format, mapping, plan.sheet, preset, plan.writer), project, sent=sent)


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
