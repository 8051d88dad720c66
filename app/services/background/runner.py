"""Runner of jobs: each in a thread with a heartbeat; and the worker, a process that only does jobs."""

import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

from app.domain.job import HEARTBEAT_SECONDS, Job, JobStatus
from app.domain.roles_and_rights import LOCAL_OWNER, NOBODY, Right
from app.errors import DatabaseError, JobLostError, WorkbenchError
from app.services.background.progress import Progress, as_given, kind_named
from app.services.runtime.backups import WriterLock, has_ended
from app.services.runtime.endpoint_models import fault_report
from app.services.runtime.workbench import Workbench, use_case

_ENDING = threading.Event()
_DOING: dict[str, tuple[Workbench, Job]] = {}
"""Writer -> the job that this process does under that name."""


def do_in_thread(workbench: Workbench, job: Job, lock: WriterLock, then: Callable[[], None] = lambda: None) -> None:
    """Do a job that was claimed under this lock's name, in a thread; the lock is released at the end."""
    _DOING[lock.name] = workbench, job
    threading.Thread(target=_do, args=(workbench, job, lock, then), name=f"job {job.key}", daemon=True).start()


def next_job(workbench: Workbench, lock: WriterLock) -> tuple[Workbench, Job] | None:
    """Claim the next job that waits or whose process ended, with the workbench of the person who started it; None for
    none."""
    with workbench.database.read() as work:
        gone = [writer for writer in work.jobs.writers() if has_ended(writer)]
        if not work.jobs.any_left(gone):
            return None
    with workbench.database.write() as work:
        job = work.jobs.claim_next(lock.name, gone)
        if job is None:
            return None
        person = work.people.find_actor(job.person) if job.person is not None else LOCAL_OWNER
    return replace(workbench, actor=person or NOBODY), job


def refuse_jobs() -> None:
    """Declare that this process is ending: unfinished jobs are left to other processes."""
    _ENDING.set()


def allow_jobs() -> None:
    """Undo `refuse_jobs` in a process that continues."""
    _ENDING.clear()


def is_ending(within: float = 0.0) -> bool:
    """Return whether this process is ending, waiting up to `within` seconds for that."""
    return _ENDING.wait(within)


def drain_jobs(seconds: float) -> None:
    """Wait up to this many seconds for running jobs, then give the unfinished ones back to other processes."""
    end = time.monotonic() + seconds
    while _DOING and time.monotonic() < end:
        time.sleep(0.05)
    for writer, (workbench, job) in list(_DOING.items()):
        if not job.bound:
            _give_back(workbench, job, writer)


def _do(workbench: Workbench, job: Job, lock: WriterLock, then: Callable[[], None]) -> None:
    over = threading.Event()
    threading.Thread(target=_beat, args=(workbench, lock.name, over), name=f"beat {job.key}", daemon=True).start()
    progress = Progress(workbench.database, job.id, lock.name)
    try:
        status, message = _outcome(workbench, job, progress)
        progress.keep()
        unfinished = status is JobStatus.FAILED or not progress.complete
        if is_ending() and unfinished and not job.bound:
            _give_back(workbench, job, lock.name)
        else:
            with workbench.database.write() as work:
                work.jobs.end(job.id, lock.name, status, message)
    except JobLostError:
        pass  # the process that has it now says how it ends
    except Exception as error:
        _log(error)
    finally:
        over.set()
        _DOING.pop(lock.name, None)
        lock.release()
        then()


def _outcome(workbench: Workbench, job: Job, progress: Progress) -> tuple[JobStatus, str]:
    try:
        kind = kind_named(job.kind)
        return JobStatus.DONE, kind.work(workbench, as_given(kind, job.params), progress) or ""
    except WorkbenchError as error:
        return JobStatus.FAILED, error.in_full
    except Exception as error:
        _log(error)
        return JobStatus.FAILED, "Something went wrong that should not have. See the log."


def _give_back(workbench: Workbench, job: Job, writer: str) -> None:
    try:
        with workbench.database.write() as work:
            work.jobs.give_back(job.id, writer)
    except JobLostError:
        pass


def _beat(workbench: Workbench, writer: str, over: threading.Event) -> None:
    while not over.wait(HEARTBEAT_SECONDS):
        try:
            with workbench.database.write() as work:
                work.jobs.beat(writer)
        except WorkbenchError:
            pass  # a database that is away for a moment; the next sign may arrive


def _log(error: Exception) -> None:
    print(fault_report(error), file=sys.stderr)  # noqa: T201 - to the server's log: the person can't act on it


POLL_SECONDS = 1.0


@use_case(Right.SERVE)
def work_on_jobs(workbench: Workbench, at_once: int, heard: Callable[[str], None]) -> None:
    """Do jobs, `at_once` at a time, until the process ends; `heard` gets a sentence when one begins."""
    own, free = WriterLock(), threading.Semaphore(at_once)
    own.acquire()
    seen = 0.0
    try:
        while not is_ending():
            try:
                if time.monotonic() - seen > HEARTBEAT_SECONDS:
                    with workbench.database.write() as work:
                        work.jobs.worker_seen(own.name)
                        work.job_files.delete_abandoned()
                    seen = time.monotonic()
                title = _begin_next(workbench, free)
            except DatabaseError as error:  # away for a moment: what goes on here goes on, and more can come
                title = ""
                heard(f"The database is away ({error.message}); trying again")
            if title:
                heard(f"Doing: {title}")
            else:
                is_ending(POLL_SECONDS)
    finally:
        with suppress(DatabaseError), workbench.database.write() as work:
            work.jobs.worker_ended(own.name)
        own.release()


def _begin_next(workbench: Workbench, free: threading.Semaphore) -> str:
    """Start the next job and return its title; "" if no thread is free or no job waits."""
    if not free.acquire(blocking=False):
        return ""
    lock, found = WriterLock(), None
    try:
        lock.acquire()
        found = next_job(workbench, lock)
    finally:
        if found is None:
            lock.release()
            free.release()
    if found is None:
        return ""
    do_in_thread(*found, lock, then=free.release)
    return found[1].title
