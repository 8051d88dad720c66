"""A model whose requests can wait for a batch: what isn't on record is collected, handed in, and written down."""

from collections.abc import Iterable
from copy import copy
from typing import Any

from app.errors import AwaitedError
from app.providers.adapters.storable_reply import storable_reply
from app.providers.base import ChatReply, ChatRequest, Usage
from app.providers.batches.batch import Batches, BatchLine
from app.providers.budget import Budget, Reservation
from app.providers.known_prices import known_prices, today
from app.providers.pricing import BATCH
from app.providers.recorded import RecordedModel, Tally, answered_call
from app.providers.specs import traced_names
from app.telemetry.asked import asked_span


class BatchedModel(RecordedModel):
    """A RecordedModel; asked by itself it asks at once, as any other does."""

    def __init__(self, *arguments: Any, batches: Batches, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.batches = batches
        self._awaited: dict[str, ChatRequest] | None = None

    def awaiting(self, awaited: dict[str, ChatRequest]) -> "BatchedModel":
        """The same model, which asks nothing: what isn't on record is put into `awaited` by its digest, and raises
        AwaitedError."""
        again = copy(self)
        again._awaited, again._asking, again.tally = awaited, {}, Tally()
        return again

    async def take(self, request: ChatRequest, line: BatchLine) -> float | None:
        """Keep what a batch answered; returns what it cost, None where that isn't known. A request that it didn't get
        to cost nothing and isn't kept."""
        self._trace(request, line)
        call = self._call(line.digest, request)
        if line.reply is not None:
            reply, mended = storable_reply(line.reply)
            cost = self._price(reply.usage)
            self.tally.calls += 1
            self.tally.mended += mended
            self.tally.paid(reply.usage, cost)
            await self._keep(answered_call(call, reply, cost))
            return cost
        if line.failure is None:
            return 0.0
        usage = line.failure.usage if isinstance(line.failure.usage, Usage) and line.failure.usage.known else None
        cost = self._price(usage) if usage is not None else 0.0
        await self._keep_failure(request, line.digest, line.failure, usage, cost)
        return cost

    def _trace(self, request: ChatRequest, line: BatchLine) -> None:
        """Nothing of a request that the batch didn't get to."""
        if line.reply is None and line.failure is None:
            return
        with asked_span(*traced_names(self.name), request.prompt, self._run, batch=True) as span:
            if line.reply is not None:
                model = traced_names(line.reply.model)[1]
                span.answered(line.reply.text, model, line.reply.finish, line.reply.usage)
            elif line.failure is not None:
                span.failed(line.failure)

    async def reserve(self, requests: Iterable[ChatRequest]) -> Reservation | None:
        """Set aside what a batch will probably cost. Raises BudgetError where that isn't left."""
        if not isinstance(self._budget, Budget):
            return None
        return await self._budget.reserve_batch(requests, known_prices().of(self.name, today(), BATCH))

    async def settle(self, reserved: Reservation | None, cost: float | None) -> None:
        if isinstance(self._budget, Budget) and reserved is not None:
            await self._budget.settle_batch(reserved, cost)

    def _may_find(self, digest: str) -> bool:
        return self._awaited is not None or super()._may_find(digest)

    async def _ask(self, request: ChatRequest, digest: str) -> ChatReply:
        if self._awaited is None:
            return await super()._ask(request, digest)
        self._awaited[digest] = request
        raise AwaitedError("The request waits for a batch.")

    def _price(self, usage: Usage) -> float | None:
        return known_prices().cost(self.name, usage, today(), BATCH)
