"""Batches of a run: what its texts have to be asked is collected, handed in, waited for and written into the ledger.

The run itself goes on as any other afterwards and finds its answers there. What rests on answers that nobody has given
yet (re-asks, later stages, requests that expired) is simply the next round. Each batch is on record before it is handed
in, with a token that the provider gives back, so that whoever goes on with the run finds it and pays nothing twice.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from secrets import token_hex
from typing import TypeVar

from app.domain.batch import BatchStatus, ProviderBatch
from app.errors import ProviderError, StoppedError, TransientError
from app.providers.base import ChatRequest
from app.providers.batches.batch import BatchLine, parts
from app.providers.batches.batched_model import BatchedModel
from app.services.runtime.workbench import Workbench
from app.services.scoring.run_writer import RunWriter

AGAIN, LIVE = "again", "live"
"""What becomes of requests that a batch didn't get to: another batch, or they are asked one by one."""
TRIES = 3  # batches that one request goes into; after that it is asked by itself, which says what is wrong
FIRST_LOOK, LONGEST_LOOK = 1.0, 60.0  # seconds between looks; each pause is half as long again as the one before
BEAT = 0.5
AT_ONCE = 200  # lines that are written into the ledger together

Said = TypeVar("Said")
Collect = Callable[[BatchedModel], Awaitable[None]]
"""Score every open text with the model; AwaitedError and ProviderErrors are let go."""
Beat = Callable[[], bool]
"""Say that the run is alive; True once somebody asked it to stop."""


class BatchRounds:
    """`rest` is AGAIN or LIVE."""

    def __init__(
        self,
        workbench: Workbench,
        writer: RunWriter,
        model: BatchedModel,
        collect: Collect,
        beat: Beat,
        rest: str,
    ) -> None:
        self._database = workbench.database
        self._writer = writer
        self._run = writer.run_id
        self._model = model
        self._batches = model.batches
        self._collect = collect
        self._beat = beat
        self._tries = TRIES if rest == AGAIN else 1

    async def until_answered(self) -> None:
        """Raises StoppedError where somebody stopped the run, and what ends it otherwise; it can be gone on with."""
        tried: Counter[str] = Counter()
        while True:
            awaited: dict[str, ChatRequest] = {}
            await self._collect(self._model.awaiting(awaited))
            with self._database.read() as work:
                open_batches = work.provider_batches.open(self._run)
            for batch in open_batches:
                await self._fetch(batch, awaited)
            if open_batches:
                continue
            left = {digest: request for digest, request in awaited.items() if tried[digest] < self._tries}
            if not left:
                return
            tried.update(left.keys())
            await self._hand_in(left)

    async def _hand_in(self, requests: Mapping[str, ChatRequest]) -> None:
        """All of it, before any is waited for; what it may cost is set aside until it is back."""
        reserved = await self._model.reserve(requests.values())
        cost: float | None = 0.0
        try:
            out = []
            for part in parts(self._batches, requests):
                with self._database.write() as work:
                    self._writer.hold(work)
                    batch = work.provider_batches.intend(self._run, token_hex(16), len(part))
                out.append(await self._submit(batch, part))
            for batch in out:
                paid = await self._fetch(batch, requests)
                cost = None if cost is None or paid is None else cost + paid
        finally:
            await self._model.settle(reserved, cost)

    async def _submit(self, batch: ProviderBatch, part: list[object]) -> ProviderBatch:
        """A reply that was lost may have been a yes: before it is handed in again it is looked for."""
        pause = FIRST_LOOK
        while True:
            await self._writer.may_ask()
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
                self._writer.hold(work)
                return work.provider_batches.is_out(batch.id, handle)

    async def _find(self, batch: ProviderBatch) -> str | None:
        return await self._batches.find(batch.token, batch.requests, batch.intended_at)

    async def _fetch(self, batch: ProviderBatch, requests: Mapping[str, ChatRequest]) -> float | None:
        """Wait for a batch and keep its answers; returns what they cost."""
        if not batch.handle:
            handle = await self._patiently(lambda: self._find(batch))
            if handle is None:  # the program ended before it was handed in
                self._note(batch, BatchStatus.NOTHING)
                return 0.0
            with self._database.write() as work:
                self._writer.hold(work)
                batch = work.provider_batches.is_out(batch.id, handle)
        await self._until_ended(batch)
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
            if len(waiting) == AT_ONCE:
                await keep()
        await keep()
        self._note(batch, BatchStatus.COLLECTED, lines)
        return cost if known else None

    async def _until_ended(self, batch: ProviderBatch) -> None:
        pause, handle = FIRST_LOOK, batch.handle
        while True:
            progress = await self._patiently(lambda: self._batches.look(handle))
            if progress.problem:
                self._note(batch, BatchStatus.NOTHING)
                raise ProviderError(
                    f"{self._model.name} took the batch and refused it: {progress.problem[:300]}",
                    "Score without a batch, or resume to hand it in again.",
                )
            if progress.ended:
                return
            if progress.answered != batch.answered:
                batch = self._note(batch, batch.status, progress.answered)
            try:
                await self._wait(pause)
            except StoppedError:
                await self._cancel_if_wished(batch)
                raise
            pause = min(pause * 1.5, LONGEST_LOOK)

    async def _cancel_if_wished(self, batch: ProviderBatch) -> None:
        """A run that a person stopped is cancelled at the provider. One whose program ends goes on there."""
        with self._database.read() as work:
            wished = work.runs.stop_requested(self._run)
            out = [each for each in work.provider_batches.open(self._run) if each.status is BatchStatus.OUT]
        for each in out if wished else ():
            await self._batches.cancel(each.handle)
            self._note(each, BatchStatus.CANCELLED)

    async def _patiently(self, ask: Callable[[], Awaitable[Said]]) -> Said:
        """What is asked about a batch can be asked again: nothing is paid for it."""
        pause = FIRST_LOOK
        while True:
            try:
                return await ask()
            except TransientError as error:
                await self._wait(max(pause, error.retry_after or 0.0))
                pause = min(pause * 2, LONGEST_LOOK)

    async def _wait(self, seconds: float) -> None:
        """Raises StoppedError as soon as the run is to end."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if await asyncio.to_thread(self._beat):
                raise StoppedError("The run is ending: its batch is looked at no more.")
            await asyncio.sleep(min(left, BEAT))

    def _note(self, batch: ProviderBatch, status: BatchStatus, answered: int | None = None) -> ProviderBatch:
        with self._database.write() as work:
            self._writer.hold(work)
            return work.provider_batches.note(batch.id, status, answered)
