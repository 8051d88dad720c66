"""Anthropic's messages as they look on the wire."""

from collections.abc import Mapping
from typing import Any

from tests.support.fake_llm.behaviour import Answer, Trouble

Body = dict[str, Any]

PATH = "/v1/messages"

_STOP = {"stop": "end_turn", "length": "max_tokens", "refused": "refusal"}


def schema_of(request: Body) -> Mapping[str, Any] | None:
    form = request.get("output_config", {}).get("format")
    return form["schema"] if form else None


def said_by_user(request: Body) -> str:
    return str(request["messages"][-1]["content"])


def answer(answer: Answer, text: str, request: Body) -> Body:
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": request["model"],
        "content": [
            {"type": "thinking", "thinking": "Let me see.", "signature": "s"},
            {"type": "text", "text": text},
        ],
        "stop_reason": _STOP[answer.finish],
        "stop_sequence": None,
        "usage": {
            "input_tokens": answer.tokens.input - answer.tokens.cached - answer.tokens.written,
            "cache_creation_input_tokens": answer.tokens.written,
            "cache_read_input_tokens": answer.tokens.cached,
            "output_tokens": answer.tokens.output,
        },
    }


def blocked(request: Body) -> Body:
    return answer(Answer(finish="refused"), "", request) | {"content": []}


def failure(trouble: Trouble, key: str, request: Body) -> tuple[int, Body]:
    text = said_by_user(request)
    status, kind, words = {
        "wrong-key": (401, "authentication_error", f"invalid x-api-key {key}"),
        "no-access": (403, "permission_error", f"Your key {key} may not use this resource."),
        "unknown-model": (404, "not_found_error", f"model: {request['model']}"),
        "quota": (400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API."),
        "rate-limit": (429, "rate_limit_error", "This request would exceed your rate limit."),
        "too-long": (400, "invalid_request_error", f"prompt is too long: 210000 tokens > 200000 maximum. {text}"),
        "no-temperature": (400, "invalid_request_error", "`temperature` is deprecated for this model."),
        "no-schema-mode": (400, "invalid_request_error", "output_config.format: not supported by this model."),
        "no-logprobs": (400, "invalid_request_error", "logprobs: Extra inputs are not permitted"),
        "no-limit-parameter": (400, "invalid_request_error", "max_tokens: Extra inputs are not permitted"),
        "bad-request": (400, "invalid_request_error", f"Could not handle {text} with {key}."),
    }[trouble]
    return status, {"type": "error", "error": {"type": kind, "message": words}, "request_id": "req_1"}
