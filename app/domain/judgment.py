"""Judgments: what a judge said of a text, and the score that follows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from statistics import fmean
from typing import Any


class Answer(StrEnum):
    """NOT_APPLICABLE is an answer, neither yes nor no, and counts where a question allows it; UNANSWERED is none."""

    YES = "yes"
    NO = "no"
    NOT_APPLICABLE = "does not apply"
    UNANSWERED = "unanswered"


@dataclass(frozen=True, slots=True)
class Judgment:
    """One answer to one question about one text.

    `repeat` counts from 0 where the same was asked several times; `p_yes` is the judge's probability of yes against no,
    None where the model gives no log-probabilities. `origin` is the earlier run that asked, where this one took its
    answer over. `cannot_tell`: unanswered because the judge said that it can't tell from what it was given; nobody asks
    it again. `quote` is the passage that decides it, as the judge gave it where it was asked for one: whether it is
    there is looked up (wording.quotation). "" for none.
    """

    question: int
    answer: Answer
    rationale: str = ""
    repeat: int = 0
    p_yes: float | None = None
    origin: int | None = None
    cannot_tell: bool = False
    quote: str = ""

    @property
    def settled(self) -> bool:
        """Whether asking again would be asking twice: it has an answer, or the judge said that it can't tell."""
        return self.answer is not Answer.UNANSWERED or self.cannot_tell


@dataclass(frozen=True, slots=True)
class Score:
    """A text's score on a dimension. `value` is None where no question has a yes or no; `coverage` = answered / asked,
    where "does not apply" is answered."""

    value: float | None
    coverage: float


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A text's score on one dimension. `value` is None where nothing could be said; `coverage` is 0 to 1. Covered and
    without a value is a text to which no question applies.

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
    any judge that gave no score and said why: abstained (why)
    """

    value: float | None
    coverage: float = 1.0
    judgments: tuple[Judgment, ...] = ()
    soft: float | None = None
    details: Mapping[str, Any] = field(default_factory=dict)

    @property
    def settled(self) -> bool:
        """Whether no gap is left to ask again: each has an answer, or the judge said that it can't tell."""
        if self.judgments:
            return all(judgment.settled for judgment in self.judgments)
        return ABSTAINED in self.details


ABSTAINED = "abstained"
"""The key of `details` under which an abstention says why: CANNOT_TELL or Answer.NOT_APPLICABLE."""
CANNOT_TELL = "cannot tell"


def abstained(why: str, details: Mapping[str, Any] | None = None) -> Evaluation:
    """No score, because the judge said that it can't tell, or that the dimension doesn't apply."""
    return Evaluation(None, 0.0, details={ABSTAINED: why, **(details or {})})


def score_on_scale(low: float, high: float, yes: float, answered: float) -> float | None:
    """low + (high - low) * yes / answered (InteractEval, section 3.5), answered being yes and no; None without any."""
    return low + (high - low) * yes / answered if answered > 0 else None


def soft_score(judgments: Sequence[Judgment], low: float, high: float) -> float | None:
    """low + (high - low) * mean P(yes); None unless every judgment has one, so that it rests on the same answers.

    Questions that don't apply play no part in it.
    """
    probabilities = [judgment.p_yes for judgment in judgments if judgment.answer is not Answer.NOT_APPLICABLE]
    known = [p for p in probabilities if p is not None]
    if not known or len(known) < len(probabilities):
        return None
    return low + (high - low) * fmean(known)


def checklist_score(answers: list[Answer], low: float, high: float, weights: list[float] | None = None) -> Score:
    """`score_on_scale` of the answers: yes / (yes + no). What doesn't apply and what is unanswered are neither.

    With weights (same length as answers, non-negative) yes and answered are sums of weights; coverage stays a
    count, of what has an answer. 7 yes of 9 on 1-5 gives 4.111...; 7 yes, 1 no and one that doesn't apply 4.5.
    """
    weighed = weights if weights is not None else [1.0] * len(answers)
    pairs = [(a, w) for a, w in zip(answers, weighed, strict=True) if a in (Answer.YES, Answer.NO)]
    yes, answered = sum(w for a, w in pairs if a is Answer.YES), sum(w for _, w in pairs)
    given = sum(a is not Answer.UNANSWERED for a in answers)
    return Score(score_on_scale(low, high, yes, answered), given / len(answers) if answers else 0.0)
