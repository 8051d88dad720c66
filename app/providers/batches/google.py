"""Gemini's batches: requests inline, or in a file if they are too large for that."""

import io
import json
from collections.abc import AsyncIterator, Mapping
from datetime import datetime
from typing import Any

from google.genai.types import (
    CreateBatchJobConfig,
    DownloadFileConfig,
    GenerateContentConfig,
    GenerateContentResponse,
    HttpOptions,
    InlinedRequest,
    JobState,
    ThinkingConfig,
    UploadFileConfig,
)
from pydantic import ValidationError

from app.errors import ProviderError
from app.providers.adapters.calling import Wire
from app.providers.adapters.provider_errors import Rejection, provider_error, unreadable
from app.providers.base import ChatRequest
from app.providers.batches.batch import BatchLimits, BatchLine, BatchProgress, WireBatches, json_bytes, read_line

# They stand beside the request's settings in the SDK, and beside `generationConfig` on the wire.
_BESIDE = ("safetySettings", "tools", "toolConfig", "cachedContent", "serviceTier")

# What is read of an answer: the SDK refuses fields that are newer than it. `...` takes what is there as it is.
_TOKENS = [{"token": ..., "logProbability": ...}]
_PART = {"text": ..., "thought": ..., "functionCall": {"name": ..., "args": ...}}
_READ: Mapping[str, Any] = {
    "candidates": [
        {
            "finishReason": ...,
            "content": {"role": ..., "parts": [_PART]},
            "logprobsResult": {"chosenCandidates": _TOKENS, "topCandidates": [{"candidates": _TOKENS}]},
        }
    ],
    "promptFeedback": {"blockReason": ...},
    "usageMetadata": dict.fromkeys(
        ("promptTokenCount", "candidatesTokenCount", "thoughtsTokenCount", "cachedContentTokenCount"), ...
    ),
    "modelVersion": ...,
}


def written_line(digest: str, request: Mapping[str, Any]) -> bytes:
    """Return a request's line in the file. request: an InlinedRequest as JSON, with the names of the HTTP API."""
    config = dict(request.get("config") or {})
    instruction = config.pop("systemInstruction", None)
    body: dict[str, Any] = {"contents": request["contents"]}
    if instruction is not None:
        body["systemInstruction"] = {"role": "user", "parts": [{"text": instruction}]}
    body |= {name: config.pop(name) for name in _BESIDE if name in config}
    body["generationConfig"] = config
    return json.dumps({"key": digest, "request": body}, ensure_ascii=False).encode()


def answer_lines(written: bytes) -> list[dict[str, Any]]:
    """Return the objects in a file of answers; lines that are no object are skipped."""
    found = []
    for line in written.splitlines():
        try:
            value = json.loads(line)
        except ValueError:
            continue
        if isinstance(value, dict):
            found.append(value)
    return found


def known_part(answer: Any) -> Any:
    """Return the part of an answer that the SDK knows."""
    return _known(answer, _READ)


def _known(value: Any, wanted: Any) -> Any:
    match wanted:
        case list() if isinstance(value, list):
            return [_known(each, wanted[0]) for each in value]
        case Mapping() if isinstance(value, dict):
            return {name: _known(value[name], part) for name, part in wanted.items() if name in value}
    return value


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
INLINE = 18_000_000
"""Most bytes of inline requests; the provider's limit of 20 MB counts their wrapping too."""


class GoogleBatches(WireBatches):
    """Gemini's batches of a model. A file may have 2 GB; our limit is lower, as it is made in memory."""

    limits = BatchLimits(50_000, 500_000_000)

    def __init__(self, wire: Wire) -> None:
        super().__init__(wire)
        self._jobs, self._files = self._client.aio.batches, self._client.aio.files

    def written(self, digest: str, request: ChatRequest) -> InlinedRequest:
        contents, config = self._wire.body(*self._wire.sized(request))
        return InlinedRequest(contents=contents, config=_inline(config), metadata={_DIGEST: digest})

    def size(self, written: InlinedRequest) -> int:
        return json_bytes(written.model_dump(mode="json", exclude_none=True))

    async def submit(self, written: list[InlinedRequest], token: str) -> str:
        async def send() -> Any:
            inline = sum(map(self.size, written)) <= INLINE
            source = written if inline else await self._uploaded(written, token)
            config = CreateBatchJobConfig(display_name=token, http_options=self._options())
            return await self._jobs.create(model=self._wire.name.model, src=source, config=config)

        return str((await self._asked(send())).name)

    async def _uploaded(self, written: list[InlinedRequest], token: str) -> str:
        """Upload a file of the requests and return its name; unused files are deleted after two days, unpaid."""
        lines = (written_line(each.metadata[_DIGEST], _as_json(each)) for each in written if each.metadata)
        config = UploadFileConfig(display_name=token, mime_type="jsonl", http_options=self._options())
        try:
            file = await self._files.upload(file=io.BytesIO(b"\n".join(lines)), config=config)
        except (KeyError, ValueError):  # the SDK found no address to send it to, or no word that it arrived
            raise unreadable(self._wire.name) from None
        return str(file.name)

    def _options(self) -> HttpOptions | None:
        return HttpOptions(api_version="v1beta") if self._wire.memory.style.beta else None

    async def find(self, token: str, requests: int, since: datetime) -> str | None:
        async def look() -> Any:
            seen = 0
            async for job in await self._jobs.list():
                seen += 1
                if job.display_name == token:
                    return job.name
                if seen >= _MOST_LISTED:
                    return None
            return None

        return await self._listed(look())

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
                code, words = getattr(found.error, "code", None), getattr(found.error, "message", None)
                yield self._line(digest, found.response, (code, words), requests[digest])
        file = job.dest.file_name if job.dest else None
        if not file:
            return
        for line in answer_lines(await self._asked(self._files.download(file=file, config=self._download()))):
            digest = str(line.get("key"))
            if digest in requests:
                yield self._read(digest, line, requests[digest])

    def _download(self) -> DownloadFileConfig | None:
        options = self._options()
        return DownloadFileConfig(http_options=options) if options else None

    async def cancel(self, handle: str) -> None:
        await self._asked(self._jobs.cancel(name=handle))

    def _read(self, digest: str, line: Mapping[str, Any], request: ChatRequest) -> BatchLine:
        said = line.get("error") or line.get("status")
        error = said if isinstance(said, dict) else {}
        if "response" not in line:
            return self._line(digest, None, (error.get("code"), error.get("message")), request)
        try:
            answer = GenerateContentResponse.model_validate(known_part(line["response"]))
        except ValidationError:
            return BatchLine(digest, failure=unreadable(self._wire.name))
        return self._line(digest, answer, (None, None), request)

    def _line(self, digest: str, answer: Any, error: tuple[Any, Any], request: ChatRequest) -> BatchLine:
        code, words = error
        if answer is not None:
            return read_line(self._wire, digest, answer, request)
        if (code, words) == (None, None) or code in _NOT_ASKED:
            return BatchLine(digest)
        return BatchLine(digest, failure=self._failure(code, str(words or "")))

    def _failure(self, code: Any, words: str) -> ProviderError:
        if not isinstance(code, int):
            return unreadable(self._wire.name)
        return provider_error(self._wire.name, Rejection(_STATUS.get(code, 500), words=words))


def _inline(config: GenerateContentConfig) -> GenerateContentConfig:
    """Return a batch request's settings: without connection options, whose thinking settings become a field."""
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


def _as_json(written: InlinedRequest) -> dict[str, Any]:
    found = written.model_dump(mode="json", by_alias=True, exclude_none=True)
    if written.config is not None and written.config.response_json_schema is not None:
        found["config"]["responseJsonSchema"] = written.config.response_json_schema  # to the letter
    return found


def _responses(job: Any) -> list[Any]:
    return list(job.dest.inlined_responses or []) if job.dest else []
