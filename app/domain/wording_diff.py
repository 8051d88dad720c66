"""What a new wording changed against the old one, word by word, for people to read."""

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

# Words, marks and spaces; in scripts written without spaces every character counts for itself.
_PIECE = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]|\w+|\s+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text that both wordings have, that only the old one had, or that only the new one has."""

    kind: Literal["same", "old", "new"]
    text: str


def word_changes(before: str, after: str) -> tuple[Piece, ...]:
    """The stretches in reading order: "same" and "old" together give `before`, "same" and "new" give `after`."""
    old, new = _PIECE.findall(before), _PIECE.findall(after)
    found: list[Piece] = []
    for what, old_from, old_to, new_from, new_to in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        gone, come = "".join(old[old_from:old_to]), "".join(new[new_from:new_to])
        if what == "equal":
            found.append(Piece("same", gone))
            continue
        found += [Piece("old", gone)] if gone else []
        found += [Piece("new", come)] if come else []
    return tuple(found)
