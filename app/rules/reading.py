"""Reading: what measuring a text gives, and small ways of saying it."""

from collections.abc import Callable
from dataclasses import dataclass

from app.rules.profile import Profile


@dataclass(frozen=True, slots=True)
class Reading:
    """A measured value and the finding in words, such as "3 of 41 content words (7 %) are not in the source".

    `applies` is False where the text gives the rule nothing to look at; the answer is then yes, and says so.
    """

    value: float
    finding: str
    applies: bool = True


Measure = Callable[[Profile], Reading]


def share(part: float, whole: float) -> float:
    """part / whole, 0 for an empty whole."""
    return part / whole if whole else 0.0


def of(part: int, whole: int, what: str) -> str:
    """ "3 of 41 content words (7 %)"."""
    return f"{part} of {whole} {what} ({share(part, whole):.0%})".replace("%", " %")


def plural(count: int, noun: str) -> str:
    """ "1 sentence", "2 sentences"."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
