"""Adapter for Google's Gemini through google-genai."""

import json
import time
import traceback
import warnings
from collections.abc import Mapping
from typing import Any

import httpx2
from google.genai import Client
from google.genai.errors import APIError
from google.genai.types import (
    AutomaticFunctionCallingConfig,
    Candidate,
    Content,
    EmbedContentResponse,
    FinishReason,
    GenerateContentConfig,
    GenerateContentResponse,
    HttpOptions,
    Part,
    ServiceTier,
)
from pydantic import ValidationError

from app.domain.model_call import Finish
from app.errors import ProviderError
from app.providers.adapters.calling import DEFAULT_TIMEOUT, SdkModel, call
from app.providers.adapters.connections import RedirectedError, at_home, spread_connections, trusted, was_sent
from app.providers.adapters.provider_errors import (
    Rejection,
    asked_at,
    billed,
    led_elsewhere,
    no_logprobs,
    retry_after_seconds,
    timed_out,
    unreachable,
    unreadable,
)
from app.providers.adapters.reply_text import ending_name
from app.providers.adapters.request_style import RequestStyle, memory_of, opening_texts
from app.providers.base import ChatReply, ChatRequest, TokenLogprob, Usage, counted_usage
from app.providers.credentials import Endpoint
from app.providers.model_name import ModelName
from app.providers.model_options import check_effort
from app.providers.pricing import FLEX, STANDARD

# An ending that the SDK doesn't know yet is no news for a person at a terminal; the text it befalls says it.
warnings.filterwarnings("ignore", r".* is not a valid \w+", UserWarning, r"google\.genai\..*")

# Tokens of thought for the models that count them instead of naming a level, as Google's own OpenAI endpoint does.
BUDGETS: Mapping[str, int] = {"none": 0, "minimal": 1024, "low": 1024, "medium": 8192, "high": 24_576}
_CUT_OFF = {FinishReason.MAX_TOKENS, FinishReason.CONTINUATION}
_REFUSED = {
    FinishReason.SAFETY,
    FinishReason.RECITATION,
    FinishReason.BLOCKLIST,
    FinishReason.PROHIBITED_CONTENT,
    FinishReason.SPII,
    FinishReason.LANGUAGE,
    FinishReason.ESCALATION,
    FinishReason.PUP_LIMITED_DISABLED,
    FinishReason.MODEL_ARMOR,
}
_USUAL = {FinishReason.STOP, FinishReason.FINISH_REASON_UNSPECIFIED, *_CUT_OFF, *_REFUSED}


class GoogleModel(SdkModel):
    """A Gemini model. The constant part of the prompt is the system instruction; Google caches such prefixes itself."""

    async def complete(self, request: ChatRequest) -> ChatReply:
        started = time.perf_counter()

        async def send(sized: ChatRequest, style: RequestStyle) -> GenerateContentResponse:
            contents, config = self._body(sized, style)
            asked = self._client.aio.models.generate_content(model=self._name.model, contents=contents, config=config)
            answer: GenerateContentResponse = await asked
            return answer

        answer, room = await call(self._name, self._memory, request, send, self._read_error, self._timeout)
        reply = self._reply(answer, request, time.perf_counter() - started)
        return self._memory.room.noted(reply, request, room)

    def _body(self, request: ChatRequest, style: RequestStyle) -> tuple[list[Content], GenerateContentConfig]:
        def said(role: str, text: str) -> Content:
            return Content(role=role, parts=[Part(text=text)])

        contents = [said("user", opening_texts(request, style)[1])]
        for turn in request.turns:
            contents += [said("model", turn.answer), said("user", turn.correction)]
        return contents, _config(self._name, request, style)

    async def aclose(self) -> None:
        await self._client.aio.aclose()
        self._client.close()

    def _reply(self, answer: GenerateContentResponse, request: ChatRequest, seconds: float) -> ChatReply:
        candidate = answer.candidates[0] if answer.candidates else None
        blocked = answer.prompt_feedback is not None and answer.prompt_feedback.block_reason is not None
        silent = answer.candidates == [] and not blocked  # an answer that holds nothing, and is paid
        candidate = Candidate(finish_reason=FinishReason.STOP) if silent else candidate
        empty = candidate is None or (candidate.content is None and candidate.finish_reason is None)
        if empty and not blocked:
            raise billed(unreadable(self._name), _usage(answer))
        finish = _finish(candidate)
        logprobs = _logprobs(candidate)
        if request.top_logprobs and not logprobs and finish == "stop" and _text(candidate).strip():
            raise billed(no_logprobs(self._name), _usage(answer))
        headers = answer.sdk_http_response.headers if answer.sdk_http_response else None
        said = (headers or {}).get("x-gemini-service-tier")
        return ChatReply(
            text=_text(candidate),
            model=str(ModelName(self._name.provider, answer.model_version or self._name.model)),
            usage=_usage(answer),
            finish=finish,
            seconds=seconds,
            logprobs=logprobs,
            ending=ending_name(candidate.finish_reason if candidate else None, _USUAL),
            tier=None if said is None else FLEX if said.lower() == FLEX else STANDARD,
        )

    def _read_error(self, error: Exception) -> Rejection | ProviderError | None:
        return read_error(self._name, error, self._timeout)


def read_error(name: ModelName, error: Exception, timeout: float) -> Rejection | ProviderError | None:
    """Return what an exception of the SDK means; None for other exceptions. timeout: the client's, in seconds."""
    match error:
        case APIError():
            return _rejection(error)
        case RedirectedError():
            return led_elsewhere(name)
        case httpx2.ConnectTimeout() | httpx2.PoolTimeout():
            return unreachable(name, _address(error), was_sent(error))
        case httpx2.TimeoutException():
            return timed_out(name, timeout)
        case httpx2.RequestError():
            return unreachable(name, _address(error), was_sent(error))
        case json.JSONDecodeError():
            return unreadable(name)
        case ValidationError() if error.title in (GenerateContentResponse.__name__, EmbedContentResponse.__name__):
            return unreadable(name)
        case TypeError() | AttributeError() | KeyError() | ValueError() if _reading_a_reply(error):
            return unreadable(name)
    return None


def _reading_a_reply(error: Exception) -> bool:
    """Return whether the SDK failed at reading a reply: it goes through a reply before checking its form."""
    walked = (frame.f_code.co_name for frame, _ in traceback.walk_tb(error.__traceback__))
    return any(name.endswith("_from_mldev") for name in walked)


def _address(error: httpx2.RequestError) -> str:
    try:
        return asked_at(error.request)
    except RuntimeError:  # the library's own where it knows of none
        return ""


def open_model(
    name: ModelName, endpoint: Endpoint, timeout: float = DEFAULT_TIMEOUT, most_output: int | None = None
) -> GoogleModel:
    """Open the model with a client, which stays open until `aclose`."""
    # The SDK's own limit keeps only 20 connections alive and would reopen the rest for every call.
    limits = httpx2.Limits(max_connections=1000, max_keepalive_connections=100)
    options = HttpOptions(
        base_url=endpoint.base_url,
        timeout=int(timeout * 1000),
        async_client_args={
            "verify": trusted(),
            "ssl": trusted(),  # for web sockets; without it the SDK reads the certificates for each client, in 30 ms
            "limits": limits,
            "mounts": spread_connections(),
            "event_hooks": at_home(endpoint.base_url),
        },
    )
    client = Client(enterprise=False, api_key=endpoint.key.get_secret_value(), http_options=options)
    return GoogleModel(name, client, memory_of(name, most_output), timeout)


def _config(name: ModelName, request: ChatRequest, style: RequestStyle) -> GenerateContentConfig:
    by_schema = request.schema is not None and style.json_schema
    return GenerateContentConfig(
        system_instruction=opening_texts(request, style)[0] or None,
        temperature=request.temperature if style.temperature else None,
        top_p=request.top_p if style.temperature and style.top_p else None,
        max_output_tokens=request.max_output_tokens,
        http_options=HttpOptions(
            # The tiers are described for the beta version alone.
            api_version="v1beta" if style.beta or request.tier else None,
            extra_body=_thinking(name, request.effort),
        ),
        response_mime_type="application/json" if by_schema else None,
        response_json_schema=dict(request.schema or {}) if by_schema else None,
        response_logprobs=True if request.top_logprobs else None,
        logprobs=request.top_logprobs or None,
        service_tier=ServiceTier(request.tier) if request.tier else None,
        # One request is one call: the SDK must neither call functions nor continue by itself.
        automatic_function_calling=AutomaticFunctionCallingConfig(disable=True),
        automatic_continuation=False,
    )


def _thinking(name: ModelName, effort: str) -> dict[str, Any] | None:
    """Return the thinking settings for an effort: a number of tokens before Gemini 3, a level from then on. Raises
    EffortError for other models.

    A plain dict, because the SDK's own setting would keep its own spelling of the names within it.
    """
    if not effort:
        return None
    check_effort(str(name), effort)
    by_count = name.model.startswith("gemini-2.5")
    chosen = {"thinkingBudget": BUDGETS[effort]} if by_count else {"thinkingLevel": effort.upper()}
    return {"generationConfig": {"thinkingConfig": chosen}}


def _finish(candidate: Candidate | None) -> Finish:
    if candidate is None or candidate.finish_reason in _REFUSED:
        return "refused"
    return "length" if candidate.finish_reason in _CUT_OFF else "stop"


def _text(candidate: Candidate | None) -> str:
    parts = (candidate.content.parts or []) if candidate and candidate.content else []
    said = "".join(part.text for part in parts if part.text and not part.thought)
    called = [part.function_call.args for part in parts if part.function_call] if not said.strip() else []
    return said or "\n".join(json.dumps(arguments, ensure_ascii=False) for arguments in called if arguments)


def _usage(answer: GenerateContentResponse) -> Usage:
    said = answer.usage_metadata
    if said is None:
        return Usage(known=False)
    # What the model thinks is billed as output.
    output = (said.candidates_token_count or 0) + (said.thoughts_token_count or 0)
    return counted_usage(said.prompt_token_count, output, said.cached_content_token_count)


def _logprobs(candidate: Candidate | None) -> tuple[TokenLogprob, ...]:
    result = candidate.logprobs_result if candidate else None
    if result is None:
        return ()
    chosen, tops = result.chosen_candidates or [], result.top_candidates or []
    found: list[TokenLogprob] = []
    for place, token in enumerate(chosen):
        others = (tops[place].candidates or []) if place < len(tops) else []
        top = {other.token or "": other.log_probability for other in others if other.log_probability is not None}
        if token.log_probability is not None:
            found.append(TokenLogprob(token.token or "", token.log_probability, top))
    return tuple(found)


def _rejection(error: APIError) -> Rejection:
    """Return the rejection of {"error": {"code", "message", "status", "details": [...]}}, Google's form; details name
    key, quota and delay."""
    body = error.details if isinstance(error.details, dict) else {}
    said = body.get("error", body)
    details = said.get("details") if isinstance(said, dict) else None
    parts = [item for item in details if isinstance(item, dict)] if isinstance(details, list) else []
    quotas = [str(v.get("quotaId", "")) for p in parts for v in p.get("violations", ()) if isinstance(v, dict)]
    reasons = [str(part.get("reason", "")) for part in parts]
    headers = getattr(error.response, "headers", None) or {}
    wait = retry_after_seconds(headers)
    return Rejection(
        status=error.code,
        code=str(error.status or ""),
        words=" ".join([*reasons, *quotas, str(error.message or "")]),
        retry_after=wait if wait is not None else _retry_delay(parts),
        address=asked_at(error.response),
    )


def _retry_delay(details: list[dict[str, Any]]) -> float | None:
    """Return the delay in seconds of a google.rpc.RetryInfo, written like "34.07s"."""
    for part in details:
        written = part.get("retryDelay")
        if isinstance(written, str):
            return retry_after_seconds({"retry-after": written.removesuffix("s")})
    return None
