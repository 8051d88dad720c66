"""What vLLM, Ollama and llama.cpp make of OpenAI's chat completions, at addresses that begin with /open.

ctx=N: the context window. noschema=1|3: refuses a JSON schema; 2: takes it and answers in prose; 4: takes and
ignores it, so that only a schema in the prompt is followed. status=N: of its refusals. nologprobs=1: refuses
log-probabilities; 2: leaves them out. takes=max_tokens|max_completion_tokens: the only name of the limit it knows.
notemperature, nosystem: refuses a temperature, a system message. usage=null|none|zero. wrap=STYLE: how a model wraps
its answer, see _wrapped.
"""

import json
from collections.abc import Mapping

from tests.support.strict_vendors import openai
from tests.support.strict_vendors.account import Account, Body, Options, RefusedRequest, tokens
from tests.support.strict_vendors.call import Call, text_of
from tests.support.strict_vendors.model import Prompt, reply_to
from tests.support.strict_vendors.openai import bill, completion, error, prompt_in, shown_tokens

MODELS = ("qwen3.6:8b", "llama3.1", "nomic-embed-text")
_THOUGHT = 'On the one hand {"q1": "no"}, on the other {"q1": "yes"}; 2 or 3 might do.'
_SCORED_THOUGHT = "A score of 2 comes to mind for the links. Seen as a whole it deserves more."
_FORMS = {
    "thinkscore": f"<think>\n{_SCORED_THOUGHT}\n</think>\n\n%s",
    "think": f"<think>\n{_THOUGHT}\n</think>\n\n%s",
    "openthink": f"{_THOUGHT}\n</think>\n\n%s",
    "fence": "```json\n%s\n```",
    "thinkfence": f"<think>\n{_THOUGHT}\n</think>\n\n```json\n%s\n```",
    "prose": "Of course, here is what you asked for:\n\n%s\n\nTell me if anything is missing.",
    "xml": "<answer>%s</answer>",
    "harmony": f"<|channel|>analysis<|message|>{_THOUGHT}<|end|><|start|>assistant<|channel|>final<|message|>%s",
}

wrong_key, overloaded, out_of_order = openai.wrong_key, openai.overloaded, openai.out_of_order


def over_the_limit(style: str, headers: Mapping[str, str]) -> RefusedRequest:
    return error("Too many requests.", None, None, 429, kind="rate_limit", headers=headers)


def answer(call: Call) -> Body | None:
    match call.method, call.path:
        case "GET", "/v1/models":
            return {"object": "list", "data": [{"id": name, "object": "model"} for name in MODELS]}
        case "POST", "/v1/chat/completions":
            return _chat(call.account, call.body)
    return None


def _chat(account: Account, body: Body) -> Body:
    options, messages = account.options, body["messages"]
    form = body.get("response_format") or {}
    wants_schema = form.get("type") == "json_schema"
    if wants_schema and options.text("noschema") in ("1", "3"):
        words = "response_format.type `json_schema` is not supported: use `text` or `json_object`."
        raise _refusal(options, words, "response_format")
    if body.get("logprobs") and options.text("nologprobs") == "1":
        raise _refusal(options, "logprobs is not supported", "logprobs")
    for name in ("max_tokens", "max_completion_tokens"):
        if name in body and options.text("takes", name) != name:
            raise _refusal(options, f"{name}: Extra inputs are not permitted", name)
    if "temperature" in body and "notemperature" in options:
        raise _refusal(options, "temperature is not supported", "temperature")
    if messages[0]["role"] == "system" and "nosystem" in options:
        raise _refusal(options, "System role not supported", "")
    room = body.get("max_completion_tokens", body.get("max_tokens"))
    _check_window(options.number("ctx"), messages, room)
    schema = form["json_schema"]["schema"] if wants_schema and options.text("noschema") != "4" else None
    said = reply_to(account, Prompt(*prompt_in(messages), schema, room, reasons=False))
    style = options.text("wrap")
    if not style and options.text("noschema") == "2" and said.whole.startswith("{"):
        style = "prose"
    content = said.text if said.cut else _wrapped(said.text, style)
    message = _message(content, style, "ollama" in options)
    if said.outcome == "declined":
        message = {"role": "assistant", "content": None, "refusal": "I can't help with that."}
    counts = bill(account, messages, content, said)
    asked = body.get("logprobs") and options.text("nologprobs") != "2" and said.outcome != "declined"
    logprobs = shown_tokens(said.token_list, body) if asked else None
    finish = "content_filter" if said.outcome == "filtered" else "length" if said.cut else "stop"
    made = completion(body, said, message, finish, logprobs)
    match options.text("usage"):
        case "none":
            return made
        case "null":
            return made | {"usage": None}
        case "zero":
            return made | {"usage": dict.fromkeys(counts, 0)}
    return made | {"usage": counts}


def _refusal(options: Options, words: str, parameter: str) -> RefusedRequest:
    """As OpenAI words it, as FastAPI does for 422, as llama-cpp-python does for 500."""
    status = int(options.number("status", 400))
    if status == 422:
        content: Body = {"detail": [{"loc": ["body", parameter], "msg": words, "type": "value_error"}]}
        return RefusedRequest(status, content, parameter)
    named = parameter if status == 400 else None
    said = words if status == 400 else f"1 validation error: {parameter} {words}"
    return error(said, named, None, status)


def _check_window(window: float, messages: list[Body], room: int | None) -> None:
    sent = sum(tokens(text_of(message["content"])) for message in messages)
    if window and sent + (room or 1) > window:
        words = (
            f"'max_tokens' or 'max_completion_tokens' is too large: {room}. This model's maximum context length is "
            f"{window:.0f} tokens and your request has {sent} input tokens."
        )
        raise error(words, "max_tokens", kind="BadRequestError")


def _wrapped(text: str, style: str) -> str:
    if style == "tool":
        return json.dumps({"name": "answer", "arguments": json.loads(text) if text.startswith("{") else text})
    return _FORMS.get(style, "%s").replace("%s", text)


def _message(content: str, style: str, ollama: bool) -> Body:
    """style: "list" gives the content in parts, "reasoning" has a thought beside it, "swallowed" only the thought."""
    message: Body = {"role": "assistant", "content": content}
    match style:
        case "list":
            message["content"] = [{"type": "text", "text": content}]
        case "reasoning":
            message |= {"reasoning": _SCORED_THOUGHT, "reasoning_content": _SCORED_THOUGHT}
        case "swallowed":
            message |= {"content": "" if ollama else None, "reasoning_content": content}
    return message
