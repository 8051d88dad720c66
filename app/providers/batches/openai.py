"""OpenAI's batches: a file of requests goes in, files of replies and of failures come out."""

import json
from collections.abc import AsyncIterator, Mapping
from datetime import datetime
from typing import Any, Final

from app.errors import ProviderError
from app.providers.adapters.provider_errors import Rejection, provider_error, unreadable
from app.providers.base import ChatRequest
from app.providers.batches.batch import BatchLimits, BatchLine, BatchProgress, WireBatches, read_line

_ENDPOINT: Final = "/v1/chat/completions"
_MARK = "interacteval"
_MOST_LISTED = 200  # batches of an account, newest first


class OpenAIBatches(WireBatches):
    limits = BatchLimits(50_000, 190_000_000)

    def written(self, digest: str, request: ChatRequest) -> bytes:
        body = {"model": self._wire.name.model, **self._wire.body(*self._wire.sized(request))}
        line = {"custom_id": digest, "method": "POST", "url": _ENDPOINT, "body": body}
        return json.dumps(line, ensure_ascii=False).encode()

    def size(self, written: bytes) -> int:
        return len(written) + 1

    async def submit(self, written: list[bytes], token: str) -> str:
        async def send() -> Any:
            file = await self._client.files.create(file=("batch.jsonl", b"\n".join(written)), purpose="batch")
            return await self._client.batches.create(
                input_file_id=file.id, endpoint=_ENDPOINT, completion_window="24h", metadata={_MARK: token}
            )

        return _text((await self._asked(send())).id)

    async def find(self, token: str, requests: int, since: datetime) -> str | None:
        async def look() -> Any:
            seen = 0
            async for batch in self._client.batches.list(limit=100):
                seen += 1
                if (batch.metadata or {}).get(_MARK) == token:
                    return batch.id
                if seen >= _MOST_LISTED or batch.created_at < since.timestamp() - 60:
                    return None
            return None

        found: str | None = await self._asked(look())
        return found

    async def look(self, handle: str) -> BatchProgress:
        batch = await self._asked(self._client.batches.retrieve(handle))
        counts = batch.request_counts
        said = getattr(batch.errors, "data", None) or []
        problem = str(getattr(said[0], "message", "") or "") if batch.status == "failed" and said else ""
        through = (counts.completed or 0) + (counts.failed or 0) if counts else 0
        return BatchProgress(batch.status in {"completed", "failed", "expired", "cancelled"}, through, problem)

    async def lines(self, handle: str, requests: Mapping[str, ChatRequest]) -> AsyncIterator[BatchLine]:
        batch = await self._asked(self._client.batches.retrieve(handle))
        for file in (batch.output_file_id, batch.error_file_id):
            if not file:
                continue
            content = await self._asked(self._client.files.content(file))
            for line in content.text.splitlines():
                found = _object(line)
                request = requests.get(str(found.get("custom_id")))
                if request is not None:
                    yield self._line(found, request)

    async def cancel(self, handle: str) -> None:
        await self._asked(self._client.batches.cancel(handle))

    def _line(self, found: dict[str, Any], request: ChatRequest) -> BatchLine:
        digest, response = str(found["custom_id"]), found.get("response")
        if not isinstance(response, dict):  # it expired, or was cancelled
            return BatchLine(digest)
        body = response.get("body")
        if response.get("status_code") == 200 and isinstance(body, dict):
            return read_line(self._wire, digest, body, request)
        return BatchLine(digest, failure=self._failure(response.get("status_code"), body))

    def _failure(self, status: Any, body: Any) -> ProviderError:
        said = body.get("error") if isinstance(body, dict) else None
        if not isinstance(status, int) or not isinstance(said, dict):
            return unreadable(self._wire.name)
        code, words = str(said.get("code") or said.get("type") or ""), f"{said.get('type')} {said.get('message')}"
        return provider_error(self._wire.name, Rejection(status, code, words=words))


def _object(line: str) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _text(handle: object) -> str:
    return handle if isinstance(handle, str) else ""
