"""Anthropic as of November 2026: messages and message batches, with what each model refuses."""

import json
import re
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.support.strict_vendors.account import Account, Body, RefusedRequest, tokens
from tests.support.strict_vendors.call import Answered, Batch, Call, new_id, text_of
from tests.support.strict_vendors.model import Prompt, reply_to

_FAMILY = r"claude-(opus|sonnet|haiku)-"
_MODELS = re.compile(
    r"claude-(fable-5(-[12])?|mythos-5|opus-(5(-5)?|4-[5-8])|sonnet-(5(-5)?|4-[56])|haiku-(5-5|4-5))(-\d{8})?"
)
_FIXED_SAMPLING = re.compile(rf"{_FAMILY}(4-[7-9]|[5-9])|claude-(fable|mythos)")
_NO_PREFILL = re.compile(rf"{_FAMILY}(4-[6-9]|[5-9])|claude-(fable|mythos)")
_REASONS = re.compile(rf"{_FAMILY}[5-9]|claude-(fable|mythos)")
_ALWAYS_REASONS = re.compile(r"claude-(fable|mythos)-5|claude-opus-5-5")
_FIELDS_NAMES = """
    model max_tokens messages system temperature top_p top_k stop_sequences thinking output_config cache_control
    metadata service_tier stream tools tool_choice container context_management fallbacks inference_geo mcp_servers
    speed
"""
_FIELDS = frozenset(_FIELDS_NAMES.split())
_EFFORTS = ("low", "medium", "high", "xhigh", "max")
_NOT_IN_SCHEMAS = frozenset(
    [
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "minLength",
        "maxLength",
        "maxItems",
        "pattern",
    ]
)
_CUSTOM_ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def error(
    words: str, kind: str = "invalid_request_error", status: int = 400, headers: Mapping[str, str] | None = None
) -> RefusedRequest:
    body = {"type": "error", "error": {"type": kind, "message": words}, "request_id": new_id("req_")}
    return RefusedRequest(status, body, kind, headers)


def wrong_key() -> RefusedRequest:
    return error("invalid x-api-key", "authentication_error", 401)


def overloaded() -> RefusedRequest:
    return error("Overloaded", "overloaded_error", 529)


def out_of_order() -> RefusedRequest:
    return error("Internal server error", "api_error", 500)


def over_the_limit(style: str, headers: Mapping[str, str]) -> RefusedRequest:
    return error("This request would exceed your organization's rate limit.", "rate_limit_error", 429, headers)


def answer(call: Call) -> Answered | None:
    """None where nothing is served at the path."""
    batches = call.account.batches
    match call.method, call.path.strip("/").split("/"):
        case "POST", ["v1", "messages"]:
            if "anthropic-version" not in call.headers:
                raise error("anthropic-version: header is required")
            return _message(call.account, call.body)
        case "POST", ["v1", "messages", "batches"]:
            return _new_batch(call)
        case _, ["v1", "messages", "batches", name, *rest] if name in batches:
            batch = batches[name]
            batch.cancelled |= rest == ["cancel"]
            _end(batch, f"{call.base}/v1/messages/batches/{name}/results")
            if rest == ["results"]:
                return b"\n".join(json.dumps(line).encode() for line in batch.lines)
            return batch.about
    return None


def _message(account: Account, body: Body) -> Body:
    model, schema = body.get("model", ""), _checked(body)
    system = text_of(body.get("system"))
    user = next(text_of(message["content"]) for message in body["messages"] if message["role"] == "user")
    kind = (body.get("thinking") or {}).get("type")
    reasons = bool(_REASONS.match(model)) and kind != "disabled"
    said = reply_to(account, Prompt(system, user, schema, body["max_tokens"], reasons))
    content: list[Body] = []
    if said.reasoning:
        content.append({"type": "thinking", "thinking": "", "signature": "c2lnbmVk"})
    if "newblock" in account.options:
        content.append({"type": "a_block_of_tomorrow", "digest": "0"})
    if said.text:
        content.append({"type": "text", "text": said.text})
    stop, output = "max_tokens" if said.cut else "end_turn", said.reasoning + tokens(said.text)
    details = None
    match said.outcome:
        case "declined":
            stop, content, output = "refusal", [], 1
        case "filtered":
            stop, content = "refusal", [{"type": "text", "text": said.text[:20]}]
        case "empty":
            content = []
    if stop == "refusal":
        details = {"type": "refusal", "category": "cyber", "explanation": "It may do harm."}
    sent = tokens(system) + sum(tokens(text_of(message["content"])) for message in body["messages"])
    read, written = account.through_cache("", _marked(body))
    if said.outcome != "declined":  # a refusal before the first word costs nothing
        account.bill(input=sent, cached=read, written=written, output=output, reasoning=said.reasoning)
        account.truncated += said.cut
    usage = {"input_tokens": sent - read - written, "output_tokens": output, "service_tier": "standard"}
    return {
        "id": new_id("msg_"),
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": content,
        "stop_reason": stop,
        "stop_sequence": None,
        "stop_details": details,
        "usage": usage | {"cache_creation_input_tokens": written, "cache_read_input_tokens": read},
    }


def _checked(body: Body) -> Mapping[str, Any] | None:
    """The schema that the answer is to satisfy. Raises RefusedRequest for what the model doesn't take."""
    for name in sorted(set(body) - _FIELDS):
        raise error(f"{name}: Extra inputs are not permitted")
    if not isinstance(body.get("max_tokens"), int):
        raise error("max_tokens: Field required")
    model = str(body["model"])
    if not _MODELS.fullmatch(model):
        raise error(f"model: {model}", "not_found_error", 404)
    most = 64_000 if "4-5" in model else 128_000
    if body["max_tokens"] > most:
        words = f"max_tokens: {body['max_tokens']} > {most}, which is the maximum allowed number of output tokens"
        raise error(f"{words} for {model}")
    for name in ("temperature", "top_p", "top_k") if _FIXED_SAMPLING.match(model) else ():
        if body.get(name) is not None and (name, body[name]) != ("temperature", 1):
            raise error(f"`{name}` is deprecated for this model.")
    kind = (body.get("thinking") or {}).get("type")
    if kind in ("enabled", "disabled") and _ALWAYS_REASONS.match(model):
        raise error(f"thinking.type.{kind} is not supported for this model: use adaptive and output_config.effort.")
    if body["messages"][-1]["role"] == "assistant" and _NO_PREFILL.match(model):
        raise error("This model does not support assistant message prefill.")
    if not all(text_of(message["content"]).strip() for message in body["messages"]):
        raise error("messages: text content blocks must be non-empty")
    return _checked_output(body.get("output_config") or {})


def _checked_output(config: Body) -> Mapping[str, Any] | None:
    for name in sorted(set(config) - {"format", "effort", "task_budget"}):
        raise error(f"output_config.{name}: Extra inputs are not permitted")
    if config.get("effort") is not None and config["effort"] not in _EFFORTS:
        named = ", ".join(f"'{effort}'" for effort in _EFFORTS)
        raise error(f"output_config.effort: Input should be one of {named}")
    schema: Mapping[str, Any] | None = (config.get("format") or {}).get("schema")
    if schema is not None:
        _check_schema(schema)
    return schema


def _check_schema(schema: Mapping[str, Any]) -> None:
    refused = [word for word in schema if word in _NOT_IN_SCHEMAS]
    if schema.get("minItems", 0) > 1:
        refused.append("minItems")
    for word in refused:
        raise error(f"output_config.format.schema: property '{word}' is not supported")
    is_object = schema.get("type") == "object" or "properties" in schema
    if is_object and schema.get("additionalProperties") is not False:
        raise error("output_config.format.schema: 'additionalProperties' must be explicitly set to false")
    for inner in (*schema.get("properties", {}).values(), schema.get("items")):
        if isinstance(inner, Mapping):
            _check_schema(inner)


def _marked(body: Body) -> list[str]:
    """Prefixes of the prompt that end at a mark of the prompt cache."""
    found, so_far = [], ""
    for content in (body.get("system"), *(message["content"] for message in body["messages"])):
        for part in content if isinstance(content, list) else [{"text": content or ""}]:
            so_far += part.get("text", "")
            found += [so_far] if "cache_control" in part else []
    return found


def _new_batch(call: Call) -> Body:
    requests = call.body["requests"]
    names = [request["custom_id"] for request in requests]
    if not all(_CUSTOM_ID.fullmatch(name) for name in names):
        raise error("requests.custom_id: String should match pattern '^[a-zA-Z0-9_-]{1,64}$'")
    if len(set(names)) < len(names):
        raise error("requests: custom_id must be unique")
    batch, now = Batch(call.account, requests), datetime.now(UTC)
    counts = dict.fromkeys(("succeeded", "errored", "canceled", "expired"), 0)
    name = new_id("msgbatch_")
    batch.about = {
        "id": name,
        "type": "message_batch",
        "processing_status": "in_progress",
        "request_counts": counts | {"processing": len(requests)},
        "created_at": now.isoformat(),
        "expires_at": (now + timedelta(days=1)).isoformat(),
        "ended_at": None,
        "cancel_initiated_at": None,
        "archived_at": None,
        "results_url": None,
    }
    call.account.batches[name] = batch
    return batch.about


def _end(batch: Batch, results: str) -> None:
    """Answer what is due."""
    if batch.about["processing_status"] == "ended" or not batch.is_due:
        return
    counts = Counter(processing=0, succeeded=0, errored=0, canceled=0, expired=0)
    for request, outcome in batch.answered(lambda request: _message(batch.account, request["params"]), out_of_order):
        match outcome:
            case RefusedRequest():
                result: Body = {"type": "errored", "error": outcome.body}
            case "expired":
                result = {"type": "expired"}
            case "cancelled":
                result = {"type": "canceled"}
            case _:
                result = {"type": "succeeded", "message": outcome}
        counts[result["type"]] += 1
        batch.lines.append({"custom_id": request["custom_id"], "result": result})
    ended = {"processing_status": "ended", "ended_at": datetime.now(UTC).isoformat(), "results_url": results}
    batch.about |= ended | {"request_counts": dict(counts)}
