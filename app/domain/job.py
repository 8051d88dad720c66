"""Jobs: long work that goes on while people look elsewhere, in a worker or in the web process it was begun in."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any


class JobStatus(StrEnum):
    """WAITING is for a worker; one that ended unfinished and went back waits too."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class NewJob:
    """`key` keeps two of the same from running at once. `kind` and `params` say what is done, so that any process can
    do it; `person` on whose behalf, None for the owner of this computer.

    bound: only the process that it is begun in can do it, because only that one has what it takes.
    """

    key: str
    kind: str
    params: Mapping[str, Any]
    title: str
    person: int | None = None
    bound: bool = False


@dataclass(frozen=True, slots=True)
class Job:
    """`done` of `all` steps (0 of 0 while unknown); `message` says what is being done, or what went wrong.

    `complete` is False for work that ended as it should but before everything was done. `made` are the numbers of
    what it has brought about so far, in its order. `writer`: the process that does it, "" while it waits.
    """

    id: int
    key: str
    kind: str
    params: Mapping[str, Any]
    title: str
    person: int | None
    bound: bool
    status: JobStatus
    done: int = 0
    all: int = 0
    message: str = ""
    complete: bool = True
    made: tuple[int, ...] = ()
    stop_requested: bool = False
    writer: str = ""
    begun_at: datetime | None = None
    heartbeat_at: datetime | None = field(default=None, compare=False)

    @property
    def active(self) -> bool:
        return self.status in (JobStatus.WAITING, JobStatus.RUNNING)
