"""Adapter for Anthropic's messages API."""

import logging
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import anthropic
from anthropic import APIStatusError, AsyncAnthropic, transform_schema
from anthropic.types import Message

from app.domain.model_call import Finish
from app.errors import ProviderError
from app.providers.adapters.calling import DEFAULT_TIMEOUT, SdkModel, call
from app.providers.adapters.connections import client_options, read_sdk_error
from app.providers.adapters.provider_errors import Rejection, asked_at, retry_after_seconds, unreadable
from app.providers.adapters.reply_text import ending_name, part_of, text_of
from app.providers.adapters.request_style import RequestStyle, is_closed, memory_of, system_text
from app.providers.base import ChatReply, ChatRequest, Usage, counted_usage
from app.providers.credentials import Endpoint
from app.providers.model_name import ModelName

# At debug level the SDK logs whole requests, prompts and texts included.
logging.getLogger("anthropic").setLevel(logging.WARNING)

_FINISH: Mapping[str, Finish] = {
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refused",
}
_USUAL = {*_FINISH, "end_turn", "stop_sequence"}


class AnthropicModel(SdkModel):
    """An Anthropic model."""

    async def complete(self, request: ChatRequest) -> ChatReply:
        started = time.perf_counter()

        async def send(sized: ChatRequest, style: RequestStyle) -> Any:
            # The SDK walks through every typed parameter and sends an extra body as it is, which takes less CPU.
            return await self._client.messages.create(
                model=self._name.model,
                max_tokens=sized.max_output_tokens,
                messages=(),
                extra_body=self._body(sized, style),
            )

        answer, room = await call(self._name, self._memory, request, send, self._read_error, self._timeout)
        return self._memory.room.noted(self._reply(answer, request, time.perf_counter() - started), request, room)

    def _body(self, request: ChatRequest, style: RequestStyle) -> dict[str, Any]:
        user = request.prompt.user
        messages: list[dict[str, Any]] = [{"role": "user", "content": _marked(user) if request.repeated else user}]
        for turn in request.turns:
            messages.append({"role": "assistant", "content": turn.answer})
            messages.append({"role": "user", "content": turn.correction})
        body: dict[str, Any] = {"messages": messages}
        # The schema mode closes every object, which would empty one that is meant to be open.
        by_schema = style.json_schema and request.schema is not None and is_closed(request.schema)
        system = system_text(request, replace(style, json_form="json_schema" if by_schema else "prompt"))
        if system:
            body["system"] = _marked(system)
        if by_schema and request.schema is not None:
            form = {"type": "json_schema", "schema": transform_schema(dict(request.schema))}
            body["output_config"] = {"format": form}
        if request.effort:
            body["output_config"] = body.get("output_config", {}) | {"effort": request.effort}
        if request.temperature is not None and style.temperature:
            # No longer a parameter of the SDK; the older models that take one still do.
            body["temperature"] = request.temperature
        # No top_p: without one the whole distribution is sampled, and newer models refuse it beside a temperature.
        return body

    def _reply(self, answer: Any, _: ChatRequest, seconds: float) -> ChatReply:
        # The SDK doesn't check what it parses: proxies may send anything.
        if not isinstance(answer, Message) or not _says_something(answer):
            raise unreadable(self._name)
        return ChatReply(
            text=text_of(answer.content),
            model=str(ModelName(self._name.provider, answer.model or self._name.model)),
            usage=_usage(answer),
            finish=_FINISH.get(str(answer.stop_reason), "stop"),
            seconds=seconds,
            ending=ending_name(answer.stop_reason, _USUAL),
        )

    def _read_error(self, error: Exception) -> Rejection | ProviderError | None:
        return read_sdk_error(anthropic, self._name, error, self._timeout, _rejection)


def open_model(
    name: ModelName, endpoint: Endpoint, timeout: float = DEFAULT_TIMEOUT, most_output: int | None = None
) -> AnthropicModel:
    """Open the model with a client, which stays open until `aclose`."""
    client = AsyncAnthropic(**client_options(anthropic, endpoint, timeout))
    return AnthropicModel(name, client, memory_of(name, most_output), timeout)


def _usage(answer: Message) -> Usage:
    if answer.stop_reason == "refusal" and not answer.content:
        return Usage()  # declined before anything was said: counted, but not billed
    said = getattr(answer, "usage", None)
    read, written = (getattr(said, f"cache_{what}_input_tokens", None) for what in ("read", "creation"))
    fresh = getattr(said, "input_tokens", None)
    # Anthropic counts what it reads from and writes to the cache beside the input.
    parts = [part for part in (fresh, read, written) if isinstance(part, int)]
    return counted_usage(sum(parts), getattr(said, "output_tokens", None), read, written)


def _says_something(answer: Message) -> bool:
    """Return whether this is a message at all: it has a list of blocks, or a field that only messages have."""
    content: object = answer.content
    return isinstance(content, list) or (isinstance(content, str | None) and part_of(answer, "role") == "assistant")


def _marked(text: str) -> list[dict[str, Any]]:
    """Return a block of text that ends the cached part of the prompt."""
    return [{"type": "text", "text": text, "cache_control": {"type": "ephemeral"}}]


def _rejection(error: APIStatusError) -> Rejection:
    """Return the rejection of {"type": "error", "error": {"type", "message", "details": {"error_code"}}}."""
    words = error.api_message if isinstance(error.api_message, str) else ""
    return Rejection(
        status=error.status_code,
        code=str(error.error_code or error.type or ""),
        words=f"{error.type or ''} {words}",
        retry_after=retry_after_seconds(error.response.headers),
        address=asked_at(error.response),
    )
