"""What a judge said of a text, and the score that follows."""

from dataclasses import dataclass
from enum import StrEnum


class Answer(StrEnum):
    YES = "yes"
    NO = "no"
    UNANSWERED = "unanswered"


@dataclass(frozen=True, slots=True)
class Judgment:
    """One answer to one question about one text."""

    question: int
    answer: Answer
    rationale: str = ""


@dataclass(frozen=True, slots=True)
class Score:
    """A text's score on a dimension. `value` is None where nothing was answered; `coverage` = answered / asked."""

    value: float | None
    coverage: float


def checklist_score(answers: list[Answer], low: float, high: float, weights: list[float] | None = None) -> Score:
    """low + (high - low) * yes / answered (InteractEval, section 3.5); unanswered is neither yes nor no.

    With weights (same length as answers, non-negative) yes and answered are sums of weights; coverage stays a
    count. 7 yes of 9 on 1-5 gives 4.111...
    """
    weighed = weights if weights is not None else [1.0] * len(answers)
    pairs = [(a, w) for a, w in zip(answers, weighed, strict=True) if a is not Answer.UNANSWERED]
    answered = sum(w for _, w in pairs)
    coverage = len(pairs) / len(answers) if answers else 0.0
    if answered <= 0:
        return Score(None, coverage)
    yes = sum(w for a, w in pairs if a is Answer.YES)
    return Score(low + (high - low) * yes / answered, coverage)
