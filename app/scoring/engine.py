"""The engine of a scoring run: a number of texts at a time; a worker's result is saved while it scores its next text.

A fixed number of workers takes planned scores from one feed, so at most `concurrency` texts are in flight and memory
doesn't grow with the run. Scores are saved by group commit; the paid replies they come from are saved before them
(app.providers.recorded), so a killed run loses only the requests in flight. A watcher asks every `LISTEN_SECONDS`
whether to stop.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar, runtime_checkable

from app.domain.checklist_score import Evaluation
from app.domain.run import Outcome, PlannedScore
from app.errors import (
    BudgetError,
    ConnectionLostError,
    EffortError,
    MissingAddressError,
    MissingKeyError,
    NoLogprobsError,
    ProviderError,
    QuotaError,
    StoppedError,
    TierError,
    UnknownModelError,
    WorkbenchError,
    WrongAddressError,
    WrongKeyError,
)
from app.limits import CONCURRENCY

Item = TypeVar("Item")
LARGEST_BATCH = 500


class GroupCommit(Generic[Item]):
    """Saves items in batches. The caller of `put` waits until its item is saved; items that arrive meanwhile form the
    next batch.

    So nothing acknowledged can be lost, and all who wait share the cost of a transaction. `save` runs in a worker
    thread, one call at a time.

    linger: seconds that a batch waits for more items before it is saved. It is saved at once when it has `batch_size`
    items, or after `flush_at_once`.
    """

    def __init__(
        self, save: Callable[[Sequence[Item]], None], linger: float = 0.0, batch_size: int = LARGEST_BATCH
    ) -> None:
        self._save = save
        self._linger = linger
        self._batch_size = batch_size
        self._full = asyncio.Event()
        self._at_once = linger <= 0
        self._waiting: list[tuple[Item, asyncio.Future[None]]] = []
        self._writer: asyncio.Task[None] | None = None

    async def put(self, item: Item) -> None:
        """Save the item; return once it is saved, or raise what `save` raised. It is saved even if the caller is
        cancelled."""
        saved: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((item, saved))
        if len(self._waiting) >= self._batch_size:
            self._full.set()
        if self._writer is None or self._writer.done():
            self._writer = asyncio.create_task(self._write())
        await asyncio.shield(saved)

    def flush_at_once(self) -> None:
        """Save every batch at once from now on."""
        self._at_once = True
        self._full.set()

    async def close(self) -> None:
        """Wait until everything put so far is saved or has failed."""
        self.flush_at_once()
        if self._writer is not None:
            await self._writer

    async def _write(self) -> None:
        while self._waiting:
            if not self._at_once and len(self._waiting) < self._batch_size:
                self._full.clear()
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._full.wait(), self._linger)
            batch, self._waiting = self._waiting[:LARGEST_BATCH], self._waiting[LARGEST_BATCH:]
            try:
                await asyncio.to_thread(self._save, [item for item, _ in batch])
            except Exception as error:  # handed to those who wait for it
                for _, saved in batch:
                    _settle(saved, error)
            else:
                for _, saved in batch:
                    _settle(saved, None)


def _settle(saved: asyncio.Future[None], error: Exception | None) -> None:
    if saved.done():
        return
    if error is None:
        saved.set_result(None)
    else:
        saved.set_exception(error)
        saved.exception()  # the caller may be gone: no warning then


@runtime_checkable
class Feed(Protocol):
    """A source of planned scores for many workers of one event loop."""

    async def take(self) -> PlannedScore | None:
        """Return the next score to compute; wait while more may come. None at the end or after `close`."""
        ...

    def close(self) -> None:
        """End the feed, and wake the workers that wait."""
        ...


class PlannedFeed:
    """A feed of scores known from the start, in their order."""

    def __init__(self, planned: Sequence[PlannedScore]) -> None:
        self._left: Iterator[PlannedScore] = iter(planned)

    async def take(self) -> PlannedScore | None:
        return next(self._left, None)

    def close(self) -> None:
        self._left = iter(())


class Sink(Protocol):
    """Where outcomes are saved. Called from one thread at a time, never from the event loop."""

    def save(self, outcomes: Sequence[Outcome]) -> None:
        """Save these durably before returning."""
        ...

    def beat(self) -> bool:
        """Send a heartbeat of the run; return True to stop it."""
        ...


LISTEN_SECONDS = 0.4
# How long a run that was asked to stop waits for what is under way, which is paid.
DRAIN_SECONDS = 60.0
# About what one request costs us in computing. Workers that all begin at once get their answers at once, over and over,
# and wait for each other's; begun so far apart they hardly ever meet (400 texts, 32 at a time: 2.9 s instead of 3.1 s).
STAGGER_SECONDS = 0.003
# An outcome waits so long for others: each transaction of outcomes delays the intents, and a request is sent only after
# its intent is saved. A kill during the wait loses no reply: replies are saved before outcomes are.
LINGER_SECONDS = 0.05
# After one of these every further text would fail in the same way: the run ends and can be resumed.
FATAL = (
    MissingKeyError,
    MissingAddressError,
    WrongAddressError,
    WrongKeyError,
    UnknownModelError,
    EffortError,
    TierError,
    QuotaError,
    BudgetError,
    NoLogprobsError,
    ConnectionLostError,
)

ScoreOne = Callable[[PlannedScore], Awaitable[Evaluation]]


@dataclass(frozen=True, slots=True)
class EngineReport:
    """How the run ended: `fatal` is the error that ended it early, else None."""

    done: int
    failed: int
    stopped: bool
    fatal: ProviderError | None = None


async def run(
    planned: Sequence[PlannedScore] | Feed,
    score_one: ScoreOne,
    sink: Sink,
    concurrency: int = CONCURRENCY,
    ask_nothing_more: Callable[[], None] = lambda: None,
) -> EngineReport:
    """Score everything planned. `score_one` raises ProviderError for a text that can't be scored.

    ask_nothing_more: called when the run is to end early; from then on `score_one` raises StoppedError instead of
    asking the model. Requests in flight are waited for up to `DRAIN_SECONDS`.

    Any other exception, the sink's included, ends the run and is raised after the scores received so far are saved.
    """
    if isinstance(planned, Feed):
        return await _Run(planned, score_one, sink, ask_nothing_more, max(1, concurrency)).to_its_end()
    feed, at_once = PlannedFeed(planned), max(1, min(concurrency, len(planned)))
    return await _Run(feed, score_one, sink, ask_nothing_more, at_once).to_its_end()


class _Run:
    def __init__(
        self, feed: Feed, score_one: ScoreOne, sink: Sink, ask_nothing_more: Callable[[], None], concurrency: int
    ) -> None:
        self.concurrency = concurrency
        self.feed = feed
        self.score_one = score_one
        self.sink = sink
        self.outcomes = GroupCommit[Outcome](sink.save, LINGER_SECONDS, concurrency)
        self.saving: set[asyncio.Task[None]] = set()
        self.ask_nothing_more = ask_nothing_more
        self.ending = False
        self.done = 0
        self.failed = 0
        self.fatal: ProviderError | None = None
        self.unsaved: BaseException | None = None

    async def to_its_end(self) -> EngineReport:
        workers = [asyncio.create_task(self._work(n * STAGGER_SECONDS)) for n in range(self.concurrency)]
        try:
            try:
                stopped = await self._listen(workers)
            finally:
                await self._drain(workers)
        finally:
            for worker in workers:
                worker.cancel()
            endings = await asyncio.gather(*workers, return_exceptions=True)
            await asyncio.gather(*self.saving, return_exceptions=True)
        for ending in (*endings, self.unsaved):
            if isinstance(ending, Exception):
                raise ending
        return EngineReport(self.done, self.failed, stopped, self.fatal)

    async def _work(self, delay: float) -> None:
        """Score one text after another; while one is being scored, the previous one is being saved."""
        await asyncio.sleep(delay)
        saving: asyncio.Task[None] | None = None
        while not (self.fatal or self.ending):
            planned = await self.feed.take()
            if planned is None:
                break
            try:
                outcome = Outcome(planned, await self.score_one(planned))
            except StoppedError:
                break
            except FATAL as error:
                self.fatal = self.fatal or error
                self.feed.close()
                break
            except ProviderError as error:
                outcome = Outcome(planned, error_kind=error.kind, error=str(error))
            if saving is not None:
                await saving
            saving = asyncio.create_task(self._keep(outcome))
            self.saving.add(saving)
            saving.add_done_callback(self._saved)
        self.outcomes.flush_at_once()
        if saving is not None:
            await saving

    def _saved(self, saving: asyncio.Task[None]) -> None:
        """Record the error of a save whose worker may be cancelled before it awaits it."""
        self.saving.discard(saving)
        error = None if saving.cancelled() else saving.exception()
        self.unsaved = self.unsaved or error

    async def _keep(self, outcome: Outcome) -> None:
        await self.outcomes.put(outcome)
        if outcome.error_kind:
            self.failed += 1
        else:
            self.done += 1

    async def _drain(self, workers: Sequence[asyncio.Task[None]]) -> None:
        """Wait for requests in flight, with heartbeats meanwhile."""
        self.ending = True
        self.feed.close()
        pending = {worker for worker in workers if not worker.done()}
        if pending:
            self.ask_nothing_more()
        end = asyncio.get_running_loop().time() + DRAIN_SECONDS
        while pending and asyncio.get_running_loop().time() < end:
            _, pending = await asyncio.wait(pending, timeout=LISTEN_SECONDS)
            if pending:
                with suppress(WorkbenchError):  # the run is lost, or the database: what arrives is still worth keeping
                    await asyncio.to_thread(self.sink.beat)

    async def _listen(self, workers: Sequence[asyncio.Task[None]]) -> bool:
        """Return True if the sink asked to stop; False if all workers ended or one raised an error.

        If no further text can be scored, requests in flight are still waited for: they are paid.
        """
        pending = set(workers)
        while pending:
            finished, pending = await asyncio.wait(pending, timeout=LISTEN_SECONDS, return_when=asyncio.FIRST_COMPLETED)
            if any(task.exception() for task in finished):
                return False
            stop: bool = await asyncio.to_thread(self.sink.beat)
            if pending and stop:
                return True
        return False
