"""Mistral's chat completions as they look on the wire, at addresses that contain /mistral."""

from collections.abc import Mapping
from typing import Any

from tests.support.fake_llm import openai_wire
from tests.support.fake_llm.behaviour import Answer, Trouble

Body = dict[str, Any]

PATH = "/mistral/v1/chat/completions"

schema_of = openai_wire.schema_of


def answer(answer: Answer, text: str, request: Body) -> Body:
    """Its list of endings names none for a refusal; content_filter is what others with this format use."""
    ending = {"length": "model_length", "refused": "content_filter"}.get(answer.finish, "stop")
    message = {"role": "assistant", "content": text, "tool_calls": None}
    return {
        "id": "cmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": request["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": ending}],
        "usage": {
            "prompt_tokens": answer.tokens.input,
            "completion_tokens": answer.tokens.output,
            "total_tokens": answer.tokens.input + answer.tokens.output,
            "prompt_tokens_details": {"cached_tokens": answer.tokens.cached},
        },
    }


def blocked(request: Body) -> Body:
    return answer(Answer(finish="refused"), "", request)


def failure(trouble: Trouble, key: str, request: Body) -> tuple[int, Body]:
    model, text = request["model"], openai_wire.said_by_user(request)
    if trouble in _UNKNOWN_PARTS:
        return 422, {"detail": [unknown_part(*_UNKNOWN_PARTS[trouble], text)]}
    if trouble == "wrong-key":
        return 401, {"message": "Unauthorized", "request_id": f"of {key}"}
    status, kind, code, words = {
        "no-access": (403, "forbidden", None, f"No access to {model}."),
        "unknown-model": (400, "invalid_model", "1500", f"Invalid model: {model}"),
        "quota": (402, "payment_required", None, f"The spending limit of {key} is reached."),
        "rate-limit": (429, "rate_limited", "1300", "Rate limit exceeded"),
        "too-long": (
            400,
            "invalid_request_invalid_args",
            "3051",
            "Prompt contains 159202 tokens and 0 draft tokens, too large for model with 131072 maximum context length",
        ),
        "bad-request": (400, f"bad {key}", "3051", f"Could not handle {text} with {key}."),
    }[trouble]
    said = {"object": "error", "message": words, "type": kind, "param": None, "code": code, "raw_status_code": status}
    return status, said


_UNKNOWN_PARTS: Mapping[str, tuple[str, ...]] = {
    "no-temperature": ("temperature",),
    "no-schema-mode": ("response_format", "json_schema"),
    "no-json-mode": ("response_format",),
    "no-logprobs": ("logprobs",),
}


def unknown_part(*loc: str) -> Body:
    """The objection to a part of the body, which ends with what was given there."""
    *path, given = loc
    return {"type": "extra_forbidden", "loc": ["body", *path], "msg": "Extra inputs are not permitted", "input": given}
