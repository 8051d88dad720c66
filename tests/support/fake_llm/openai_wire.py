"""OpenAI's chat completions as they look on the wire."""

from collections.abc import Mapping
from typing import Any

from tests.support.fake_llm.behaviour import Answer, Trouble

Body = dict[str, Any]

PATH = "/v1/chat/completions"


def schema_of(request: Body) -> Mapping[str, Any] | None:
    form = request.get("response_format", {})
    return form["json_schema"]["schema"] if form.get("type") == "json_schema" else None


def said_by_user(request: Body) -> str:
    return str(request["messages"][-1]["content"])


def answer(answer: Answer, text: str, request: Body) -> Body:
    refused = answer.finish == "refused"
    message = {"role": "assistant", "content": None if refused else text, "refusal": text if refused else None}
    choice: Body = {"index": 0, "message": message, "finish_reason": "length" if answer.finish == "length" else "stop"}
    if answer.logprobs:
        tokens = [
            {"token": token, "logprob": value, "bytes": None, "top_logprobs": _top(top)}
            for token, value, top in answer.logprobs
        ]
        choice["logprobs"] = {"content": tokens, "refusal": None}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": f"{request['model']}-2026-01-02",
        "choices": [choice],
        "usage": {
            "prompt_tokens": answer.tokens.input,
            "completion_tokens": answer.tokens.output,
            "total_tokens": answer.tokens.input + answer.tokens.output,
            "prompt_tokens_details": {
                "cached_tokens": answer.tokens.cached,
                "cache_write_tokens": answer.tokens.written,
            },
        },
    }


def _top(top: Mapping[str, float]) -> list[Body]:
    return [{"token": token, "logprob": value, "bytes": None} for token, value in top.items()]


def blocked(request: Body) -> Body:
    reply = answer(Answer(), "", request)
    reply["choices"][0]["finish_reason"] = "content_filter"
    return reply


def failure(trouble: Trouble, key: str, request: Body) -> tuple[int, Body]:
    model, text = request["model"], said_by_user(request)
    status, kind, code, parameter, words = {
        "wrong-key": (401, "invalid_request_error", "invalid_api_key", None, f"Incorrect API key provided: {key}."),
        "no-access": (403, "invalid_request_error", "model_not_found", None, f"No access to model {model}."),
        "unknown-model": (404, "invalid_request_error", "model_not_found", None, f"The model {model} does not exist."),
        "quota": (429, "insufficient_quota", "insufficient_quota", None, "You exceeded your current quota."),
        "rate-limit": (429, "requests", "rate_limit_exceeded", None, f"Rate limit reached for {model}."),
        "no-room": (429, "resource_unavailable", "resource_unavailable", None, f"No room for {model}: {text}"),
        "no-tier": (400, "invalid_request_error", "invalid_value", "service_tier", f"Not for {model}: flex. {text}"),
        "too-long": (400, "invalid_request_error", "context_length_exceeded", "messages", f"Too long: {text}"),
        "window": (  # as llama-cpp-python words it
            400,
            "invalid_request_error",
            "context_length_exceeded",
            "messages",
            "This model's maximum context length is 4096 tokens, however you requested 270002 tokens.",
        ),
        "no-temperature": (
            400,
            "invalid_request_error",
            "unsupported_value",
            "temperature",
            "Unsupported value: 'temperature' does not support 0.0 with this model. Only the default is supported.",
        ),
        "no-schema-mode": (
            400,
            "invalid_request_error",
            None,
            "response_format",
            "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.",
        ),
        "no-json-schema": (  # as llama-cpp-python words it
            500,
            "internal_server_error",
            None,
            None,
            "[{'type': 'literal_error', 'loc': ('body', 'response_format', 'type'), "
            "'msg': \"Input should be 'text' or 'json_object'\", 'input': 'json_schema'}]",
        ),
        "no-schema-beside": (
            422,
            "invalid_request",
            None,
            None,
            "response_format.schema: Extra inputs are not permitted",
        ),
        "no-json-mode": (400, "invalid_request_error", None, None, "response_format is not supported here."),
        "no-logprobs": (
            400,
            "invalid_request_error",
            "unsupported_parameter",
            "logprobs",
            "logprobs not supported here.",
        ),
        "no-limit-parameter": (
            400,
            "invalid_request_error",
            "unsupported_parameter",
            "max_tokens" if "max_tokens" in request else "max_completion_tokens",
            "Unsupported parameter: use the other one instead.",
        ),
        "bad-request": (400, "invalid_request_error", f"bad {key}", None, f"Could not handle {text} with {key}."),
    }[trouble]
    return status, {"error": {"message": words, "type": kind, "param": parameter, "code": code}}
