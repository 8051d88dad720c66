"""Gemini's batches, with their requests inline."""

from collections.abc import AsyncIterator, Mapping
from datetime import datetime
from typing import Any

from google.genai import Client
from google.genai.types import (
    CreateBatchJobConfig,
    GenerateContentConfig,
    HttpOptions,
    InlinedRequest,
    JobState,
    ThinkingConfig,
)

from app.errors import ProviderError, UnknownModelError, WrongAddressError
from app.providers.adapters.calling import guarded
from app.providers.adapters.rejection import Rejection, provider_error, unreadable
from app.providers.adapters.wire import Wire
from app.providers.base import ChatRequest
from app.providers.batches.batch import BatchLimits, BatchLine, BatchProgress, read_line
from app.providers.batches.sizes import json_bytes

_ENDED = {
    JobState.JOB_STATE_SUCCEEDED,
    JobState.JOB_STATE_PARTIALLY_SUCCEEDED,
    JobState.JOB_STATE_FAILED,
    JobState.JOB_STATE_CANCELLED,
    JobState.JOB_STATE_EXPIRED,
}
_DIGEST = "digest"
# Codes of google.rpc, as the statuses they are elsewhere. What ran out of time (4) or was cancelled (1) was not asked.
_STATUS = {3: 400, 5: 404, 7: 403, 8: 429, 13: 500, 14: 503, 16: 401}
_NOT_ASKED = {1, 4}
_MOST_LISTED = 200


class GoogleBatches:
    """Under 20 MB requests travel inline, which keeps their metadata; larger sets are cut into several batches."""

    limits = BatchLimits(50_000, 18_000_000)

    def __init__(self, wire: Wire) -> None:
        client: Client = wire.client
        self._jobs = client.aio.batches
        self._wire = wire

    def written(self, digest: str, request: ChatRequest) -> InlinedRequest:
        contents, config = self._wire.body(*self._wire.sized(request))
        return InlinedRequest(contents=contents, config=_inline(config), metadata={_DIGEST: digest})

    def size(self, written: InlinedRequest) -> int:
        return json_bytes(written.model_dump(mode="json", exclude_none=True))

    async def submit(self, written: list[InlinedRequest], token: str) -> str:
        beta = HttpOptions(api_version="v1beta") if self._wire.memory.style.beta else None
        config = CreateBatchJobConfig(display_name=token, http_options=beta)
        job = await self._asked(self._jobs.create(model=self._wire.name.model, src=written, config=config))
        return str(job.name)

    async def find(self, token: str, requests: int, since: datetime) -> str | None:
        async def look() -> str | None:
            seen = 0
            async for job in await self._jobs.list():
                seen += 1
                if job.display_name == token:
                    return job.name
                if seen >= _MOST_LISTED:
                    return None
            return None

        try:
            found: str | None = await self._asked(look())
        except (UnknownModelError, WrongAddressError):  # servers that speak the format needn't have the list
            return None
        return found

    async def look(self, handle: str) -> BatchProgress:
        job = await self._asked(self._jobs.get(name=handle))
        ended = job.state in _ENDED
        failed = job.state is JobState.JOB_STATE_FAILED
        return BatchProgress(
            ended, len(_responses(job)), str(getattr(job.error, "message", "") or "") if failed else ""
        )

    async def lines(self, handle: str, requests: Mapping[str, ChatRequest]) -> AsyncIterator[BatchLine]:
        job = await self._asked(self._jobs.get(name=handle))
        for found in _responses(job):
            digest = str((found.metadata or {}).get(_DIGEST))
            if digest in requests:
                yield self._line(digest, found, requests[digest])

    async def cancel(self, handle: str) -> None:
        await self._asked(self._jobs.cancel(name=handle))

    def _line(self, digest: str, found: Any, request: ChatRequest) -> BatchLine:
        if found.response is not None:
            return read_line(self._wire, digest, found.response, request)
        code = getattr(found.error, "code", None)
        if found.error is None or code in _NOT_ASKED:
            return BatchLine(digest)
        return BatchLine(digest, failure=self._failure(code, str(getattr(found.error, "message", "") or "")))

    def _failure(self, code: Any, words: str) -> ProviderError:
        if not isinstance(code, int):
            return unreadable(self._wire.name)
        return provider_error(self._wire.name, Rejection(_STATUS.get(code, 500), words=words))

    async def _asked(self, work: Any) -> Any:
        return await guarded(self._wire.name, work, self._wire.read_error, self._wire.timeout)


def _inline(config: GenerateContentConfig) -> GenerateContentConfig:
    """A request in a batch has no options of the connection: what they add to the body is said in its own words."""
    extra = (config.http_options.extra_body or {}) if config.http_options else {}
    chosen = extra.get("generationConfig", {}).get("thinkingConfig")
    return config.model_copy(
        update={
            "http_options": None,
            "automatic_function_calling": None,
            "automatic_continuation": None,
            "thinking_config": ThinkingConfig.model_validate(chosen) if chosen else None,
        }
    )


def _responses(job: Any) -> list[Any]:
    return list(job.dest.inlined_responses or []) if job.dest else []
