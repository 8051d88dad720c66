"""Progress of a job, as its work reports it: kept for every screen that watches, in whatever process."""

import time
from typing import Any, Protocol

from app.errors import DatabaseError, JobLostError
from db.unit_of_work import Database

KEEP_SECONDS = 0.5
"""Work may report for each text; the database hears of it so often."""
LOOK_SECONDS = 1.0


class Stop(Protocol):
    """Whether the work should end; a `threading.Event` is one."""

    def is_set(self) -> bool: ...

    def set(self) -> None: ...


class Progress:
    """Given to the work of a job. It never raises: who has lost the job learns it as a stop."""

    def __init__(self, database: Database, job_id: int, writer: str) -> None:
        self._database, self._job, self._writer = database, job_id, writer
        self._changes: dict[str, Any] = {}
        self._made: list[int] = []
        self._kept = self._looked = 0.0
        self._stop = self._wished = False
        self.complete = True

    def report(self, message: str, done: int = 0, all_: int = 0) -> None:
        self._changes |= {"message": message, "done": done, "all": all_}
        if time.monotonic() - self._kept > KEEP_SECONDS:
            self.keep()

    def made(self, number: int) -> None:
        """One more thing is there, and whole."""
        self._made.append(number)
        self._changes["made"] = list(self._made)
        self.keep()

    def fell_short(self) -> None:
        """Something was left undone: what the work says in the end is no success."""
        self.complete = self._changes["complete"] = False

    def is_set(self) -> bool:
        """Whether somebody asked for a stop, or this process has the job no more."""
        if not self._stop and time.monotonic() - self._looked > LOOK_SECONDS:
            self.keep()
        return self._stop

    def set(self) -> None:
        self._stop = True

    @property
    def wished(self) -> bool:
        """Whether it is a person who asked for the stop."""
        return self.is_set() and self._wished

    def keep(self) -> None:
        """Write down what was reported, and see whether a stop was asked for."""
        changes, self._changes = self._changes, {}
        self._kept = self._looked = time.monotonic()
        try:
            with self._database.write() as work:
                self._wished = work.jobs.report(self._job, self._writer, **changes) or self._wished
                self._stop = self._wished or self._stop
        except JobLostError:
            self._stop = True
        except DatabaseError:
            self._changes = changes | self._changes  # how far it is matters less than that it goes on
