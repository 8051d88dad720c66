"""Conversations with models: lists of messages in any vendor's form, and the judged reply in them."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from app.corpora.assembly import CorpusBuilder
from app.corpora.corpus import CorpusReader, CorpusText
from app.corpora.formats.known_format import KnownFormat
from app.corpora.json_records import load_json
from app.corpora.records import Records
from app.corpora.rows import BadCellError, identifier, json_safe, prose
from app.domain.conversation import ROLES, TURNS, Turn, transcript, turns_in
from app.domain.project import Task, Text
from app.errors import InputError

_TASK = Task(
    text_name="reply",
    source_name="conversation",
    description="Each text is a model's reply in a conversation with a person; the turns before it are given.",
    writer_name="model",
)
_NOT_RATINGS = (
    "Scores in a trace are kept beside its text and not read as ratings. Ratings come in from a table, or in the app."
)


@dataclass(frozen=True, slots=True)
class Exchange:
    """The earlier turns, and the reply. `extra` holds the record's other fields."""

    turns: Sequence[Turn]
    reply: str
    doc_id: str
    model: str = ""
    item_id: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)


_Read = Callable[[int, dict[str, Any]], Iterator[Exchange | str]]
"""Yields the exchanges of one record; a string says why a part of it is left out."""


def conversation_reader(name: str, exchanges: _Read, scored: str = "") -> Callable[[Records, str], CorpusReader]:
    """Return a format's reader. `scored`: the field in which it has scores."""

    def read(records: Records, file_name: str) -> CorpusReader:
        builder = CorpusBuilder(())

        def read_one(row: int, record: dict[str, Any]) -> None:
            for found in exchanges(row, record):
                if isinstance(found, str):
                    builder.skip(row, found)
                else:
                    builder.add(row, _text(found), ())

        corpus = builder.reader(name, _TASK, records, file_name, read_one)
        has_scores = bool(scored) and any(record.get(scored) for _, record in records.items)
        return replace(corpus, notes=(_NOT_RATINGS,)) if has_scores else corpus

    return read


def _text(found: Exchange) -> Text:
    source, places = transcript(found.turns)
    return Text(
        doc_id=found.doc_id,
        system_id=found.model,
        item_id=found.item_id,
        text=prose(found.reply, "reply"),
        source=prose(source, "conversation"),
        extra=json_safe({**found.extra, TURNS: {"source": places}}),
    )


def with_judged(corpus: CorpusReader, part: str) -> CorpusReader:
    """Return the corpus with another part of its conversations as texts. "last": the last reply, the default. "each":
    every reply of the model, with the turns before it. "whole": the conversation, the last reply included.

    Raises InputError for another word; reading raises it for a text that is no conversation.
    """
    if part in ("", "last"):
        return corpus
    if part not in ("each", "whole"):
        raise InputError(f"“{part}” is no part of a conversation.", "Write last, each or whole.")
    split = _each if part == "each" else _whole
    return replace(corpus, read=lambda: (made for item in corpus.read() for made in split(item)))


def _all_turns(item: CorpusText) -> list[Turn]:
    before = turns_in(item.text, "source")
    if not before and TURNS not in item.text.extra:
        raise InputError("The file holds no conversations, so its texts have no turns.", "Leave the part out.")
    return [*(place.turn for place in before), Turn("assistant", item.text.text)]


def _whole(item: CorpusText) -> Iterator[CorpusText]:
    words, places = transcript(_all_turns(item))
    yield replace(
        item, text=replace(item.text, text=words, source="", extra={**item.text.extra, TURNS: {"text": places}})
    )


def _each(item: CorpusText) -> Iterator[CorpusText]:
    turns = _all_turns(item)
    replies = [place for place, turn in enumerate(turns) if turn.role == "assistant" and turn.words.strip()]
    for number, place in enumerate(replies, start=1):
        source, places = transcript(turns[:place])
        name = "/".join(filter(None, (item.text.item_id, f"reply {number}")))
        extra = {**item.text.extra, TURNS: {"source": places}}
        yield replace(
            item, text=replace(item.text, item_id=name, text=turns[place].words.strip(), source=source, extra=extra)
        )


def _turns(messages: Any) -> list[Turn]:
    """Return the turns of a list of messages in any vendor's form. Raises BadCellError."""
    if isinstance(messages, str):
        return [Turn("user", messages.strip())] if messages.strip() else []
    if isinstance(messages, Mapping):
        messages = [messages]
    if not isinstance(messages, list):
        raise BadCellError("The messages are no list.")
    return [turn for message in messages for turn in _of_message(message)]


def _of_message(message: Any) -> Iterator[Turn]:
    if isinstance(message, str):
        yield Turn("user", _words(message))
        return
    if not isinstance(message, Mapping):
        raise BadCellError("A message is neither text nor an object with a role.")
    if isinstance(inner := message.get("message"), Mapping) and "role" not in message:  # OpenInference, choices
        message = inner
    role = ROLES.get(str(message.get("role", "user")).lower())
    if role is None:
        raise BadCellError(f"A message has the unknown role “{str(message.get('role'))[:30]}”.")
    content = message.get("content", message.get("parts", message.get("contents")))
    name = prose(message.get("name"), "name") if role in ("tool", "user") else ""
    kept: list[str] = []
    for block in content if isinstance(content, list) else [content]:
        special = _tool_turn(block)
        if special is None:
            kept.append(_words(block))
            continue
        yield from _said(role, kept, name)
        kept = []
        yield special
    yield from _said(role, kept, name)
    calls = message.get("tool_calls")
    for call in calls if isinstance(calls, list) else []:
        asked = call.get("function", call.get("tool_call", call)) if isinstance(call, Mapping) else {}
        asked = asked.get("function", asked) if isinstance(asked, Mapping) else {}
        yield _call(asked.get("name"), asked.get("arguments"))


def _said(role: Any, kept: list[str], name: str) -> Iterator[Turn]:
    words = "\n".join(part for part in kept if part.strip()).strip()
    if words:
        yield Turn(role, words, name)


def _tool_turn(block: Any) -> Turn | None:
    """Return the turn of a block with a tool call or its result; None for other blocks."""
    kind = block.get("type") if isinstance(block, Mapping) else None
    if kind in ("tool_use", "tool_call", "function_call"):
        return _call(block.get("name"), block.get("input", block.get("arguments")))
    if kind in ("tool_result", "tool_call_response", "function_call_output"):
        result = next((block[key] for key in ("content", "response", "result", "output") if block.get(key)), "")
        parts = [_words(part) for part in result] if isinstance(result, list) else [_words(result)]
        return Turn("tool", "\n".join(filter(None, parts)))
    return None


def _call(name: Any, arguments: Any) -> Turn:
    return Turn("tool call", _words(arguments), prose(name, "name of a tool") if isinstance(name, str) else "")


_NO_WORDS = ("image", "audio", "video", "file", "document", "blob", "uri")


def _words(block: Any) -> str:
    """Return the text of a message's block; for a picture or a file only that it was there."""
    if block is None:
        return ""
    if isinstance(block, str):
        return prose(block, "message")
    if isinstance(block, Mapping):
        block = block["message_content"] if isinstance(block.get("message_content"), Mapping) else block
        for key in ("text", "content", "thinking", "reasoning"):
            if isinstance(block.get(key), str):
                return prose(block[key], "message")
        kind = str(block.get("type", ""))
        if any(word in kind for word in _NO_WORDS):
            return f"[{kind.replace('_', ' ')}]"
    return prose(json.dumps(json_safe(block), ensure_ascii=False), "message")


def opened(value: Any) -> Any:
    """Return a field's value, parsed if it is JSON in a string; otherwise unchanged."""
    if not isinstance(value, str) or not value.lstrip().startswith(("[", "{")):
        return value
    try:
        return load_json(value)
    except (ValueError, RecursionError):
        return value


def _split(turns: list[Turn]) -> tuple[list[Turn], str]:
    """Return the turns before the last reply, and the reply. Raises BadCellError if the model says nothing."""
    last = max((n for n, turn in enumerate(turns) if turn.role == "assistant"), default=None)
    if last is None:
        raise BadCellError("No reply of a model stands in it.")
    return turns[:last], turns[last].words


def given_and_reply(given: Any, reply: Any) -> tuple[list[Turn], str]:
    """Return the turns and the reply of a call's input and output; each is text, messages, or an object that holds
    them. Raises BadCellError."""
    before, after = _messages(opened(given)), _messages(opened(reply))
    turns = [turn for turn in after if turn.role != "user"] or [Turn("assistant", turn.words) for turn in after]
    if not turns:
        raise BadCellError("No reply of a model stands in it.")
    early, words = _split(turns)
    return [*before, *early], words


def _messages(value: Any) -> list[Turn]:
    if isinstance(value, Mapping):
        if isinstance(value.get("choices"), list) and value["choices"]:
            return _turns(value["choices"][0])
        system = value.get("system")
        turns = (
            [Turn("system", "\n".join(map(_words, system if isinstance(system, list) else [system])))] if system else []
        )
        for key in ("messages", "input_messages", "output_messages", "input", "output", "prompt", "completion", "text"):
            if key in value:
                return [*turns, *_messages(opened(value[key]))]
        return [*turns, *_turns(value if "role" in value else {"role": "user", "content": value})]
    return [] if value is None else _turns(value)


def rest_of(record: Mapping[str, Any], *read: str) -> dict[str, Any]:
    return {name: value for name, value in record.items() if name not in read}


def first_of(record: Mapping[str, Any], *names: str) -> str:
    """Return the first of these fields with a value, as an identifier."""
    return next((identifier(record[name]) for name in names if record.get(name) not in (None, "", [], {})), "")


def _is_messages(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], Mapping) and "role" in value[0]


# Lists of messages: OpenAI's and Anthropic's requests and fine-tuning files, alone or with the reply beside them.


def _request(record: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return what holds a list of messages: the record, its request, or the body of either; None without a list."""
    inner = record.get("request", record)
    if isinstance(inner, Mapping) and isinstance(inner.get("body"), Mapping):
        inner = inner["body"]
    if not isinstance(inner, Mapping):  # a table may have a column “request”
        return None
    messages = opened(inner.get("messages"))
    return {**inner, "messages": messages} if _is_messages(messages) else None


def _read_messages(row: int, record: dict[str, Any]) -> Iterator[Exchange | str]:
    request = _request(record)
    if request is None:
        raise BadCellError("It has no messages with roles.")
    given = {"system": request.get("system"), "messages": request["messages"]}
    key = next((name for name in ("response", "reply", "completion", "output") if record.get(name)), "")
    reply = record.get(key)
    body = reply.get("body", reply) if isinstance(reply, Mapping) else reply
    turns, words = given_and_reply(given, body) if key else _split(_messages(given))
    model = first_of(record, "model", "system_id") or first_of(request, "model")
    model = model or (first_of(body, "model") if isinstance(body, Mapping) else "")
    name = first_of(record, "doc_id", "conversation_id", "custom_id", "id") or f"row-{row}"
    read = ("messages", "system", "request", "model", "system_id", "doc_id", "conversation_id", "custom_id", "id", key)
    yield Exchange(turns, words, name, model, extra=rest_of(record, *read))


MESSAGES = KnownFormat(
    "messages",
    "messages, a list of objects with role and content",
    lambda record: _request(record) is not None,
    conversation_reader("messages", _read_messages),
    conversation=True,
    tried_last=True,
)
FORMATS = (MESSAGES,)
