"""Anthropic's message batches."""

from collections.abc import AsyncIterator, Mapping
from datetime import datetime, timedelta
from typing import Any

from app.errors import ProviderError
from app.providers.adapters.provider_errors import Rejection, provider_error, unreadable
from app.providers.base import ChatRequest
from app.providers.batches.batch import BatchLimits, BatchLine, BatchProgress, WireBatches, json_bytes, read_line

# What a request of the same kind would be refused with, where a batch names the kind alone.
_STATUS = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "rate_limit_error": 429,
    "overloaded_error": 529,
}


class AnthropicBatches(WireBatches):
    """Anthropic's batches of a model. A batch doesn't show our token; an ended one shows its requests' digests."""

    limits = BatchLimits(100_000, 240_000_000)

    def written(self, digest: str, request: ChatRequest) -> dict[str, Any]:
        sized, style = self._wire.sized(request)
        room = {"model": self._wire.name.model, "max_tokens": sized.max_output_tokens}
        return {"custom_id": digest, "params": room | self._wire.body(sized, style)}

    def size(self, written: dict[str, Any]) -> int:
        return json_bytes(written)

    async def submit(self, written: list[dict[str, Any]], token: str) -> str:
        # As an extra body, which the SDK sends as it is instead of walking through it.
        batch = await self._asked(self._client.messages.batches.create(requests=(), extra_body={"requests": written}))
        return str(batch.id)

    async def find(self, token: str, requests: int, since: datetime) -> str | None:
        """Return a batch of the same size that isn't older; somebody else's batch answers none of our requests."""

        async def look() -> Any:
            async for batch in self._client.messages.batches.list(limit=100):
                if batch.created_at < since - timedelta(minutes=1):
                    return None
                counts = batch.request_counts
                through = counts.succeeded + counts.errored + counts.canceled + counts.expired
                if counts.processing + through == requests:
                    return batch.id
            return None

        return await self._listed(look())

    async def look(self, handle: str) -> BatchProgress:
        batch = await self._asked(self._client.messages.batches.retrieve(handle))
        counts = batch.request_counts
        through = counts.succeeded + counts.errored + counts.canceled + counts.expired
        return BatchProgress(batch.processing_status == "ended", through)

    async def lines(self, handle: str, requests: Mapping[str, ChatRequest]) -> AsyncIterator[BatchLine]:
        async def read() -> list[Any]:
            return [each async for each in await self._client.messages.batches.results(handle)]

        for found in await self._asked(read()):
            request = requests.get(str(found.custom_id))
            if request is not None:
                yield self._line(str(found.custom_id), found.result, request)

    async def cancel(self, handle: str) -> None:
        await self._asked(self._client.messages.batches.cancel(handle))

    def _line(self, digest: str, result: Any, request: ChatRequest) -> BatchLine:
        if result.type == "succeeded":
            return read_line(self._wire, digest, result.message, request)
        return BatchLine(digest, failure=self._failure(result)) if result.type == "errored" else BatchLine(digest)

    def _failure(self, result: Any) -> ProviderError:
        said = getattr(getattr(result, "error", None), "error", None)
        kind, words = getattr(said, "type", None), getattr(said, "message", None)
        if not isinstance(kind, str):
            return unreadable(self._wire.name)
        rejection = Rejection(_STATUS.get(kind, 500), kind, words=f"{kind} {words}")
        return provider_error(self._wire.name, rejection)
