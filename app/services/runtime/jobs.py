"""Long work in the background of this process, so that no screen waits and a closed tab stops nothing.

A job is only the moving part: what it achieves is in the database as it goes. After a restart the jobs are gone and
the database says how far they came.
"""

import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum

from app.errors import ConflictError, WorkbenchError
from app.services.runtime.fault_report import fault_report


class JobStatus(StrEnum):
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class JobState:
    """`done` of `all` steps (0 of 0 while unknown); `message` says what is being done, or what went wrong.

    `complete` is False for work that ended as it should but before everything was done. `made` are the numbers of
    what it has brought about so far, in its order.
    """

    key: str
    title: str
    status: JobStatus = JobStatus.RUNNING
    done: int = 0
    all: int = 0
    message: str = ""
    started: float = 0.0
    complete: bool = True
    made: tuple[int, ...] = ()


class Progress:
    """Given to the work of a job; what it reports shows on every screen that watches."""

    def __init__(self, jobs: "Jobs", key: str) -> None:
        self._jobs = jobs
        self._key = key

    def report(self, message: str, done: int = 0, all_: int = 0) -> None:
        self._jobs.update(self._key, message=message, done=done, all=all_)

    def made(self, number: int) -> None:
        """One more thing is there, and whole."""
        state = self._jobs.state(self._key)
        self._jobs.update(self._key, made=(*(state.made if state else ()), number))

    def fell_short(self) -> None:
        """Something was left undone: what the work says in the end is no success."""
        self._jobs.update(self._key, complete=False)


class Jobs:
    """The jobs of this process, by key: a second start under the same key is refused while the first runs."""

    def __init__(self) -> None:
        self._states: dict[str, JobState] = {}
        self._lock = threading.Lock()

    def start(self, key: str, title: str, work: Callable[[Progress], str | None]) -> None:
        """Run `work` in a thread; the text it returns is the job's last message."""
        with self._lock:
            current = self._states.get(key)
            if current is not None and current.status is JobStatus.RUNNING:
                raise ConflictError(f"“{current.title}” is already running.", "Wait until it is done.")
            self._states[key] = JobState(key, title, started=time.time())
        threading.Thread(target=self._run, args=(key, work), name=f"job {key}", daemon=True).start()

    def state(self, key: str) -> JobState | None:
        return self._states.get(key)

    def forget(self, key: str) -> None:
        """Drop a finished job once its end was seen."""
        with self._lock:
            state = self._states.get(key)
            if state is not None and state.status is not JobStatus.RUNNING:
                del self._states[key]

    def update(self, key: str, **changes: object) -> None:
        with self._lock:
            self._states[key] = replace(self._states[key], **changes)  # type: ignore[arg-type]

    def _run(self, key: str, work: Callable[[Progress], str | None]) -> None:
        try:
            message = work(Progress(self, key))
        except WorkbenchError as error:
            self.update(key, status=JobStatus.FAILED, message=str(error))
        except Exception as error:
            print(fault_report(error), file=sys.stderr)  # noqa: T201 - to the server's log: the person can't act on it
            self.update(key, status=JobStatus.FAILED, message="Something went wrong that should not have. See the log.")
        else:
            self.update(key, status=JobStatus.DONE, message=message or "")


JOBS = Jobs()
