"""The common parts of providers' batches: submitted at once, polled, answered line by line."""

import json
from collections.abc import AsyncIterator, Awaitable, Iterable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from app.errors import BatchPendingError, CutOffError, ProviderError, UnknownModelError, WrongAddressError
from app.limits import REPLY
from app.providers.adapters.calling import Wire, guarded
from app.providers.adapters.provider_errors import billed, oversized
from app.providers.adapters.reply_text import storable_reply
from app.providers.base import ChatReply, ChatRequest, Usage, asked_for, text_asked_for
from app.providers.budget import Budget, Reservation
from app.providers.known_prices import known_prices, today
from app.providers.pricing import BATCH
from app.providers.recorded import RecordedModel, Tally, answered_call
from app.providers.specs import traced_names
from app.telemetry import request_span


@dataclass(frozen=True, slots=True)
class BatchLimits:
    """Limits of one batch. `bytes` is below the provider's limit, which counts the wrapping of requests too."""

    requests: int
    bytes: int


@dataclass(frozen=True, slots=True)
class BatchProgress:
    """A batch's progress. `answered` counts the finished requests, failed ones too. `problem`: why the batch failed."""

    ended: bool
    answered: int = 0
    problem: str = ""


@dataclass(frozen=True, slots=True)
class BatchLine:
    """The outcome of one request: its reply, or its error; neither if it expired or was cancelled, unpaid."""

    digest: str
    reply: ChatReply | None = None
    failure: ProviderError | None = None


def read_line(wire: Wire, digest: str, answer: Any, request: ChatRequest) -> BatchLine:
    """Return the outcome of an answer, read as a live one."""
    try:
        reply = wire.read(answer, request)
        if len(reply.text) > REPLY.size:
            raise billed(oversized(wire.name), reply.usage)
        room = wire.memory.room.of(request, str(wire.name))
        return BatchLine(digest, wire.memory.room.noted(reply, request, room))
    except ProviderError as error:
        return BatchLine(digest, failure=error)


class Batches(Protocol):
    """The batches of one model. Methods raise a ProviderError if the provider can't be reached."""

    @property
    def limits(self) -> BatchLimits: ...

    def written(self, digest: str, request: ChatRequest) -> Any:
        """Return the request as written into a batch. Raises CutOffError if no more room is left for its answer."""
        ...

    def size(self, written: Any) -> int:
        """Return the bytes that the written request takes in a batch."""
        ...

    async def submit(self, written: list[Any], token: str) -> str:
        """Submit a batch and return its handle; `token` is what `find` looks for."""
        ...

    async def find(self, token: str, requests: int, since: datetime) -> str | None:
        """Return the handle of a batch submitted with the token, whose handle was lost; None if there is none, or the
        provider doesn't tell."""
        ...

    async def look(self, handle: str) -> BatchProgress: ...

    def lines(self, handle: str, requests: Mapping[str, ChatRequest]) -> AsyncIterator[BatchLine]:
        """Yield the outcomes of an ended batch in any order, only of these `requests` by digest."""
        ...

    async def cancel(self, handle: str) -> None: ...


class WireBatches:
    """Base of batches through a vendor's SDK."""

    def __init__(self, wire: Wire) -> None:
        self._wire, self._client = wire, wire.client

    async def _asked(self, work: Awaitable[Any]) -> Any:
        return await guarded(self._wire.name, work, self._wire.read_error, self._wire.timeout)

    async def _listed(self, look: Awaitable[Any]) -> str | None:
        """Return what a search of the list of batches finds; None for servers of the same format without the list."""
        try:
            found: str | None = await self._asked(look)
        except (UnknownModelError, WrongAddressError):
            return None
        return found


def parts(batches: Batches, requests: Mapping[str, ChatRequest]) -> Iterator[list[Any]]:
    """Yield the written requests in as few batches as the limits allow, without those that have no room left."""
    part: list[Any] = []
    size = 0
    for digest, request in requests.items():
        try:
            written = batches.written(digest, request)
        except CutOffError:
            continue
        length = batches.size(written)
        if part and (len(part) == batches.limits.requests or size + length > batches.limits.bytes):
            yield part
            part, size = [], 0
        part.append(written)
        size += length
    if part:
        yield part


class BatchedModel(RecordedModel):
    """A RecordedModel whose requests can be collected for a batch; asked directly it asks at once."""

    def __init__(self, *arguments: Any, batches: Batches, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.batches = batches
        self._awaited: dict[str, ChatRequest] | None = None
        self._asked_for: dict[str, int] = {}  # digest -> text; shared with the copies of `awaiting`
        self._taken: set[str] = set()  # digests that this session paid for and no text has used yet

    def awaiting(self, awaited: dict[str, ChatRequest]) -> "BatchedModel":
        """Return a copy that sends nothing: it puts requests that aren't on record into `awaited` by digest, and raises
        BatchPendingError."""
        again = copy(self)
        again._awaited, again._asking, again.tally = awaited, {}, Tally()
        return again

    async def take(self, request: ChatRequest, line: BatchLine) -> float | None:
        """Record a batch's answer; return its cost, None if unknown. A request that the batch didn't get to costs
        nothing and isn't recorded."""
        self._trace(request, line)
        asked_for(self._asked_for.get(line.digest, 0))
        call = self._call(line.digest, request)
        if line.reply is not None:
            reply, mended = storable_reply(line.reply)
            cost = self._price(reply.usage)
            self.tally.calls += 1
            self.tally.mended += mended
            self._taken.add(line.digest)
            self._pay(reply.usage, cost)
            await self._keep(answered_call(call, reply, cost))
            return cost
        if line.failure is None:
            return 0.0
        usage = line.failure.usage if isinstance(line.failure.usage, Usage) and line.failure.usage.known else None
        cost = self._price(usage) if usage is not None else 0.0
        await self._record_failure(request, line.digest, line.failure, usage, cost)
        return cost

    def _trace(self, request: ChatRequest, line: BatchLine) -> None:
        """Trace the answered requests, without those that the batch did not reach."""
        if line.reply is None and line.failure is None:
            return
        with request_span(*traced_names(self.name), request.prompt, self._run, batch=True) as span:
            if line.reply is not None:
                model = traced_names(line.reply.model)[1]
                span.answered(line.reply.text, model, line.reply.finish, line.reply.usage)
            elif line.failure is not None:
                span.failed(line.failure)

    async def reserve(self, requests: Iterable[ChatRequest]) -> Reservation | None:
        """Reserve the likely cost of a batch. Raises BudgetError if less is left."""
        if not isinstance(self._budget, Budget):
            return None
        return await self._budget.reserve_batch(requests, known_prices().of(self.name, today(), BATCH))

    async def settle(self, reserved: Reservation | None, cost: float | None) -> None:
        if isinstance(self._budget, Budget) and reserved is not None:
            await self._budget.settle_batch(reserved, cost)

    async def _find_or_ask(self, request: ChatRequest, digest: str) -> ChatReply:
        reply = await super()._find_or_ask(request, digest)
        if self._awaited is None and digest in self._taken:
            self._taken.remove(digest)
            self.tally.cached -= 1
        return reply

    def _may_find(self, digest: str) -> bool:
        return self._awaited is not None or super()._may_find(digest)

    async def _ask(self, request: ChatRequest, digest: str) -> ChatReply:
        if self._awaited is None:
            return await super()._ask(request, digest)
        self._awaited[digest] = request
        self._asked_for.setdefault(digest, text_asked_for())
        raise BatchPendingError("The request waits for a batch.")

    def _price(self, usage: Usage) -> float | None:
        return known_prices().cost(self.name, usage, today(), BATCH)


def json_bytes(value: Any) -> int:
    return len(json.dumps(value, ensure_ascii=False).encode()) + 1
