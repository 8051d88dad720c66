"""Evaluator: what every way of scoring a text has in common."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from app.domain.judgment import Judgment
from app.domain.text import Text


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A text's score on one dimension. `value` is None where nothing could be said; `coverage` is 0 to 1.

    `soft` is the score from the judge's probabilities instead of its answers, None where there are none.
    `details` are what the value was computed from, as JSON. By method:
    g-eval       probabilities {score: share}, outside (what fell on no score, 0 to 1); from samples also how
                 many of them hold a score (samples), of how many (asked)
    coascore     aspects [{name, score}], in the order of the definitions
    check-eval   answers [{question, answer}]
    gptscore     rated [{way, tokens, logprob}], one a reading; or p_yes, where a Yes was rated
    bartscore    rated, as for gptscore
    unieval      yes [share], one a sentence; cut (true where the material was shortened for the model)
    bertscore, moverscore   cut
    """

    value: float | None
    coverage: float = 1.0
    judgments: tuple[Judgment, ...] = ()
    soft: float | None = None
    details: Mapping[str, Any] = field(default_factory=dict)


class Evaluator(Protocol):
    """Scores one text after another on one dimension. Raises ProviderError where a text can't be scored."""

    async def score(self, text: Text) -> Evaluation: ...
