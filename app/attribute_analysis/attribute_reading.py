"""Attributes read from a file: one a line, or a JSON list or object."""

import codecs
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from app.domain.passage import Passage
from app.domain.storable_text import storable
from app.errors import FileFormatError, InputError

# A dash, star or bullet, or a number with a dot or bracket, followed by white space.
LIST_MARK = re.compile(r"^(?:[-*•–]|\d{1,3}[.)])\s+")
# Not splitlines(): it also cuts at separators that stand inside a sentence, such as those of pasted web pages.
LINE_END = re.compile(r"\r\n|\r|\n")
# How a JSON list or object of texts starts, and what one that breaks off lacks.
OPENED, CLOSED = re.compile(r"[\[{]\s*\""), re.compile(r"[\]}]")

BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def decode_attributes(data: bytes) -> str:
    """Return a file's text: UTF-8 (with or without a byte order mark), UTF-16 or -32 with one, else Windows-1252.

    Raises FileFormatError for bytes that are no text in any of these.
    """
    for mark, encoding in BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return _decode(data, encoding)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = _decode(data, "cp1252")
    if "\0" in text:
        raise _not_text()
    return text


@dataclass(frozen=True, slots=True)
class FileAttribute:
    """An attribute of a file. The caller has to check whether its passage occurs in a text."""

    text: str
    passage: Passage | None = None


def parse_attributes(text: str) -> list[str]:
    """Return the wordings of the attributes that `parse_said` reads."""
    return [said.text for said in parse_said(text)]


def parse_said(text: str) -> list[FileAttribute]:
    """Return the attributes in order. Blank ones are left out; list marks and outer white space are removed.

    A text that starts like JSON is read as JSON: a list of attributes, or an object whose values are attributes (the
    form in which LLMs answer, number -> attribute). Each is a string, or an object with `text` and perhaps a
    `passage`; one such object alone is one attribute. Anything else is one attribute a line.
    Raises InputError for JSON that is broken, nested deeper, or holds something else.
    """
    stripped = text.removeprefix("\ufeff").strip()
    if _looks_like_json(stripped):
        items = _json_items(stripped)
    else:
        items = [FileAttribute(line) for line in LINE_END.split(stripped)]
    return [FileAttribute(said, item.passage) for item in items if (said := _clean(item.text))]


def _clean(line: str) -> str:
    bare = storable(line).strip()
    return "" if bare in {"-", "*", "•", "–"} else LIST_MARK.sub("", bare).strip()


def _looks_like_json(text: str) -> bool:
    """Return whether the text has a brace or bracket at both ends, or is a list cut off, unlike "[tone] is even"."""
    if OPENED.match(text) and not CLOSED.search(text):
        return True
    return (text.startswith("[") and text.endswith("]")) or (text.startswith("{") and text.endswith("}"))


def _json_items(text: str) -> list[FileAttribute]:
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(
            f"The list of attributes is not valid JSON (line {error.lineno}, column {error.colno}).",
            "Correct it, or write one attribute a line.",
        ) from None
    except ValueError:
        raise InputError("The list of attributes holds a number that is too long.", "Leave it out.") from None
    except RecursionError:
        raise _nested("it") from None
    if isinstance(value, dict) and isinstance(value.get("passage"), dict):
        return [_json_item("1", value)]
    places = value.items() if isinstance(value, dict) else enumerate(value, start=1)
    return [_json_item(str(place)[:40], item) for place, item in places]


def _json_item(place: str, item: object) -> FileAttribute:
    passage = None
    if isinstance(item, Mapping) and "text" in item:
        said = item.get("passage")
        item, passage = item["text"], None if said is None else Passage.from_json(said)
    if isinstance(item, list | dict):
        raise _nested(f"entry {place}")
    if not isinstance(item, str):
        raise InputError(f"Entry {place} of the list of attributes is not a text.", "Put it in quotation marks.")
    return FileAttribute(item, passage)


def _nested(place: str) -> InputError:
    return InputError(
        f"The JSON list of attributes is nested: {place} holds a list or an object of its own.",
        "Use one flat list of texts, or of objects with text and passage, and a file for each contributor.",
    )


def _decode(data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        raise _not_text() from None


def _not_text() -> FileFormatError:
    return FileFormatError("This is no plain text file.", "Save it as UTF-8 text, one attribute a line.")
