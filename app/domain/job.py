"""Jobs: long work in the background, done by a worker or by the web process that started it; and heartbeats of
processes that work."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

HEARTBEAT_SECONDS = 5.0
"""Seconds between two heartbeats of a process that works on a job or a run."""
HEARTBEAT_TIMEOUT = timedelta(seconds=30)
"""A job or run whose process is silent for longer may be taken over by another process."""
WORKER_TIMEOUT = timedelta(seconds=20)
"""A worker that is silent for longer isn't listed as there any more."""


class JobStatus(StrEnum):
    """The status of a job. WAITING: for a worker, also after a worker gave it back unfinished."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class NewJob:
    """A job to start. `key` prevents two equal jobs from running at once. `kind` and `params` describe the work, so
    that any process can do it; `person` is the id of whom it is done for, None for the owner of this computer.

    bound: only the process that starts the job can do it, because only that process has what the work needs.
    """

    key: str
    kind: str
    params: Mapping[str, Any]
    title: str
    person: int | None = None
    bound: bool = False


@dataclass(frozen=True, slots=True)
class Job:
    """A stored job. `done` of `all` steps (0 of 0 while unknown); `message` says what is being done, or what went
    wrong.

    `complete` is False for work that ended normally before everything was done. `made` are the ids of what the job has
    made so far, in order. `writer` is the process that does it, "" while it waits.
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
