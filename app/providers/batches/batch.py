"""What a provider's batches have in common: handed in at once, looked at now and then, answered line by line."""

from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from app.errors import CutOffError, ProviderError
from app.limits import REPLY
from app.providers.adapters.rejection import billed, oversized
from app.providers.adapters.wire import Wire
from app.providers.base import ChatReply, ChatRequest


@dataclass(frozen=True, slots=True)
class BatchLimits:
    """Of one batch. A provider's own limit is higher than `bytes`, by what it wraps around the requests."""

    requests: int
    bytes: int


@dataclass(frozen=True, slots=True)
class BatchProgress:
    """`answered` counts the requests that are through, well or not. `problem` is why nothing came of the batch."""

    ended: bool
    answered: int = 0
    problem: str = ""


@dataclass(frozen=True, slots=True)
class BatchLine:
    """What became of one request: its reply, or what failed; neither where it expired or was cancelled, unpaid."""

    digest: str
    reply: ChatReply | None = None
    failure: ProviderError | None = None


def read_line(wire: Wire, digest: str, answer: Any, request: ChatRequest) -> BatchLine:
    """An answer as a live one would be read."""
    try:
        reply = wire.read(answer, request)
        if len(reply.text) > REPLY.size:
            raise billed(oversized(wire.name), reply.usage)
        room = wire.memory.room.of(request, str(wire.name))
        return BatchLine(digest, wire.memory.room.noted(reply, request, room))
    except ProviderError as error:
        return BatchLine(digest, failure=error)


class Batches(Protocol):
    """One model's batches. Each raises a ProviderError where the provider can't be asked."""

    @property
    def limits(self) -> BatchLimits: ...

    def written(self, digest: str, request: ChatRequest) -> Any:
        """The request as it goes into a batch. Raises CutOffError where it can't be asked any more."""
        ...

    def size(self, written: Any) -> int:
        """Bytes that it takes there."""
        ...

    async def submit(self, written: list[Any], token: str) -> str:
        """The handle of a new batch; `token` is what it can be found by."""
        ...

    async def find(self, token: str, requests: int, since: datetime) -> str | None:
        """The handle of a batch that was handed in with the token, whose handle was lost; None where there is none, and
        where the provider doesn't say."""
        ...

    async def look(self, handle: str) -> BatchProgress: ...

    def lines(self, handle: str, requests: Mapping[str, ChatRequest]) -> AsyncIterator[BatchLine]:
        """Of an ended batch, in any order; of `requests`, by their digests, and nothing else."""
        ...

    async def cancel(self, handle: str) -> None: ...


def parts(batches: Batches, requests: Mapping[str, ChatRequest]) -> Iterator[list[Any]]:
    """The requests as written, in as few batches as the provider's limits allow. What can't be asked any more is left
    out."""
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
