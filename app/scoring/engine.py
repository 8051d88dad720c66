"""The engine of a scoring run: so many texts at a time, results kept in small batches as they arrive.

A fixed number of workers takes planned scores from one iterator, so no more than `concurrency` texts are ever in
flight and memory doesn't grow with the run. A second task writes what has arrived every `BATCH_SECONDS`, and asks
whether to stop: a stop is heard within that time, cancels what is in flight and keeps what has arrived.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field

from app.domain.run import Outcome, PlannedScore
from app.errors import (
    BudgetError,
    MissingKeyError,
    ProviderError,
    QuotaError,
    UnknownModelError,
    UnsupportedError,
    WrongKeyError,
)
from app.scoring.sink import Sink

BATCH_SECONDS = 0.4
# After one of these every further text would fail in the same way: the run ends and can be resumed.
FATAL = (MissingKeyError, WrongKeyError, UnknownModelError, UnsupportedError, QuotaError, BudgetError)

ScoreOne = Callable[[PlannedScore], Awaitable[Outcome]]


@dataclass(frozen=True, slots=True)
class EngineReport:
    """How it ended: `fatal` is the error after which going on made no sense, None otherwise."""

    done: int
    failed: int
    stopped: bool
    fatal: ProviderError | None = None


@dataclass(slots=True)
class _Progress:
    arrived: list[Outcome] = field(default_factory=list)
    done: int = 0
    failed: int = 0
    fatal: ProviderError | None = None


async def run(planned: Sequence[PlannedScore], score_one: ScoreOne, sink: Sink, concurrency: int = 32) -> EngineReport:
    """Score everything planned. `score_one` raises ProviderError where a text can't be scored.

    Any other exception is a bug: it ends the run, after what has arrived was kept.
    """
    progress = _Progress()
    queue = iter(planned)
    workers = [
        asyncio.create_task(_work(queue, score_one, progress)) for _ in range(max(1, min(concurrency, len(planned))))
    ]
    try:
        stopped = await _watch(workers, progress, sink)
    finally:
        for worker in workers:
            worker.cancel()
        results = await asyncio.gather(*workers, return_exceptions=True)
        await asyncio.to_thread(_flush, progress, sink)
    for result in results:
        if isinstance(result, Exception):
            raise result
    return EngineReport(progress.done, progress.failed, stopped, progress.fatal)


async def _work(queue: Iterator[PlannedScore], score_one: ScoreOne, progress: _Progress) -> None:
    for planned in queue:
        try:
            outcome = await score_one(planned)
        except FATAL as error:
            progress.fatal = progress.fatal or error
            return
        except ProviderError as error:
            outcome = Outcome(planned, error_kind=error.kind, error=str(error))
        progress.arrived.append(outcome)
        # A model that never waits (rules) would otherwise keep the loop from writing and from hearing a stop.
        await asyncio.sleep(0)


async def _watch(workers: list[asyncio.Task[None]], progress: _Progress, sink: Sink) -> bool:
    """Write and listen until the workers are done, one of them broke, or somebody asks to stop."""
    pending: set[asyncio.Task[None]] = set(workers)
    while pending:
        finished, pending = await asyncio.wait(pending, timeout=BATCH_SECONDS)
        await asyncio.to_thread(_flush, progress, sink)
        if progress.fatal or any(task.exception() for task in finished):
            return False
        stop: bool = await asyncio.to_thread(sink.beat)
        if pending and stop:
            return True
    return False


def _flush(progress: _Progress, sink: Sink) -> None:
    batch, progress.arrived = progress.arrived, []
    if batch:
        sink.save(batch)
        failed = sum(1 for outcome in batch if outcome.error_kind)
        progress.failed += failed
        progress.done += len(batch) - failed
