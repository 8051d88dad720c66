"""Conversations: turns with roles, and the transcript that a judge and a person read."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

from app.domain.project import Text

Role = Literal["system", "user", "assistant", "tool call", "tool"]
ROLES: Mapping[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "model": "assistant",
    "tool": "tool",
    "function": "tool",
}
"""Role in data formats -> role here."""
_HEADINGS: Mapping[Role, str] = {
    "system": "System prompt",
    "user": "User",
    "assistant": "Assistant",
    "tool call": "Tool call",
    "tool": "Tool result",
}
TURNS = "turns"
Part = Literal["source", "text"]


@dataclass(frozen=True, slots=True)
class Turn:
    """One message. `name` is the tool's name, or the speaker's where the data gives it; else ""."""

    role: Role
    words: str
    name: str = ""

    @property
    def heading(self) -> str:
        return f"{_HEADINGS[self.role]}: {self.name}" if self.name else _HEADINGS[self.role]


@dataclass(frozen=True, slots=True)
class Place:
    """The place of a turn's words in the transcript, in code points from 0; `end` is exclusive."""

    turn: Turn
    start: int
    end: int


def transcript(turns: Iterable[Turn]) -> tuple[str, list[dict[str, Any]]]:
    """Return the turns as one text, each under a line with its role in square brackets, and the place of each.

    The places are stored as `extra["turns"]`, so that no message can forge a turn by writing such a line.
    """
    parts: list[str] = []
    places: list[dict[str, Any]] = []
    length = 0
    for turn in turns:
        before = f"{'' if not parts else chr(10) * 2}[{turn.heading}]\n"
        start = length + len(before)
        length = start + len(turn.words)
        parts.append(before + turn.words)
        places.append({"role": turn.role, "name": turn.name, "start": start, "end": length})
    return "".join(parts), places


def part_of(text: Text, part: Part) -> str:
    return text.source if part == "source" else text.text


def turns_in(text: Text, part: Part) -> tuple[Place, ...]:
    """Return the turns of a text or of its source; none if it is no conversation or the stored places don't fit."""
    kept = text.extra.get(TURNS)
    rows = kept.get(part) if isinstance(kept, Mapping) else None
    whole = part_of(text, part)
    found = [_place(row, whole) for row in rows] if isinstance(rows, Sequence) and not isinstance(rows, str) else []
    places = [place for place in found if place is not None]
    apart = all(one.end <= other.start for one, other in pairwise(places))
    return tuple(places) if apart and len(places) == len(found) else ()


def _place(row: Any, whole: str) -> Place | None:
    if not isinstance(row, Mapping):
        return None
    role, name, start, end = (row.get(key) for key in ("role", "name", "start", "end"))
    known = next((one for one in _HEADINGS if one == role), None)
    if known is None or not isinstance(name, str) or not isinstance(start, int) or not isinstance(end, int):
        return None
    return Place(Turn(known, whole[start:end], name), start, end) if 0 <= start <= end <= len(whole) else None
