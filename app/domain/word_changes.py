"""Differences between two wordings, word by word."""

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

# Words, marks and spaces; in scripts written without spaces every character counts for itself.
_PIECE = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]|\w+|\s+|[^\w\s]")

LEAST_SHARED = 0.3  # of the longer wording, in characters


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text in both wordings ("same"), only in the old one ("old"), or only in the new one ("new")."""

    kind: Literal["same", "old", "new"]
    text: str


def word_changes(before: str, after: str) -> tuple[Piece, ...]:
    """Return the stretches in reading order: "same" and "old" together give `before`, "same" and "new" give `after`.

    A space between two changed words counts as changed, so that a new phrase is one stretch. Wordings that share little
    become two stretches, because scattered common words confuse.
    """
    old, new = _PIECE.findall(before), _PIECE.findall(after)
    blocks = SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
    shared = sum(len(piece) for block in blocks for piece in old[block.a : block.a + block.size])
    if shared < LEAST_SHARED * max(len(before), len(after)):
        return tuple(_changed(before, after))
    found: list[Piece] = []
    gone, come = "", ""
    for what, old_from, old_to, new_from, new_to in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        was, now = "".join(old[old_from:old_to]), "".join(new[new_from:new_to])
        if what != "equal" or (was.isspace() and (gone or come) and old_to < len(old) and new_to < len(new)):
            gone, come = gone + was, come + now
            continue
        found += [*_changed(gone, come), Piece("same", was)]
        gone, come = "", ""
    return (*found, *_changed(gone, come))


def _changed(gone: str, come: str) -> list[Piece]:
    return ([Piece("old", gone)] if gone else []) + ([Piece("new", come)] if come else [])
