"""OpenAI as of November 2026: chat completions, files and batches, with what each model refuses."""

import json
import re
import time
from collections.abc import Mapping
from typing import Any

from tests.support.fake_llm.transcription_wire import read_form
from tests.support.strict_vendors.account import Account, Body, RefusedRequest, tokens
from tests.support.strict_vendors.call import Answered, Batch, Call, new_id, text_of
from tests.support.strict_vendors.model import Prompt, Reply, reply_to
from tests.support.strict_vendors.score_tokens import Token

_MODELS = (
    # Names, the efforts they take, the usual one. A model without efforts doesn't reason.
    (r"gpt-6\.2-(astra|sol)", "low medium high xhigh", "medium"),
    (r"gpt-6-astra|gpt-6\.1-sol", "low medium high xhigh max", "medium"),
    (r"gpt-6(-sol|-luna|\.1-terra)", "none low medium high xhigh max", "medium"),
    (r"gpt-5\.6(-sol|-terra|-luna)?|gpt-5\.5", "none low medium high xhigh", "medium"),
    (r"gpt-5\.4(-mini|-nano)?", "none low medium high xhigh", "none"),
    (r"gpt-5(-mini|-nano)?", "minimal low medium high", "medium"),
    (r"o3|o4-mini", "low medium high", "medium"),
    (r"gpt-4(\.1|o)(-mini)?", "", ""),
)
_MARKS_PREFIXES = re.compile(r"gpt-(5\.6|6)")
_MOST_OUTPUT = {True: 128_000, False: 16_384}  # of models that reason, and of those that don't
_FIELDS_NAMES = """
    model messages response_format max_tokens max_completion_tokens temperature top_p n seed stop logprobs
    top_logprobs reasoning_effort verbosity service_tier prompt_cache_key prompt_cache_options
    prompt_cache_retention presence_penalty frequency_penalty logit_bias metadata modalities moderation
    parallel_tool_calls prediction safety_identifier store stream stream_options tool_choice tools user
    web_search_options
"""
_FIELDS = frozenset(_FIELDS_NAMES.split())
_USUAL = {"temperature": 1, "top_p": 1, "presence_penalty": 0, "frequency_penalty": 0}


def error(
    words: str, parameter: str | None = None, code: str | None = None, status: int = 400, **more: Any
) -> RefusedRequest:
    """more: `kind` in the place of invalid_request_error, and `headers`."""
    kind = more.get("kind", "invalid_request_error")
    body = {"error": {"message": words, "type": kind, "param": parameter, "code": code}}
    return RefusedRequest(status, body, f"{code or kind} {parameter or ''}".strip(), more.get("headers"))


def wrong_key() -> RefusedRequest:
    return error("Incorrect API key provided: ****.", None, "invalid_api_key", 401)


def overloaded() -> RefusedRequest:
    return error("The engine is currently overloaded.", None, "server_overloaded", 503, kind="server_error")


def out_of_order() -> RefusedRequest:
    return error("The server had an error.", None, None, 500, kind="server_error")


def over_the_limit(style: str, headers: Mapping[str, str]) -> RefusedRequest:
    unit = "day (RPD)" if style == "daily" else "min (RPM)"
    return error(
        f"Rate limit reached on requests per {unit}.",
        None,
        "rate_limit_exceeded",
        429,
        kind="requests",
        headers=headers,
    )


def answer(call: Call) -> Answered | None:
    """None where nothing is served at the path."""
    match call.method, call.path.strip("/").split("/"):
        case "POST", ["v1", "chat", "completions"]:
            return _chat(call.account, call.body)
        case "POST", ["v1", "files"]:
            return _new_file(call)
        case "GET", ["v1", "files", name, "content"] if name in call.account.files:
            return call.account.files[name]
        case "POST", ["v1", "batches"]:
            return _new_batch(call)
        case "GET", ["v1", "batches"]:
            listed = [_shown(name, batch) for name, batch in call.account.batches.items()]
            return {"object": "list", "data": listed[::-1], "has_more": False}
        case _, ["v1", "batches", name, *rest] if name in call.account.batches and rest in ([], ["cancel"]):
            batch = call.account.batches[name]
            batch.cancelled |= rest == ["cancel"]
            _end(batch)
            return _shown(name, batch)
    return None


def _chat(account: Account, body: Body) -> Body:
    efforts, effort = _checked(body)
    messages = body["messages"]
    form = body.get("response_format") or {}
    schema = form["json_schema"]["schema"] if form.get("type") == "json_schema" else None
    if schema is not None and form["json_schema"].get("strict"):
        _check_closed(schema)
    room = body.get("max_completion_tokens", body.get("max_tokens"))
    said = reply_to(account, Prompt(*prompt_in(messages), schema, room, bool(efforts) and effort != "none"))
    content = None if said.outcome in ("declined", "filtered") else said.text
    message = {"role": "assistant", "content": content, "refusal": None, "annotations": []}
    if said.outcome == "declined":
        message["refusal"] = "I can't help with that."
    finish = "content_filter" if said.outcome == "filtered" else "length" if said.cut else "stop"
    if said.outcome == "declined":
        finish = "stop"
    written_to = _cache(account, body, messages)
    counts = bill(account, messages, content or "", said, *written_to)
    usage = {
        "prompt_tokens_details": {"cached_tokens": written_to[0], "cache_write_tokens": written_to[1]},
        "completion_tokens_details": {"reasoning_tokens": said.reasoning},
    }
    logprobs = shown_tokens(said.token_list, body) if content and body.get("logprobs") else None
    return completion(body, said, message, finish, logprobs) | {"usage": counts | usage}


def prompt_in(messages: list[Body]) -> tuple[str, str]:
    """What is constant, and what the first message of the user says."""
    system = "\n".join(
        text_of(message["content"]) for message in messages if message["role"] in ("system", "developer")
    )
    return system, next(text_of(message["content"]) for message in messages if message["role"] == "user")


def completion(body: Body, said: Reply, message: Body, finish: str, logprobs: Body | None) -> Body:
    """The reply but for its usage."""
    choice = {"index": 0, "message": message, "finish_reason": finish, "logprobs": logprobs}
    return {
        "id": new_id("chatcmpl-"),
        "object": "chat.completion",
        "created": int(time.time()),
        "model": body["model"],
        "choices": [] if said.outcome == "empty" else [choice],
        "service_tier": body.get("service_tier") or "default",
    }


def bill(account: Account, messages: list[Body], content: str, said: Reply, cached: int = 0, written: int = 0) -> Body:
    """Bill one reply. Returns the counts that its usage states in any flavour of the format."""
    sent = sum(tokens(text_of(message["content"])) for message in messages)
    output = said.reasoning + tokens(content)
    account.bill(input=sent, cached=cached, written=written, output=output, reasoning=said.reasoning)
    account.truncated += said.cut
    return {"prompt_tokens": sent, "completion_tokens": output, "total_tokens": sent + output}


def shown_tokens(token_list: tuple[Token, ...], body: Body) -> Body:
    most = body.get("top_logprobs", 0)

    def entry(token: str, logprob: float) -> Body:
        return {"token": token, "logprob": logprob, "bytes": list(token.encode())}

    content = [
        entry(token, logprob)
        | {"top_logprobs": [entry(*other) for other in sorted(top.items(), key=lambda pair: -pair[1])[:most]]}
        for token, logprob, top in token_list
    ]
    return {"content": content, "refusal": None}


def _checked(body: Body) -> tuple[list[str], str]:
    """The efforts that the model takes, and the one that is meant. Raises RefusedRequest for what it doesn't take."""
    for name in sorted(set(body) - _FIELDS):
        raise error(f"Unrecognized request argument supplied: {name}", name, "unknown_parameter")
    model = re.sub(r"-\d{4}-\d\d-\d\d$", "", body["model"])
    known = next(((efforts.split(), usual) for names, efforts, usual in _MODELS if re.fullmatch(names, model)), None)
    if known is None:
        words = f"The model `{model}` does not exist or you do not have access to it."
        raise error(words, None, "model_not_found", 404)
    efforts, usual = known
    effort = body.get("reasoning_effort") or usual
    if not efforts and effort:
        raise error("Unrecognized request argument supplied: reasoning_effort", "reasoning_effort")
    if efforts and effort not in efforts:
        named = ", ".join(f"'{each}'" for each in efforts)
        words = f"Unsupported value: '{effort}' is not supported with this model. Supported values are: {named}."
        raise error(words, "reasoning_effort", "unsupported_value")
    if efforts and "max_tokens" in body:
        words = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens'."
        raise error(words, "max_tokens", "unsupported_parameter")
    if efforts and effort != "none":
        _check_sampling(body)
    asked, most = body.get("max_completion_tokens", body.get("max_tokens", 0)), _MOST_OUTPUT[bool(efforts)]
    if asked > most:
        words = f"max_tokens is too large: {asked}. This model supports at most {most} completion tokens."
        raise error(words, "max_completion_tokens", "invalid_value")
    if not _MARKS_PREFIXES.match(model):
        _check_unmarked(body)
    return efforts, effort


def _check_sampling(body: Body) -> None:
    """A model that reasons chooses its words by itself."""
    for name, usual in _USUAL.items():
        if body.get(name, usual) != usual:
            words = f"Unsupported value: '{name}' does not support {body[name]} with this model. Only the default (1)."
            raise error(words, name, "unsupported_value")
    for name in ("logprobs", "top_logprobs"):
        if body.get(name):
            words = f"Unsupported parameter: '{name}' is not supported with this model."
            raise error(words, name, "unsupported_parameter")


def _check_unmarked(body: Body) -> None:
    if "prompt_cache_options" in body:
        words = "Unsupported parameter: 'prompt_cache_options' is not supported with this model."
        raise error(words, "prompt_cache_options", "unsupported_parameter")
    if any(marked for message in body["messages"] for _, marked in _parts(message)):
        raise error("Unknown parameter: 'prompt_cache_breakpoint'.", "messages", "unknown_parameter")


def _check_closed(schema: Mapping[str, Any]) -> None:
    """A strict schema allows no further property and requires all that it has."""
    if schema.get("type") == "object" or "properties" in schema:
        if schema.get("additionalProperties") is not False:
            raise error("Invalid schema: 'additionalProperties' is required to be false.", "response_format")
        if set(schema.get("required", ())) != set(schema.get("properties", {})):
            raise error("Invalid schema: 'required' must include every key in properties.", "response_format")
    for inner in (*schema.get("properties", {}).values(), schema.get("items")):
        if isinstance(inner, Mapping):
            _check_closed(inner)


def _parts(message: Body) -> list[tuple[str, bool]]:
    """Texts of a message, each with whether a mark of the prompt cache stands behind it."""
    content = message["content"]
    if isinstance(content, str):
        return [(content, False)]
    return [(part.get("text", ""), "prompt_cache_breakpoint" in part) for part in content]


def _cache(account: Account, body: Body, messages: list[Body]) -> tuple[int, int]:
    """Tokens read and written. Models up to 5.5 write for nothing; later ones write everything unless they are told to
    write only up to the marks."""
    key = body.get("prompt_cache_key") or ""
    if not _MARKS_PREFIXES.match(body["model"]):
        return account.through_cache(key, [prompt_in(messages)[0]])[0], 0
    prefixes, so_far = [], ""
    for text, marked in (part for message in messages for part in _parts(message)):
        so_far += text
        prefixes += [so_far] if marked else []
    if (body.get("prompt_cache_options") or {}).get("mode") != "explicit":
        prefixes.append(so_far)
    return account.through_cache(key, prefixes)


def _new_file(call: Call) -> Body:
    _, content = read_form(call.headers["content-type"], call.sent)["file"]
    name = new_id("file-")
    call.account.files[name] = content
    about = {"id": name, "object": "file", "bytes": len(content), "created_at": int(time.time())}
    return about | {"filename": "batch.jsonl", "purpose": "batch", "status": "processed"}


def _new_batch(call: Call) -> Body:
    file = call.account.files.get(call.body["input_file_id"])
    if file is None:
        raise error("No such File object", "input_file_id", None, 404)
    batch = Batch(call.account, [json.loads(line) for line in file.splitlines() if line.strip()])
    now = int(time.time())
    batch.about = {
        **{name: call.body.get(name) for name in ("endpoint", "input_file_id", "completion_window", "metadata")},
        **{"object": "batch", "created_at": now, "expires_at": now + 86_400, "status": "in_progress", "errors": None},
        **{"output_file_id": None, "error_file_id": None},
        "request_counts": {"total": len(batch.requests), "completed": 0, "failed": 0},
    }
    name = new_id("batch_")
    call.account.batches[name] = batch
    return _shown(name, batch)


def _shown(name: str, batch: Batch) -> Body:
    return batch.about | {"id": name}


def _end(batch: Batch) -> None:
    """Answer what is due. Answers go to one file, failures to another."""
    if batch.about["status"] != "in_progress" or not batch.is_due:
        return
    if "bfail" in batch.account.options:
        failure = {"code": "invalid_json_line", "message": "This line is not parseable as valid JSON.", "line": 1}
        batch.about |= {"status": "failed", "errors": {"object": "list", "data": [failure]}}
        return
    answers, failures = [], []
    for line, outcome in batch.answered(lambda line: _chat(batch.account, line["body"]), out_of_order):
        written: Body = {"id": new_id("batch_req_"), "custom_id": line["custom_id"], "response": None, "error": None}
        if isinstance(outcome, RefusedRequest):
            failures.append(written | {"response": {"status_code": outcome.status, "body": outcome.body}})
        elif outcome == "expired":
            failures.append(written | {"error": {"code": "batch_expired", "message": "The window closed before it."}})
        elif outcome != "cancelled":
            answers.append(written | {"response": {"status_code": 200, "body": outcome}})
    for name, lines in (("output_file_id", answers), ("error_file_id", failures)):
        if lines:
            batch.about[name] = new_id("file-")
            batch.account.files[batch.about[name]] = "\n".join(map(json.dumps, lines)).encode()
    expired = any(line["error"] for line in failures)
    batch.about["status"] = "cancelled" if batch.cancelled else "expired" if expired else "completed"
    batch.about["request_counts"] |= {"completed": len(answers), "failed": len(failures)}
