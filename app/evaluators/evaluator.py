"""What every way of scoring a text has in common."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from app.domain.judgment import Judgment
from app.domain.text import Text


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A text's score on one dimension. `value` is None where nothing could be said; `coverage` is 0 to 1.

    `soft` is the score from the judge's probabilities instead of its answers, None where there are none.
    `details` are what the value was computed from, as JSON: aspects with their scores, probabilities.
    """

    value: float | None
    coverage: float = 1.0
    judgments: tuple[Judgment, ...] = ()
    soft: float | None = None
    details: Mapping[str, Any] = field(default_factory=dict)


class Evaluator(Protocol):
    """Scores one text after another on one dimension. Raises ProviderError where a text can't be scored."""

    async def score(self, text: Text) -> Evaluation: ...
