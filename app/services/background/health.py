"""Health of the server, for /healthz, and its traffic, for an administrator."""

import time
from collections.abc import Mapping
from dataclasses import dataclass

from app.domain.roles_and_rights import Right
from app.errors import DatabaseError
from app.services.background.jobs import living_workers
from app.services.runtime.workbench import Workbench, use_case


@dataclass(frozen=True, slots=True)
class Health:
    """The health of the server. `migration` is the database's newest, `workers` how many are alive, `seconds` how long
    a query took. `trouble`: why the database can't be written, "" if it can."""

    migration: str
    workers: int
    seconds: float
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class Traffic:
    """Counts over everything stored. `jobs`: status -> number; `calls`: error kind, "" for an answer -> number of model
    calls, with the tokens of all calls."""

    jobs: Mapping[str, int]
    calls: Mapping[str, int]
    input_tokens: int
    output_tokens: int


@use_case(Right.ARRIVE)
def health(workbench: Workbench) -> Health:
    """Return the server's health. Raises DatabaseError if the database can't be read."""
    began = time.perf_counter()
    migration = workbench.database.revision()
    seconds = time.perf_counter() - began
    workers, trouble = len(living_workers(workbench)), ""
    try:
        workbench.database.check_writable()
    except DatabaseError as error:
        trouble = error.message
    return Health(migration, workers, seconds, trouble)


@use_case(Right.ARRIVE)
def traffic(workbench: Workbench) -> Traffic:
    """Return the counts of jobs, calls and tokens. Raises DatabaseError."""
    with workbench.database.read() as work:
        totals = work.calls.by_ending()
        jobs = work.jobs.counts()
    return Traffic(
        jobs,
        {kind: count for kind, count, _, _ in totals},
        sum(given for _, _, given, _ in totals),
        sum(made for _, _, _, made in totals),
    )
