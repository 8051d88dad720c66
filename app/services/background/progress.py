"""Kinds of background jobs, their progress, and files handed over for them."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

from pydantic import TypeAdapter, ValidationError

from app.errors import ConflictError, DatabaseError, JobLostError
from app.services.runtime.workbench import Workbench
from db.unit_of_work import Database

KEEP_SECONDS = 0.5
"""Seconds between two writes of progress to the database, however often the work reports."""
LOOK_SECONDS = 1.0


class Stop(Protocol):
    """Tells whether the work should end; a `threading.Event` fits."""

    def is_set(self) -> bool: ...

    def set(self) -> None: ...


class Progress:
    """Reports the progress of a job to the database. It never raises: if another process took over the job, it signals
    a stop."""

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
        """Report the id of a finished result."""
        self._made.append(number)
        self._changes["made"] = list(self._made)
        self.keep()

    def mark_incomplete(self) -> None:
        """Record that something was left undone, so that the end isn't shown as a success."""
        self.complete = self._changes["complete"] = False

    def is_set(self) -> bool:
        """Return whether somebody asked for a stop, or this process lost the job."""
        if not self._stop and time.monotonic() - self._looked > LOOK_SECONDS:
            self.keep()
        return self._stop

    def set(self) -> None:
        self._stop = True

    @property
    def wished(self) -> bool:
        """Return whether a person asked for the stop."""
        return self.is_set() and self._wished

    def keep(self) -> None:
        """Store what was reported, and check whether a stop was requested."""
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


P = TypeVar("P")
Work = Callable[[Workbench, P, Progress], str | None]


@dataclass(frozen=True, slots=True)
class JobKind:
    """A kind of job. `work` does the job and returns its last message. bound: only the process that starts it can do
    it."""

    name: str
    params: type
    work: Work[Any]
    bound: bool


_KINDS: dict[str, JobKind] = {}


def job_kind(params: type[P], *, bound: bool = False) -> Callable[[Work[P]], Work[P]]:
    """Register the decorated function as the work of the jobs described by this dataclass, whose name is the kind's
    name."""

    def register(work: Work[P]) -> Work[P]:
        _KINDS[params.__name__] = JobKind(params.__name__, params, work, bound)
        return work

    return register


def kind_of(params: object) -> JobKind:
    return _KINDS[type(params).__name__]


def kind_named(name: str) -> JobKind:
    """Return the kind with this name. Raises DatabaseError for a kind that this version doesn't have."""
    try:
        return _KINDS[name]
    except KeyError:
        raise DatabaseError(f"This version can't do a job of the kind “{name}”.", "Begin it again.") from None


def as_kept(params: object) -> dict[str, Any]:
    kept: dict[str, Any] = TypeAdapter(type(params)).dump_python(params, mode="json")
    return kept


def as_given(kind: JobKind, kept: Mapping[str, Any]) -> Any:
    """Return a job's stored parameters as an instance of its dataclass. Raises DatabaseError if another version stored
    them differently."""
    try:
        return TypeAdapter(kind.params).validate_python(kept)
    except ValidationError as error:
        raise DatabaseError("Another version of the program began this job.", "Begin it again.") from error


BLOCK_BYTES = 4 * 2**20


def store_job_file(workbench: Workbench, name: str, data: bytes) -> int:
    """Store a file for a job and return its id for `start_job`. The caller deletes it if no job is started. name: the
    file's name."""
    whole = memoryview(data)
    with workbench.database.write() as work:
        work.job_files.delete_abandoned()
        file = work.job_files.begin(name, len(data))
    try:
        for position, start in enumerate(range(0, len(data), BLOCK_BYTES)):
            block = bytes(whole[start : start + BLOCK_BYTES])
            with workbench.database.write() as work:
                work.job_files.add(file, position, block)
    except BaseException:
        delete_handed_file(workbench, file)
        raise
    return file


def delete_handed_file(workbench: Workbench, file: int) -> None:
    with workbench.database.write() as work:
        work.job_files.drop(file)


def is_used(workbench: Workbench, file: int) -> bool:
    """Return whether the job's results from this file are stored, so that a repeated job has nothing to do."""
    with workbench.database.read() as work:
        found = work.job_files.find(file)
    return found is not None and found.used


def write_handed(workbench: Workbench, file: int, path: Path) -> None:
    """Write a handed-over file to this path. Raises ConflictError if it was deleted meanwhile."""
    position = 0
    with path.open("wb") as target:
        while block := _block(workbench, file, position):
            target.write(block)
            position += 1
    if path.stat().st_size != name_and_size(workbench, file)[1]:
        raise ConflictError("The file that was handed over is no longer whole.", "Choose the file again.")


def name_and_size(workbench: Workbench, file: int) -> tuple[str, int]:
    """Return a handed-over file's name and size in bytes. Raises ConflictError if it is gone."""
    with workbench.database.read() as work:
        found = work.job_files.find(file)
    if found is None:
        raise ConflictError("The file that was handed over is gone.", "Choose the file again.")
    return found.name, found.size


def _block(workbench: Workbench, file: int, position: int) -> bytes | None:
    with workbench.database.read() as work:
        return work.job_files.block(file, position)
