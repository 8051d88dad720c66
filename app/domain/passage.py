"""Passages that an expert marks in a sample, and their attributes as the browser sends them."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from app.domain.storable_text import is_storable, storable
from app.errors import InputError
from app.limits import LONGEST_FIELD

LONGEST_PASSAGE = 1_000
"""In characters."""
_LARGEST = 2**31 - 1


class PassagePart(StrEnum):
    """The origin of a passage: a text, its source, or what an expert said aloud."""

    TEXT = "text"
    SOURCE = "source"
    TRANSCRIPT = "transcript"


def text_version(content: str) -> str:
    """Return a digest of 16 hexadecimal digits that tells one wording of a text from another."""
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Passage:
    """The words that made a contributor say something: `quote` stands from `start` up to, and without, `end`.

    Offsets count Unicode code points of the stored text. `text_id` is None for a transcript, and for a text that was
    deleted since. `version` is the `text_version` of what the passage was taken from.
    """

    text_id: int | None
    start: int
    end: int
    quote: str
    part: PassagePart = PassagePart.TEXT
    version: str = ""

    @classmethod
    def at(
        cls, content: str, start: int, end: int, text_id: int | None, part: PassagePart = PassagePart.TEXT
    ) -> "Passage":
        """Return the passage of `content` between two offsets. Raises InputError for an empty, a blank or a too long
        passage."""
        if not 0 <= start < end <= len(content) or not content[start:end].strip():
            raise InputError("There are no words between these places of the text.", "Select at least one word.")
        if end - start > LONGEST_PASSAGE:
            raise InputError(
                f"The passage has {end - start:,} characters; {LONGEST_PASSAGE:,} are the most.", "Select fewer words."
            )
        return cls(text_id, start, end, content[start:end], part, text_version(content))

    @classmethod
    def from_json(cls, raw: object) -> "Passage":
        """Read a passage that `to_json` wrote. The caller checks that its words stand in the text. Raises
        InputError."""
        fields: Mapping[str, Any] = raw if isinstance(raw, Mapping) else {}
        text_id, start, end, quote = (fields.get(name) for name in ("text_id", "start", "end", "quote"))
        part, version = fields.get("part", PassagePart.TEXT), fields.get("text_version", "")
        numbers = all(type(one) is int and 0 <= one <= _LARGEST for one in (start, end, text_id or 0))
        words = isinstance(quote, str) and is_storable(quote) and 0 < len(quote) <= LONGEST_PASSAGE
        if (
            not numbers
            or not words
            or part not in tuple(PassagePart)
            or not isinstance(version, str)
            or len(version) > 16
        ):
            raise InputError(
                "A passage is not written as one.",
                f"Give text_id, start, end and quote, of at most {LONGEST_PASSAGE:,} characters.",
            )
        return cls(text_id, int(start or 0), int(end or 0), str(quote), PassagePart(part), version)

    def to_json(self) -> dict[str, Any]:
        return {
            "text_id": self.text_id,
            "start": self.start,
            "end": self.end,
            "quote": self.quote,
            "part": self.part.value,
            "text_version": self.version,
        }


MOST_MARKED = 100  # in one message of the browser


@dataclass(frozen=True, slots=True)
class PassageAttribute:
    """An expert's attribute about a passage that they selected. `number` is its place, from 1, in the order of
    selection."""

    number: int
    passage: Passage
    words: str


@dataclass(frozen=True, slots=True)
class MarkedMessage:
    """Marked passages that the server hasn't confirmed yet. `page` is the id of the browser page that numbers them."""

    page: str
    marked: tuple[PassageAttribute, ...]


def read_marked(raw: object, text_id: int) -> MarkedMessage:
    """Return the message that the browser sent about a sample. Raises InputError for a value of another form."""
    page, marked = (raw.get("page"), raw.get("marked")) if isinstance(raw, dict) else (None, None)
    if not isinstance(page, str) or not 0 < len(page) <= 100:
        raise _odd()
    if not isinstance(marked, list) or len(marked) > MOST_MARKED:
        raise _odd()
    return MarkedMessage(page, tuple(_marked(entry, text_id) for entry in marked))


def _marked(raw: object, text_id: int) -> PassageAttribute:
    if not isinstance(raw, dict):
        raise _odd()
    number, words = raw.get("number"), raw.get("words")
    if type(number) is not int or not 0 < number < 2**31 or not isinstance(words, str) or len(words) > LONGEST_FIELD:
        raise _odd()
    return PassageAttribute(number, Passage.from_json({**raw, "text_id": text_id}), storable(words))


def _odd() -> InputError:
    return InputError("The browser sent something that is no passage with words about it.", "Reload the page.")
