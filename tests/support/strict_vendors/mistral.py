"""Mistral as of November 2026: chat completions and the list of models, at addresses that begin with /mistral."""

import re
from collections.abc import Mapping
from typing import Any

from tests.support.fake_llm.mistral_wire import unknown_part
from tests.support.strict_vendors.account import Account, Body, RefusedRequest, tokens
from tests.support.strict_vendors.call import Call, text_of
from tests.support.strict_vendors.model import Prompt, reply_to
from tests.support.strict_vendors.openai import bill, completion, prompt_in

_MODELS = (
    # Names, the efforts they take, the usual one. A model without efforts doesn't reason.
    (r"mistral-large-4(-0)?", "none low medium high", "high"),
    (r"mistral-(small-(2603|latest)|medium-(3[.-]5|2604|latest))", "none high", "none"),
    (r"mistral-(large-2512|medium-2508|small-2506)|(ministral-8b|devstral)-2512|open-mistral-nemo", "", ""),
)
_CONTEXT = {"mistral-large-4": 1_048_576}
_LISTED = ("mistral-large-4", "mistral-small-2603", "mistral-embed", "mistral-ocr-4-1")
_FIELDS_NAMES = """
    model messages temperature top_p max_tokens stream stop random_seed metadata response_format tools tool_choice
    presence_penalty frequency_penalty n prediction parallel_tool_calls reasoning_effort prompt_mode guardrails
    prompt_cache_key safe_prompt
"""
_FIELDS = frozenset(_FIELDS_NAMES.split())
_MESSAGE_FIELDS = frozenset(["role", "content", "tool_calls", "prefix", "name", "tool_call_id"])
_CACHE_BLOCK = 64


def error(
    words: str,
    kind: str = "invalid_request_invalid_args",
    code: str | None = "3051",
    status: int = 400,
    headers: Mapping[str, str] | None = None,
) -> RefusedRequest:
    body = {"object": "error", "message": words, "type": kind, "param": None, "code": code, "raw_status_code": status}
    return RefusedRequest(status, body, kind, headers)


def wrong_key() -> RefusedRequest:
    return RefusedRequest(401, {"message": "Unauthorized", "request_id": "0"}, "unauthorized")


def overloaded() -> RefusedRequest:
    return error("Service tier capacity exceeded for this model.", "service_tier_capacity_exceeded", "3505", 429)


def out_of_order() -> RefusedRequest:
    return error("Internal server error", "internal_server_error", "1000", 500)


def over_the_limit(style: str, headers: Mapping[str, str]) -> RefusedRequest:
    return error("Rate limit exceeded", "rate_limited", "1300", 429, headers)


def answer(call: Call) -> Body | None:
    """None where nothing is served at the path."""
    match call.method, call.path:
        case "GET", "/v1/models":
            return {"object": "list", "data": [_listed(name) for name in _LISTED]}
        case "POST", "/v1/chat/completions":
            return _chat(call.account, call.body)
    return None


def _listed(name: str) -> Body:
    chats = not re.search("embed|ocr", name)
    return {"id": name, "object": "model", "created": 1, "capabilities": {"completion_chat": chats}, "type": "base"}


def _chat(account: Account, body: Body) -> Body:
    reasons = _checked(body)
    messages, form = body["messages"], body.get("response_format") or {}
    schema = form["json_schema"]["schema"] if form.get("type") == "json_schema" else None
    said = reply_to(account, Prompt(*prompt_in(messages), schema, body.get("max_tokens"), reasons))
    content: Any = "" if said.outcome in ("declined", "filtered") else said.text
    read = account.through_cache(body.get("prompt_cache_key") or "", [prompt_in(messages)[0]])[0]
    cached = read // _CACHE_BLOCK * _CACHE_BLOCK
    counts = bill(account, messages, content, said, cached)
    if said.reasoning:
        thought = {"type": "thinking", "thinking": [{"type": "text", "text": "One thing, then the other."}]}
        content = [thought, {"type": "text", "text": content}]
    message = {"role": "assistant", "content": content, "tool_calls": None}
    finish = "content_filter" if said.outcome in ("declined", "filtered") else "length" if said.cut else "stop"
    made = completion(body, said, message, finish, None)
    for choice in made["choices"]:
        del choice["logprobs"]
    del made["service_tier"]
    return made | {"usage": counts | {"prompt_tokens_details": {"cached_tokens": cached}}}


def _checked(body: Body) -> bool:
    """Whether the model reasons. Raises RefusedRequest for what it doesn't take."""
    _check_parts(body)
    model, effort = body["model"], body.get("reasoning_effort")
    known = next(((efforts.split(), usual) for names, efforts, usual in _MODELS if re.fullmatch(names, model)), None)
    if known is None:
        raise error(f"Invalid model: {model}", "invalid_model", "1500")
    efforts, usual = known
    if effort is not None and effort not in efforts:
        named = ", ".join(f"<ReasoningEffort.{each}: '{each}'>" for each in efforts)
        words = f"reasoning_effort='{effort}' is not supported for this model."
        raise error(f"{words} Must be one of ({named})" if named else words)
    if body.get("temperature") == 0 and body.get("top_p", 1) != 1:
        raise error("top_p must be 1 when using greedy sampling.")
    if body["messages"][-1]["role"] == "assistant":
        raise error("Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant")
    sent, context = sum(tokens(text_of(each["content"])) for each in body["messages"]), _CONTEXT.get(model, 262_144)
    if sent > context:
        raise error(
            f"Prompt contains {sent} tokens and 0 draft tokens, too large for model with {context} maximum context "
            "length"
        )
    return (effort or usual) not in ("", "none")


def _check_parts(body: Body) -> None:
    """Refuse parts that aren't Mistral's, and values out of range."""
    form = body.get("response_format") or {}
    written = form.get("json_schema") or {}
    parts = [
        *([name] for name in set(body) - _FIELDS),
        *(["response_format", name] for name in set(form) - {"type", "json_schema"}),
        *(
            ["response_format", "json_schema", name]
            for name in set(written) - {"name", "description", "schema", "strict"}
        ),
        *(
            ["messages", str(place), message["role"], name]
            for place, message in enumerate(body["messages"])
            for name in set(message) - _MESSAGE_FIELDS
        ),
    ]
    if parts:
        name = " ".join(sorted(".".join(part) for part in parts))
        raise RefusedRequest(422, {"detail": [unknown_part(*part, "...") for part in sorted(parts)]}, name)
    if not 0 <= (body.get("temperature") or 0) <= 1.5:
        objection = {"type": "less_than_equal", "loc": ["body", "temperature"], "msg": "Input should be at most 1.5"}
        raise RefusedRequest(422, {"detail": [objection]}, "temperature")
