"""Judgments: what a judge said of a text, and the score that follows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from statistics import fmean
from typing import Any


class Answer(StrEnum):
    YES = "yes"
    NO = "no"
    UNANSWERED = "unanswered"


@dataclass(frozen=True, slots=True)
class Judgment:
    """One answer to one question about one text.

    `repeat` counts from 0 where the same was asked several times; `p_yes` is the judge's probability of yes against no,
    None where the model gives no log-probabilities. `origin` is the earlier run that asked, where this one took its
    answer over.
    """

    question: int
    answer: Answer
    rationale: str = ""
    repeat: int = 0
    p_yes: float | None = None
    origin: int | None = None


@dataclass(frozen=True, slots=True)
class Score:
    """A text's score on a dimension. `value` is None where nothing was answered; `coverage` = answered / asked."""

    value: float | None
    coverage: float


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


def score_on_scale(low: float, high: float, yes: float, answered: float) -> float | None:
    """low + (high - low) * yes / answered (InteractEval, section 3.5); None where nothing is answered."""
    return low + (high - low) * yes / answered if answered > 0 else None


def soft_score(judgments: Sequence[Judgment], low: float, high: float) -> float | None:
    """low + (high - low) * mean P(yes); None unless every judgment has one, so that it rests on the same answers."""
    probabilities = [judgment.p_yes for judgment in judgments]
    known = [p for p in probabilities if p is not None]
    if not known or len(known) < len(probabilities):
        return None
    return low + (high - low) * fmean(known)


def checklist_score(answers: list[Answer], low: float, high: float, weights: list[float] | None = None) -> Score:
    """`score_on_scale` of the answers; unanswered is neither yes nor no.

    With weights (same length as answers, non-negative) yes and answered are sums of weights; coverage stays a
    count. 7 yes of 9 on 1-5 gives 4.111...
    """
    weighed = weights if weights is not None else [1.0] * len(answers)
    pairs = [(a, w) for a, w in zip(answers, weighed, strict=True) if a is not Answer.UNANSWERED]
    yes, answered = sum(w for a, w in pairs if a is Answer.YES), sum(w for _, w in pairs)
    return Score(score_on_scale(low, high, yes, answered), len(pairs) / len(answers) if answers else 0.0)
