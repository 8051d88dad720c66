"""The text of a reply, and replies made storable."""

import json
import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any, NoReturn

from app.domain.model_thoughts import answer_among_thoughts
from app.domain.storable_text import storable, storable_value
from app.errors import UnsupportedError
from app.providers.base import ChatReply, TokenLogprob
from app.providers.model_name import ModelName


def text_of(content: object) -> str:
    """Return the text of a message's content: a string, a part, or a list of parts. Thoughts and other kinds of parts
    give none; a tool call, though no tool was offered, gives its arguments."""
    if isinstance(content, str):
        return content
    if isinstance(content, list | tuple):
        return "".join(text_of(part) for part in content)
    kind, text = part_of(content, "type"), part_of(content, "text")
    if kind in ("text", "output_text", None) and isinstance(text, str):
        return text
    return _written(part_of(content, "input")) if kind == "tool_use" else ""


def message_text(message: object) -> str:
    """Return the text of a message in OpenAI's format: its content; else the arguments of a tool call, though no tool
    was offered; else an answer that the server put into the model's reasoning."""
    said = text_of(part_of(message, "content"))
    called = _called(message) if "{" not in said else ""
    if said.strip() or called:
        return f"{said}\n{called}" if said.strip() and called else said or called
    thoughts = (text_of(part_of(message, name)) for name in ("reasoning_content", "reasoning"))
    return answer_among_thoughts(next((thought for thought in thoughts if thought.strip()), ""))


def part_of(whole: object, name: str) -> Any:
    """Return a field of an SDK's object or of a mapping; None if missing."""
    return whole.get(name) if isinstance(whole, Mapping) else getattr(whole, name, None)


def ending_name(reason: object, usual: Collection[str]) -> str:
    """Return the provider's name for an unusual end of a reply, if it is a name that can be shown; else ""."""
    written = part_of(reason, "value") or reason  # of an enumeration, or as it came
    if not isinstance(written, str) or written in usual:
        return ""
    return written if re.fullmatch(r"[A-Za-z][A-Za-z_-]{1,48}", written) else ""


def _called(message: object) -> str:
    calls = part_of(message, "tool_calls")
    functions = [part_of(call, "function") for call in calls] if isinstance(calls, list) else []
    functions = functions or [part_of(message, "function_call")]
    return "\n".join(filter(None, (_written(part_of(function, "arguments")) for function in functions)))


def _written(arguments: object) -> str:
    if isinstance(arguments, str):
        return arguments
    return json.dumps(arguments, ensure_ascii=False) if isinstance(arguments, Mapping) else ""


def open_model(name: ModelName) -> NoReturn:
    """Raise UnsupportedError."""
    raise UnsupportedError(
        f"The answers of {name} came from a file, so it can't be asked.", "Choose a judge that can be asked."
    )


def storable_reply(reply: ChatReply) -> tuple[ChatReply, bool]:
    """Return the reply in its storable form, and whether that differs from the original."""
    kept = replace(
        reply,
        text=storable(reply.text),
        rationales=storable_value(reply.rationales),
        logprobs=tuple(map(_token, reply.logprobs)),
    )
    return kept, kept != reply


def _token(token: TokenLogprob) -> TokenLogprob:
    """Return the token in its storable form. Of alternatives that become equal the likelier one stays."""
    top: dict[str, float] = {}
    for word, logprob in token.top.items():
        known = storable(word)
        top[known] = max(logprob, top.get(known, logprob))
    return TokenLogprob(storable(token.token), token.logprob, top)
