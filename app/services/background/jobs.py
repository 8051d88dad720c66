"""Jobs: started here, done by a worker or this process, watched and stopped from any screen.

Without workers, or with a key that only this session has, the process that starts a job does it in a thread; otherwise
the job waits for a worker. Its results and its progress are stored in the database as it goes.
"""

from dataclasses import replace
from datetime import UTC, datetime

from app.domain.job import HEARTBEAT_TIMEOUT, WORKER_TIMEOUT, Job, JobStatus, NewJob
from app.domain.roles_and_rights import Right
from app.errors import ConflictError
from app.providers.credentials import Credentials
from app.services.background.progress import as_kept, kind_of
from app.services.background.runner import do_in_thread, is_ending, next_job
from app.services.runtime.backups import WriterLock, has_ended
from app.services.runtime.workbench import Workbench, use_case
from app.settings import settings
from db.unit_of_work import UnitOfWork

CUT_OFF = "It was cut off when its server process ended. What it achieved is kept; start it again to go on."


def start_job(workbench: Workbench, key: str, title: str, params: object, file: int | None = None) -> None:
    """Start the work that `params` describe in the background; the caller has checked the right to it.

    file: a file handed over for the job, deleted with it. Raises ConflictError while a job with the same key runs or
    waits.
    """
    kind = kind_of(params)
    bound = kind.bound or workbench.credentials.typed or not workers_there(workbench)
    new = NewJob(key, kind.name, as_kept(params), title, workbench.actor.person, bound)
    lock = WriterLock() if bound else None
    if lock is not None:
        lock.acquire()
    try:
        with workbench.database.write() as work:
            _settle(work, key)
            job = work.jobs.add(new, lock.name if lock else "")
            if file is not None:
                work.job_files.assign_job(file, job.id)
    except BaseException:
        if lock is not None:
            lock.release()
        raise
    if lock is not None:
        do_in_thread(workbench, job, lock)


def refuse_second_job(workbench: Workbench, key: str) -> None:
    """Raise ConflictError while a job with this key runs or waits."""
    job = job_state(workbench, key)
    if job is not None and job.active:
        raise ConflictError(f"“{job.title}” is already running.", "Wait until it is done.")


@use_case(Right.ENTER)
def job_state(workbench: Workbench, key: str) -> Job | None:
    """Return the newest job with this key, running, waiting, or ended and not yet dismissed; None for no job."""
    with workbench.database.read() as work:
        job = work.jobs.newest(key)
    if job is not None and _is_cut_off(job):
        with workbench.database.write() as work:
            _settle(work, key)
            job = work.jobs.newest(key)
    return job


@use_case(Right.ENTER)
def is_active(workbench: Workbench, key: str) -> bool:
    """Return whether a job with this key runs or waits."""
    job = job_state(workbench, key)
    return job is not None and job.active


@use_case(Right.ENTER)
def forget_job(workbench: Workbench, job_id: int) -> None:
    """Dismiss an ended job, because somebody has been told how it ended."""
    with workbench.database.write() as work:
        work.jobs.note_seen(job_id)


def stop_job(workbench: Workbench, key: str) -> None:
    """Ask a job to stop; it ends as soon as its current step is stored."""
    with workbench.database.write() as work:
        work.jobs.request_stop(key)


@use_case(Right.ENTER)
def workers_there(workbench: Workbench) -> bool:
    """Return whether any worker is alive."""
    return bool(living_workers(workbench))


@use_case(Right.ENTER)
def adopt_job(workbench: Workbench) -> None:
    """Do a waiting job in this process if no worker is left."""
    if is_ending() or workers_there(workbench):
        return
    if workbench.credentials.typed:  # a key that somebody typed is for their own work alone
        workbench = replace(workbench, credentials=Credentials.from_settings(settings()))
    lock = WriterLock()
    lock.acquire()
    found = next_job(workbench, lock)
    if found is None:
        lock.release()
    else:
        do_in_thread(*found, lock)


def living_workers(workbench: Workbench) -> list[str]:
    """Return the names of the workers that are alive."""
    with workbench.database.read() as work:
        names = work.jobs.workers(WORKER_TIMEOUT)
    return [name for name in names if not has_ended(name)]


def _settle(work: UnitOfWork, key: str) -> None:
    """Mark a job as ended if no process can continue it."""
    job = work.jobs.newest(key)
    if job is not None and _is_cut_off(job):
        work.jobs.cut_off(job.id, CUT_OFF)


def _is_cut_off(job: Job) -> bool:
    if job.status is not JobStatus.RUNNING or not job.bound:
        return False
    silent = job.heartbeat_at is None or datetime.now(UTC) - job.heartbeat_at > HEARTBEAT_TIMEOUT
    return silent or has_ended(job.writer)
