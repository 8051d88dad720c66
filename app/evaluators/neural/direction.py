"""Direction of methods that rate texts by probability: which text is read and which one's probability is taken."""

from dataclasses import dataclass
from typing import Any, Literal

from app.domain.text import Text
from app.errors import UnsupportedError
from app.evaluators.options import shown

Way = Literal["src-hypo", "ref-hypo", "hypo-ref"]
Direction = Literal["src-hypo", "ref-hypo", "hypo-ref", "mean"]

SHOWN: dict[str, Any] = shown(
    "Direction",
    "What is read first, and what then has to be likely. With several references their mean is taken.",
    {
        "src-hypo": "the text, after its source",
        "ref-hypo": "the text, after a reference",
        "hypo-ref": "a reference, after the text",
        "mean": "mean of both ways between text and reference",
    },
)


@dataclass(frozen=True, slots=True)
class TextReading:
    """`before` is read, `given` rated."""

    way: Way
    before: str
    given: str


def readings(direction: Direction, text: Text) -> list[TextReading]:
    """Those whose mean is the score; never none. Raises UnsupportedError where source or references are missing."""
    if direction == "src-hypo":
        if not text.source:
            raise UnsupportedError("This text has no source that could be read first.", "Choose another direction.")
        return [TextReading("src-hypo", text.source, text.text)]
    if not text.references:
        raise UnsupportedError("This text has no reference to compare it with.", "Import it with its references.")
    found = []
    if direction in ("ref-hypo", "mean"):
        found += [TextReading("ref-hypo", reference, text.text) for reference in text.references]
    if direction in ("hypo-ref", "mean"):
        found += [TextReading("hypo-ref", text.text, reference) for reference in text.references]
    return found


def needs_references(direction: Direction) -> bool:
    return direction != "src-hypo"


def per_reference(direction: Direction) -> int:
    """How many readings each reference makes."""
    return {"src-hypo": 0, "mean": 2}.get(direction, 1)
