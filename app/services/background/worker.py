"""Worker: a process that does jobs, so that web processes only show how far they are."""

import threading
import time
from collections.abc import Callable
from contextlib import suppress

from app.domain.people import Right
from app.errors import DatabaseError
from app.services.background.runner import BEAT_SECONDS, do_in_thread, is_ending, next_job
from app.services.runtime.backups import WriterLock
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench

POLL_SECONDS = 1.0


@use_case(Right.SERVE)
def work_on_jobs(workbench: Workbench, at_once: int, heard: Callable[[str], None]) -> None:
    """Take jobs until the process ends, so many at once; `heard` hears a sentence of each that begins."""
    own, free = WriterLock(), threading.Semaphore(at_once)
    own.acquire()
    seen = 0.0
    try:
        while not is_ending():
            try:
                if time.monotonic() - seen > BEAT_SECONDS:
                    with workbench.database.write() as work:
                        work.jobs.worker_seen(own.name)
                        work.job_files.drop_forsaken()
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
    """The title of the job that was begun; "" where all hands are full or nothing is to do."""
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
