"""Worker: a process that does jobs, so that web processes only show how far they are."""

import threading
import time
from collections.abc import Callable

from app.domain.people.actor import Right
from app.services.background.doing import BEAT_SECONDS, do_in_thread, is_ending, next_job
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench
from app.services.runtime.writer_lock import WriterLock

POLL_SECONDS = 1.0


@use_case(Right.SERVE)
def work_on_jobs(workbench: Workbench, at_once: int, heard: Callable[[str], None]) -> None:
    """Take jobs until the process ends, so many at once; `heard` hears of each that begins."""
    own = WriterLock()
    own.acquire()
    free = threading.Semaphore(at_once)
    spare, seen = WriterLock(), 0.0
    try:
        while not is_ending():
            if time.monotonic() - seen > BEAT_SECONDS:
                with workbench.database.write() as work:
                    work.jobs.worker_seen(own.name)
                seen = time.monotonic()
            if not free.acquire(timeout=POLL_SECONDS):
                continue
            spare.acquire()
            found = next_job(workbench, spare)
            if found is None:
                free.release()
                is_ending(POLL_SECONDS)
                continue
            heard(found[1].title)
            do_in_thread(*found, spare, then=free.release)
            spare = WriterLock()
    finally:
        spare.release()
        with workbench.database.write() as work:
            work.jobs.worker_ended(own.name)
        own.release()
