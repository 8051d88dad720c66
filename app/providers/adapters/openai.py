"""Adapter for OpenAI's chat completions, and for servers with the same wire format."""

import hashlib
import time
from collections.abc import Mapping
from typing import Any

import openai
from openai import APIStatusError, AsyncOpenAI

from app.domain.model_call import Finish
from app.errors import ProviderError
from app.providers.adapters.calling import DEFAULT_TIMEOUT, SdkModel, call, guarded
from app.providers.adapters.connections import client_options, read_sdk_error
from app.providers.adapters.provider_errors import (
    Rejection,
    asked_at,
    billed,
    no_logprobs,
    retry_after_seconds,
    unreadable,
)
from app.providers.adapters.reply_text import ending_name, message_text, part_of, text_of
from app.providers.adapters.request_style import RequestStyle, is_closed, memory_of, opening_texts
from app.providers.base import ChatReply, ChatRequest, TokenLogprob, Usage, counted_usage
from app.providers.credentials import Endpoint
from app.providers.model_name import ModelName
from app.providers.pricing import FLEX, STANDARD
from app.providers.specs import JsonForm

_USUAL = {"stop", "length", "content_filter", "tool_calls", "function_call"}


class OpenAIModel(SdkModel):
    """A model behind an OpenAI-style endpoint; `for_openai` tells OpenAI's own service from compatible ones."""

    def __init__(
        self, name: ModelName, client: AsyncOpenAI, timeout: float, most_output: int | None, for_openai: bool = True
    ) -> None:
        super().__init__(name, client, memory_of(name, most_output, str(client.base_url)), timeout)
        self._for_openai = for_openai

    async def complete(self, request: ChatRequest) -> ChatReply:
        started = time.perf_counter()

        async def send(sized: ChatRequest, style: RequestStyle) -> Any:
            # `create` walks through every parameter it knows, and builds an object of every part of the answer, which
            # may hold anything anyway: a fifth of a call's CPU time.
            body = {"model": self._name.model, **self._body(sized, style)}
            key = idempotency_header(sized)
            return await self._client.post("/chat/completions", body=body, cast_to=object, options={"headers": key})

        answer, room = await call(self._name, self._memory, request, send, self._read_error, self._timeout)
        reply = self._reply(answer, request, time.perf_counter() - started)
        if request.schema is not None and reply.finish == "stop":
            self._memory.gave_json(reply.text)
        return self._memory.room.noted(reply, request, room)

    async def transcribe(self, audio: bytes, file_name: str) -> str:
        """Return the text of a recording, through the transcription endpoint of OpenAI and compatible servers."""
        asked = self._client.audio.transcriptions.create(file=(file_name, audio), model=self._name.model)
        answer: object = await guarded(self._name, asked, self._read_error, self._timeout)
        text = getattr(answer, "text", None)
        if not isinstance(text, str):
            raise unreadable(self._name)
        return text.strip()

    def _body(self, request: ChatRequest, style: RequestStyle) -> dict[str, Any]:
        body: dict[str, Any] = {"messages": _messages(request, style), style.limit_parameter: request.max_output_tokens}
        if self._for_openai:
            body |= prompt_cache_key(request)
        if style.cache_mark:
            # Else the whole prompt is written to the cache, at 1.25 times its price, although only the part before the
            # mark is ever read again.
            body["prompt_cache_options"] = {"mode": "explicit"}
        if request.temperature is not None and style.temperature:
            body["temperature"] = request.temperature
        if request.top_p is not None and style.temperature and style.top_p:
            body["top_p"] = request.top_p
        if request.tier and self._for_openai:
            body["service_tier"] = request.tier
        if request.effort:
            body["reasoning_effort"] = request.effort
        if request.schema is not None and style.json_form != "prompt":
            body["response_format"] = _json_form(request.schema, style.json_form)
        if request.top_logprobs:
            body |= {"logprobs": True, "top_logprobs": request.top_logprobs}
        return body

    def _reply(self, answer: Any, request: ChatRequest, seconds: float) -> ChatReply:
        # Nobody checked what came: look-alikes and proxies may send anything.
        choices = part_of(answer, "choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        if choices == []:  # an answer that holds nothing, and is paid
            choice = {"message": {}, "finish_reason": "stop"}
        message = part_of(choice, "message")
        if not isinstance(choice, Mapping) or not isinstance(message, Mapping):
            paid = part_of(answer, "usage") is not None
            raise billed(unreadable(self._name), _usage(answer)) if paid else unreadable(self._name)
        finish = _finish(choice)
        logprobs = _logprobs(choice)
        if request.top_logprobs and finish == "stop" and message_text(message).strip():
            self._memory.gave_logprobs(bool(logprobs))
        if request.top_logprobs and not logprobs and finish == "stop" and message_text(message).strip():
            raise billed(no_logprobs(self._name), _usage(answer))
        # A local server reports the path of a file on its disk.
        said = answer.get("model")
        reported = said if self._for_openai and isinstance(said, str) and said else self._name.model
        return ChatReply(
            text=text_of(message.get("refusal")) or message_text(message),
            model=str(ModelName(self._name.provider, reported)),
            usage=_usage(answer),
            finish=finish,
            seconds=seconds,
            logprobs=logprobs,
            ending=ending_name(choice.get("finish_reason"), _USUAL),
            tier=_tier(answer),
        )

    def _read_error(self, error: Exception) -> Rejection | ProviderError | None:
        return read_error(self._name, error, self._timeout)


def prompt_cache_key(request: ChatRequest) -> dict[str, str]:
    """Return the parameter that sends requests with the same constant part to the same machine, where it is cached."""
    system = request.prompt.system
    return {"prompt_cache_key": hashlib.sha256(system.encode()).hexdigest()} if system else {}


def idempotency_header(request: ChatRequest) -> dict[str, str]:
    """Return the idempotency header; servers that don't know it ignore it, and OpenAI promises nothing about it."""
    return {"Idempotency-Key": request.idempotency_key} if request.idempotency_key else {}


def read_error(name: ModelName, error: Exception, timeout: float) -> Rejection | ProviderError | None:
    """Return what an exception of the SDK means; None for other exceptions. timeout: the client's, in seconds."""
    return read_sdk_error(openai, name, error, timeout, _rejection)


def open_model(
    name: ModelName, endpoint: Endpoint, timeout: float = DEFAULT_TIMEOUT, most_output: int | None = None
) -> OpenAIModel:
    """Open the model with a client, which stays open until `aclose`."""
    return OpenAIModel(name, AsyncOpenAI(**client_options(openai, endpoint, timeout)), timeout, most_output)


def _messages(request: ChatRequest, style: RequestStyle) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = []
    system, user = opening_texts(request, style)
    if system:
        messages.append({"role": "system", "content": _marked(system) if style.cache_mark else system})
    messages.append({"role": "user", "content": _marked(user) if style.cache_mark and request.repeated else user})
    for turn in request.turns:
        messages.append({"role": "assistant", "content": turn.answer})
        messages.append({"role": "user", "content": turn.correction})
    return messages


def _marked(text: str) -> list[dict[str, Any]]:
    """Return a block of text that ends the cached part of the prompt."""
    return [{"type": "text", "text": text, "prompt_cache_breakpoint": {"mode": "explicit"}}]


def _json_form(schema: Mapping[str, Any], form: JsonForm) -> dict[str, Any]:
    match form:
        case "json_schema":
            strict = is_closed(schema, all_required=True)
            return {"type": form, "json_schema": {"name": "answer", "strict": strict, "schema": dict(schema)}}
        case "json_object_schema":  # llama.cpp and llama-cpp-python hold the answer to it
            return {"type": "json_object", "schema": dict(schema)}
        case _:
            return {"type": "json_object"}


def _finish(choice: Mapping[str, Any]) -> Finish:
    reason = choice.get("finish_reason")
    if part_of(choice.get("message"), "refusal") or reason == "content_filter":
        return "refused"
    return "length" if reason == "length" else "stop"


def _usage(answer: object) -> Usage:
    said = part_of(answer, "usage")
    details = part_of(said, "prompt_tokens_details")
    return counted_usage(
        part_of(said, "prompt_tokens"),
        part_of(said, "completion_tokens"),
        part_of(details, "cached_tokens"),
        part_of(details, "cache_write_tokens"),
    )


def _tier(answer: object) -> str | None:
    said = part_of(answer, "service_tier")
    return (FLEX if said == FLEX else STANDARD) if isinstance(said, str) else None


def _logprobs(choice: Mapping[str, Any]) -> tuple[TokenLogprob, ...]:
    """Return the log-probabilities of the whole reply, or none: a gap would shift all later positions."""

    def read(token: object) -> tuple[str, float]:
        word, logprob = part_of(token, "token"), part_of(token, "logprob")
        if not isinstance(word, str) or not isinstance(logprob, int | float):
            raise TypeError
        return word, logprob

    try:
        tokens = part_of(part_of(choice, "logprobs"), "content") or ()
        return tuple(
            TokenLogprob(*read(token), dict(map(read, part_of(token, "top_logprobs") or ()))) for token in tokens
        )
    except TypeError:
        return ()


def _rejection(error: APIStatusError) -> Rejection:
    """Return the rejection of {"error": {message, type, param, code}}, OpenAI's form, or of compatible servers'
    {"message"}, {"detail": [{"loc"}]} or prose."""
    body = error.body if isinstance(error.body, dict) else {}
    detail = body.get("detail")
    objections = [item for item in detail if isinstance(item, dict)] if isinstance(detail, list) else []
    places = [str(item.get("loc")) for item in objections]
    said = body.get("message") or (detail if isinstance(detail, str) else "")
    said = said or " ".join(str(item.get("msg", "")) for item in objections)
    return Rejection(
        status=error.status_code,
        code=str(error.code or error.type or ""),
        parameter=" ".join([str(error.param or ""), *places]).strip(),
        words=f"{error.type or ''} {said or (error.body if isinstance(error.body, str) else '')}",
        retry_after=retry_after_seconds(error.response.headers),
        address=asked_at(error.response),
    )
