"""A judge's answers to a checklist, and the score computed from them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from statistics import fmean
from typing import Any

from app.domain.checklist import Question


class Answer(StrEnum):
    """An answer to a question. NOT_APPLICABLE counts as an answer, neither yes nor no, where a question allows it;
    UNANSWERED doesn't."""

    YES = "yes"
    NO = "no"
    NOT_APPLICABLE = "does not apply"
    UNANSWERED = "unanswered"


@dataclass(frozen=True, slots=True)
class Judgment:
    """One answer to one question about one text.

    `repeat` counts from 0 if the same question was asked several times; `p_yes` is the judge's probability of yes
    against no, None if the model gives no log-probabilities. `origin` is the earlier run whose answer this run reuses,
    None for an answer of its own. `cannot_tell`: unanswered because the judge said that it can't tell; the question
    isn't asked again. `quote` is the judge's quotation of the deciding passage, "" for none; `wording.find_quote` looks
    it up in the text.
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
        """Return whether it needn't be asked again: it has an answer, or the judge said that it can't tell."""
        return self.answer is not Answer.UNANSWERED or self.cannot_tell


@dataclass(frozen=True, slots=True)
class Score:
    """A text's score on a dimension. `value` is None if no question has a yes or no; `coverage` = answered / asked,
    where "does not apply" counts as answered."""

    value: float | None
    coverage: float


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A text's score on one dimension. `value` is None if there is no score; `coverage` is 0 to 1. No value with a
    coverage above 0 means that no answered question applies to the text.

    `soft` is the score from the judge's probabilities instead of its answers, None without probabilities.
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
        """Return whether nothing needs to be asked again: every question is settled, or the judge abstained."""
        if self.judgments:
            return all(judgment.settled for judgment in self.judgments)
        return ABSTAINED in self.details


ABSTAINED = "abstained"
"""The key of `details` under which an abstention says why: CANNOT_TELL or Answer.NOT_APPLICABLE."""
CANNOT_TELL = "cannot tell"


def abstained_evaluation(why: str, details: Mapping[str, Any] | None = None) -> Evaluation:
    """Return the evaluation, without a score, of a judge that said that it can't tell or that the dimension doesn't
    apply."""
    return Evaluation(None, 0.0, details={ABSTAINED: why, **(details or {})})


def score_on_scale(low: float, high: float, yes: float, answered: float) -> float | None:
    """Return low + (high - low) * yes / answered (InteractEval, section 3.5). `answered` counts yes and no; None if it
    is 0."""
    return low + (high - low) * yes / answered if answered > 0 else None


def capped(value: float | None, caps: list[float | None]) -> float | None:
    """Return the value, at most the lowest of `caps`, those of the required questions that a text fails; None is no
    cap."""
    return value if value is None else min([value, *(cap for cap in caps if cap is not None)])


def earns_point(question: Question, answer: Answer) -> bool | None:
    """Return whether the answer earns the question's point: yes, or no for a `must_not` question. None for other
    answers."""
    return (answer is Answer.YES) is not question.must_not if answer in (Answer.YES, Answer.NO) else None


def shares_of(questions: Sequence[Question]) -> list[float]:
    """Return how much each question counts: 1, or 1/n for each of the n thresholds of a grade, which together count as
    one question."""
    thresholds = Counter(question.grade for question in questions if question.grade)
    return [1 / thresholds.get(question.grade, 1) for question in questions]


def inconsistent_grades(questions: Sequence[Question], answers: Sequence[Answer]) -> list[tuple[int, int]]:
    """Return the contradictions: ids (lower, higher) of two thresholds of one grade of which only the higher earns its
    point. `questions` are in order, the lowest threshold first."""
    met = [earns_point(question, answer) for question, answer in zip(questions, answers, strict=True)]
    return [
        (low.id, high.id)
        for place, low in enumerate(questions)
        for above, high in enumerate(questions[place + 1 :], start=place + 1)
        if low.grade and low.grade == high.grade and met[place] is False and met[above]
    ]


def soft_score(
    judgments: Sequence[Judgment], low: float, high: float, questions: Sequence[Question] = ()
) -> float | None:
    """Return low + (high - low) * mean P(point); None unless every judgment has a probability, so that all answers
    count.

    P(point) is P(yes), or P(no) where a yes costs the point. Questions that don't apply are left out. The cap of a
    required question holds if its answer fails. Without `questions` all count alike.
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
        caps.append(question.cap if question and earns_point(question, judgment.answer) is False else None)
    return capped(low + (high - low) * fmean(points, weights if set(weights) != {1.0} else None), caps)


def checklist_score(
    answers: Sequence[Answer], low: float, high: float, questions: Sequence[Question] = (), weighted: bool = False
) -> Score:
    """Return `score_on_scale` of the answers: points / (yes + no). Other answers count in neither number.

    `questions`, one for each answer, say how each counts (`earns_point`, `shares_of`, `cap`); without them a yes is one
    point and all count alike. weighted: points and answered are sums of the questions' weights; `coverage` stays the
    unweighted share of questions with an answer. 7 yes of 9 on 1-5 gives 4.111...; 7 yes, 1 no and one that doesn't
    apply 4.5.
    """
    asked = questions or [_PLAIN] * len(answers)
    shares = shares_of(asked)
    weights = [share * each.weight for share, each in zip(shares, asked, strict=True)] if weighted else shares
    met = [earns_point(question, answer) for question, answer in zip(asked, answers, strict=True)]
    points = sum(weight for weight, point in zip(weights, met, strict=True) if point)
    answered = sum(weight for weight, point in zip(weights, met, strict=True) if point is not None)
    caps = [question.cap for question, point in zip(asked, met, strict=True) if point is False]
    given = sum(answer is not Answer.UNANSWERED for answer in answers)
    value = capped(score_on_scale(low, high, points, answered), caps)
    return Score(value, given / len(answers) if answers else 0.0)


_PLAIN = Question("", "")


def answer_said(repeats: Sequence[Answer]) -> Answer:
    """Return the answer of more than half of the repeats; UNANSWERED without such a majority."""
    for answer in (Answer.YES, Answer.NO, Answer.NOT_APPLICABLE):
        if 2 * sum(one is answer for one in repeats) > len(repeats):
            return answer
    return Answer.UNANSWERED
