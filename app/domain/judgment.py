"""Judgments: what a judge said of a text, and the score that follows."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from statistics import fmean
from typing import Any

from app.domain.checklist import Question


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


def capped(value: float | None, caps: list[float | None]) -> float | None:
    """The value, but no more than the lowest of the caps of required questions that a text fails; None is no cap."""
    return value if value is None else min([value, *(cap for cap in caps if cap is not None)])


def earns(question: Question, answer: Answer) -> bool | None:
    """Whether the answer earns the question's point: yes does, or no where it asks for what must not be. None for what
    is neither."""
    return (answer is Answer.YES) is not question.must_not if answer in (Answer.YES, Answer.NO) else None


def shares_of(questions: Sequence[Question]) -> list[float]:
    """What each question counts beside the others: 1, or a part of 1 for each threshold of a grade, which together
    count as one question."""
    thresholds = Counter(question.grade for question in questions if question.grade)
    return [1 / thresholds.get(question.grade, 1) for question in questions]


def inconsistent_grades(questions: Sequence[Question], answers: Sequence[Answer]) -> list[tuple[int, int]]:
    """Pairs of question ids, lower and higher threshold of one grade, where the lower fails and the higher is met."""
    met = [earns(question, answer) for question, answer in zip(questions, answers, strict=True)]
    return [
        (low.id, high.id)
        for place, low in enumerate(questions)
        for above, high in enumerate(questions[place + 1 :], start=place + 1)
        if low.grade and low.grade == high.grade and met[place] is False and met[above]
    ]


def soft_score(
    judgments: Sequence[Judgment], low: float, high: float, questions: Sequence[Question] = ()
) -> float | None:
    """low + (high - low) * mean P(point); None unless every judgment has one, so that it rests on the same answers.

    P(point) is P(yes), or P(no) where a yes costs the point. Questions that don't apply play no part in it. A required
    question caps it where its answer fails. Without `questions` all count alike.
    """
    shares = dict(zip((question.id for question in questions), shares_of(questions), strict=True))
    by_id = {question.id: question for question in questions}
    counted = [judgment for judgment in judgments if judgment.answer is not Answer.NOT_APPLICABLE]
    if not counted or any(judgment.p_yes is None for judgment in counted):
        return None
    points, weights = list[float](), list[float]()
    caps = list[float | None]()
    for judgment in counted:
        question, p = by_id.get(judgment.question), judgment.p_yes or 0.0
        points.append(1 - p if question and question.must_not else p)
        weights.append(shares.get(judgment.question, 1.0))
        caps.append(question.cap if question and earns(question, judgment.answer) is False else None)
    return capped(low + (high - low) * fmean(points, weights if set(weights) != {1.0} else None), caps)


def checklist_score(
    answers: Sequence[Answer],
    low: float,
    high: float,
    questions: Sequence[Question] = (),
    weighted: bool = False,
) -> Score:
    """`score_on_scale` of the answers: points / (yes + no). What doesn't apply and what is unanswered are neither.

    `questions`, one an answer, say how each counts (`earns`, `shares_of`, `cap`); without them yes is the point and all
    count alike. weighted: points and answered are sums of the questions' weights; coverage stays a count, of what has
    an answer. 7 yes of 9 on 1-5 gives 4.111...; 7 yes, 1 no and one that doesn't apply 4.5.
    """
    asked = questions or [_PLAIN] * len(answers)
    shares = shares_of(asked)
    weights = [share * each.weight for share, each in zip(shares, asked, strict=True)] if weighted else shares
    met = [earns(question, answer) for question, answer in zip(asked, answers, strict=True)]
    points = sum(weight for weight, point in zip(weights, met, strict=True) if point)
    answered = sum(weight for weight, point in zip(weights, met, strict=True) if point is not None)
    caps = [question.cap for question, point in zip(asked, met, strict=True) if point is False]
    given = sum(answer is not Answer.UNANSWERED for answer in answers)
    value = capped(score_on_scale(low, high, points, answered), caps)
    return Score(value, given / len(answers) if answers else 0.0)


_PLAIN = Question("", "")
