"""A finding against a question: what was measured, on how many texts, and what to do about it."""

from dataclasses import asdict, dataclass
from typing import Any, Literal, Self

from app.meta_evaluation.questions.failure_modes.limits import Limit
from app.meta_evaluation.verdict_words import decimals

Mode = Literal[
    "misaligned or rigid",
    "subjective",
    "ungrounded",
    "hackable",
    "redundant",
    "low signal",
    "non-atomic",
    "missing criteria",
]

URGENCY: tuple[Mode, ...] = (
    "misaligned or rigid",
    "subjective",
    "ungrounded",
    "hackable",
    "redundant",
    "low signal",
    "non-atomic",
    "missing criteria",
)
"""The most urgent first: answers that are wrong, then answers that nobody can rely on, then those that mean something
else, then those that add nothing. What rests on wording alone comes after everything that was measured."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A figure over `n` texts with its 95 % interval."""

    value: float
    low: float
    high: float
    n: int

    @property
    def as_share(self) -> str:
        return f"{_percent(self.value)} % (95 % interval {_percent(self.low)} to {_percent(self.high)} %)"

    @property
    def as_figure(self) -> str:
        return f"{decimals(self.value)} (95 % interval {decimals(self.low)} to {decimals(self.high)})"


@dataclass(frozen=True, slots=True)
class ModeFinding:
    """`question` counts from 0, None for the whole checklist; `other` is the question it repeats.

    `value` of the `measure`, with its 95 % interval from `low` to `high` where there is one, over `n` texts, and the
    `limit` that the interval lies beyond. All None where the wording alone was looked at (`by_wording`).
    """

    mode: Mode
    question: int | None
    badge: str
    evidence: str
    advice: str
    measure: str = ""
    value: float | None = None
    low: float | None = None
    high: float | None = None
    n: int | None = None
    limit: float | None = None
    other: int | None = None

    @classmethod
    def of(cls, mode: Mode, question: int, badge: str, found: Measured, limit: Limit, **words: Any) -> Self:
        """`words`: evidence, advice and measure, and which other question it repeats."""
        figures = asdict(found)
        return cls(mode, question, badge, limit=limit.at, **figures, **words)

    @property
    def by_wording(self) -> bool:
        return self.value is None

    @property
    def order(self) -> tuple[bool, bool, int, float]:
        """Sorts the most urgent first; of one mode the farthest beyond its limit."""
        beyond = abs(self.value - self.limit) if self.value is not None and self.limit is not None else 0.0
        return self.question is None, self.by_wording, URGENCY.index(self.mode), -beyond

    def to_json(self) -> dict[str, Any]:
        """Questions count from 1, as on screens."""
        places = {"question": self.question, "other": self.other}
        return asdict(self) | {name: None if place is None else place + 1 for name, place in places.items()}


def _percent(share: float) -> str:
    """Without decimals, unless that made 0 or 100 of what is neither."""
    said = f"{100 * share:.0f}"
    return f"{100 * share:.1f}" if said in ("0", "100") and 0 < share < 1 else said
