"""State of a server: whether it is well, and how much goes on, in figures that name nobody and nothing."""

import time
from collections.abc import Mapping
from dataclasses import dataclass

from app.domain.people.actor import Right
from app.errors import DatabaseError
from app.services.background.jobs import living_workers
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench


@dataclass(frozen=True, slots=True)
class Health:
    """`migration` is the newest of the database, `workers` how many are there, `seconds` what asking it took.
    `trouble`: why nothing can be written, "" where it can."""

    migration: str
    workers: int
    seconds: float
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class Traffic:
    """`jobs` by status; `calls` of models by how they ended ("" for an answer), and the tokens of all of them."""

    jobs: Mapping[str, int]
    calls: Mapping[str, int]
    input_tokens: int
    output_tokens: int


@use_case(Right.ARRIVE)
def health(workbench: Workbench) -> Health:
    """Raises DatabaseError where the database can't be read."""
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
    """Of all that is kept. Raises DatabaseError."""
    with workbench.database.read() as work:
        totals = work.calls.by_ending()
        jobs = work.jobs.counts()
    return Traffic(
        jobs,
        {kind: count for kind, count, _, _ in totals},
        sum(given for _, _, given, _ in totals),
        sum(made for _, _, _, made in totals),
    )
