"""Batches: collect requests, submit them, wait, and save the answers in the ledger, where the caller finds them.

Requests that depend on missing answers (re-asks, later stages, expired requests) form the next round. Each batch is
saved before it is submitted, with a token that the provider gives back, so that a resumed run finds it and never pays
twice.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping
from secrets import token_hex
from typing import Any, Protocol, TypeVar

from app.domain.model_call import BatchStatus, ProviderBatch
from app.errors import BatchPendingError, InputError, ProviderError, StoppedError, TransientError
from app.providers.base import ChatRequest
from app.providers.batches.batch import BatchedModel, BatchLine, BatchProgress, parts
from app.providers.registry import sells_batches
from app.services.runtime.workbench import Workbench
from db.unit_of_work import UnitOfWork

AGAIN, LIVE, AT_ONCE = "again", "live", "at once"
"""What becomes of requests that a batch didn't get to: another batch, or they are asked one by one. AT_ONCE: likewise,
and nothing more is handed in; only what is at the provider is waited for."""
TRIES = {AGAIN: 3, LIVE: 1, AT_ONCE: 0}
"""Batches that try one request; after that it is asked live, which shows the error."""
FIRST_LOOK, LONGEST_LOOK = 1.0, 60.0  # seconds between looks; each pause is half as long again as the one before
BEAT = 0.5
CANCELLING = 60.0  # seconds that are waited for what a cancelled batch answered; it can be collected later
KEPT_TOGETHER = 40  # lines that are written into the ledger together

Said = TypeVar("Said")
Collect = Callable[[BatchedModel], Awaitable[None]]
"""Asks the model all open requests, ignoring BatchPendingError and ProviderErrors."""
Beat = Callable[[], bool]
"""Renews the run's lease; returns True once somebody asked it to stop."""


class BatchOwner(Protocol):
    """The owner of batches: a run or a stage."""

    def renew_lease(self, work: UnitOfWork) -> None:
        """Check the lease at the beginning of each transaction. Raises if another process holds it."""
        ...

    async def may_ask(self) -> None:
        """Check the lease before each batch is submitted. Raises if another process holds it."""
        ...

    def intend(self, work: UnitOfWork, token: str, requests: int) -> ProviderBatch: ...

    def open(self, work: UnitOfWork) -> list[ProviderBatch]: ...

    def stop_wished(self, work: UnitOfWork) -> bool:
        """Return whether a person asked to stop, as opposed to the end of the program."""
        ...


class BatchRounds:
    """Asks requests in batches, round by round. `rest` is AGAIN, LIVE or AT_ONCE. `ending`: whether the program ends,
    which leaves batches at the provider."""

    def __init__(
        self,
        workbench: Workbench,
        owner: BatchOwner,
        model: BatchedModel,
        collect: Collect,
        beat: Beat,
        rest: str,
        ending: Callable[[], bool],
    ) -> None:
        self._database = workbench.database
        self._owner = owner
        self._model = model
        self._batches = model.batches
        self._collect = collect
        self._beat = beat
        self._tries = TRIES[rest]
        self._ending = ending
        self._cancelling_until: float | None = None

    async def wait_for_answers(self) -> None:
        """Submit and wait until all requests are answered. Raises StoppedError if somebody stopped the run, and other
        errors that end it; it can be resumed.

        If a person stopped the run, its batches are cancelled. If the program ends, they continue at the provider.
        """
        await self._or_cancelled(self._rounds())

    async def collect_open(self) -> None:
        """Wait for submitted batches and store their answers; nothing is submitted. Raises as `wait_for_answers`."""
        await self._or_cancelled(self._collected())

    async def _or_cancelled(self, going_on: Coroutine[Any, Any, None]) -> None:
        try:
            await going_on
        except StoppedError:
            with self._database.read() as work:
                wished = self._owner.stop_wished(work)
            if wished:
                await self.cancel()
            raise

    async def _collected(self) -> None:
        awaited: dict[str, ChatRequest] = {}
        await self._collect(self._model.awaiting(awaited))
        for batch in self._open():
            await self._fetch(batch, awaited)

    async def cancel(self) -> None:
        """Cancel submitted batches, and store the answers received so far; nothing is submitted.

        Batches that don't end within CANCELLING seconds are marked as cancelled and can be collected later.
        """
        self._cancelling_until = time.monotonic() + CANCELLING
        try:
            found = [await self._cancelled(batch) for batch in self._open()]
            if out := [batch for batch in found if batch is not None]:
                awaited: dict[str, ChatRequest] = {}
                await self._collect(self._model.awaiting(awaited))
                for batch in out:
                    await self._fetch(batch, awaited)
        except StoppedError:
            return

    async def _rounds(self) -> None:
        tried: Counter[str] = Counter()
        while True:
            awaited: dict[str, ChatRequest] = {}
            await self._collect(self._model.awaiting(awaited))
            open_batches = self._open()
            for batch in open_batches:
                await self._fetch(batch, awaited)
            if open_batches:
                continue
            left = {digest: request for digest, request in awaited.items() if tried[digest] < self._tries}
            if not left:
                return
            tried.update(left.keys())
            await self._hand_in(left)

    def _open(self) -> list[ProviderBatch]:
        with self._database.read() as work:
            return self._owner.open(work)

    async def _hand_in(self, requests: Mapping[str, ChatRequest]) -> None:
        """Submit all batches before waiting for any; their cost is reserved until they are back."""
        reserved = await self._model.reserve(requests.values())
        cost: float | None = 0.0
        try:
            out = []
            for part in parts(self._batches, requests):
                with self._database.write() as work:
                    self._owner.renew_lease(work)
                    batch = self._owner.intend(work, token_hex(16), len(part))
                out.append(await self._submit(batch, part))
            for batch in out:
                paid = await self._fetch(batch, requests)
                cost = None if cost is None or paid is None else cost + paid
        finally:
            await self._model.settle(reserved, cost)

    async def _submit(self, batch: ProviderBatch, part: list[object]) -> ProviderBatch:
        """Submit a batch. If the reply is lost, look for the batch at the provider before submitting it again."""
        pause = FIRST_LOOK
        while True:
            await self._owner.may_ask()
            try:
                handle = await self._batches.submit(part, batch.token)
            except TransientError as error:
                await self._wait(max(pause, error.retry_after or 0.0))
                pause = min(pause * 2, LONGEST_LOOK)
                found = await self._find(batch)
                if found is None:
                    continue
                handle = found
            except ProviderError:
                self._note(batch, BatchStatus.NOTHING)
                raise
            with self._database.write() as work:
                self._owner.renew_lease(work)
                return work.provider_batches.is_out(batch.id, handle)

    async def _find(self, batch: ProviderBatch) -> str | None:
        return await self._batches.find(batch.token, batch.requests, batch.intended_at)

    async def _out(self, batch: ProviderBatch) -> ProviderBatch | None:
        """Return the batch with its handle; None if the program ended before it was submitted."""
        if batch.handle:
            return batch
        handle = await self._patiently(lambda: self._find(batch))
        if handle is None:
            self._note(batch, BatchStatus.NOTHING)
            return None
        with self._database.write() as work:
            self._owner.renew_lease(work)
            return work.provider_batches.is_out(batch.id, handle)

    async def _fetch(self, batch: ProviderBatch, requests: Mapping[str, ChatRequest]) -> float | None:
        """Wait for a batch and store its answers; returns their cost, None if unknown."""
        out = await self._out(batch)
        if out is None:
            return 0.0
        batch = await self._until_ended(out)
        cost, lines = 0.0, 0
        known = True
        waiting: list[BatchLine] = []

        async def keep() -> None:
            nonlocal cost, known
            for paid in await asyncio.gather(*(self._model.take(requests[each.digest], each) for each in waiting)):
                known = known and paid is not None
                cost += paid or 0.0
            waiting.clear()

        async for line in self._batches.lines(batch.handle, requests):
            waiting.append(line)
            lines += line.reply is not None or line.failure is not None
            if len(waiting) == KEPT_TOGETHER:
                await keep()
        await keep()
        self._note(batch, BatchStatus.COLLECTED, lines)
        return cost if known else None

    async def _until_ended(self, batch: ProviderBatch) -> ProviderBatch:
        pause = FIRST_LOOK
        while True:
            progress = await self._look(batch)
            if progress.problem:
                self._note(batch, BatchStatus.NOTHING)
                raise ProviderError(
                    f"{self._model.name} took the batch and refused it: {progress.problem[:300]}",
                    "Score without a batch, or resume to hand it in again.",
                )
            if progress.ended:
                return batch
            if progress.answered != batch.answered:
                batch = self._note(batch, batch.status, progress.answered)
            await self._wait(pause)
            pause = min(pause * 1.5, LONGEST_LOOK)

    async def _look(self, batch: ProviderBatch) -> BatchProgress:
        return await self._patiently(lambda: self._batches.look(batch.handle))

    async def _cancelled(self, batch: ProviderBatch) -> ProviderBatch | None:
        """Return the batch after cancelling it at the provider; None if it was never there."""
        out = await self._out(batch)
        if out is None or out.status is BatchStatus.CANCELLED or (await self._look(out)).ended:
            return out
        handle = out.handle
        try:
            await self._patiently(lambda: self._batches.cancel(handle))
        except ProviderError:
            if not (await self._look(out)).ended:  # one that has just ended can't be cancelled any more
                raise
        return self._note(out, BatchStatus.CANCELLED)

    async def _patiently(self, ask: Callable[[], Awaitable[Said]]) -> Said:
        """Ask about a batch until an answer comes; repeated questions cost nothing."""
        pause = FIRST_LOOK
        while True:
            try:
                return await ask()
            except TransientError as error:
                await self._wait(max(pause, error.retry_after or 0.0))
                pause = min(pause * 2, LONGEST_LOOK)

    async def _wait(self, seconds: float) -> None:
        """Wait this long. Raises StoppedError as soon as the run should end."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if await asyncio.to_thread(self._stops):
                raise StoppedError("The run is ending: its batch is looked at no more.")
            await asyncio.sleep(min(left, BEAT))

    def _stops(self) -> bool:
        """Return whether to stop waiting. While cancelling, only the end of the program or the time limit counts."""
        asked = self._beat()
        if self._cancelling_until is None:
            return asked
        return self._ending() or time.monotonic() > self._cancelling_until

    def _note(self, batch: ProviderBatch, status: BatchStatus, answered: int | None = None) -> ProviderBatch:
        with self._database.write() as work:
            self._owner.renew_lease(work)
            return work.provider_batches.note(batch.id, status, answered)


def check_sold_in_batches(model: str) -> None:
    """Raise InputError if the model's provider takes no batches."""
    if not sells_batches(model):
        raise InputError(f"{model} takes no batches.", "OpenAI, Anthropic and Google do. Leave the batch out.")


async def gather_settled(asked: Iterable[Awaitable[object]]) -> None:
    """Wait for all requests of a round; their AwaitedErrors and ProviderErrors are ignored, other errors raised."""
    for ended in await asyncio.gather(*asked, return_exceptions=True):
        if isinstance(ended, BaseException) and not isinstance(ended, BatchPendingError | ProviderError):
            raise ended
