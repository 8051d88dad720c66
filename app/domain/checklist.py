"""A checklist: its questions, changes, proposals and comments; a judge's answers, and the score computed from them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from statistics import fmean
from typing import Any, Literal


class QuestionKind(StrEnum):
    KEY = "key"
    SUB = "sub"


class QuestionOrigin(StrEnum):
    GENERATED = "generated"
    EDITED = "edited"
    ADDED = "added"


class ChecklistStatus(StrEnum):
    DRAFT = "draft"
    PUBLISHED = "published"


@dataclass(frozen=True, slots=True)
class ChecklistVersion:
    """The number and status of a checklist version, without its questions."""

    id: int
    version: int
    status: ChecklistStatus


@dataclass(frozen=True, slots=True)
class Component:
    """A key sub-concept of a dimension, with the ids of the attributes clustered under it."""

    name: str
    description: str = ""
    attributes: tuple[int, ...] = ()
    position: int = 0
    id: int = 0


MOST_EXAMPLES = 4
"""Examples of one question."""
LONGEST_EXAMPLE = 1_500
"""Characters of an example's text, and of its reason."""


@dataclass(frozen=True, slots=True)
class Example:
    """A text or a passage with the answer that people decided ("yes", "no" or "does not apply") and the reason, "" for
    none."""

    text: str
    answer: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """A yes/no question. Key questions structure the checklist; the judge is asked the enabled sub-questions.

    `attributes` are the ids of the attributes it is based on; `original` is its first wording, `reason` why it was
    changed. `guidance` tells the judge how to decide, "" for none. `weight` counts in the weighted score only.
    `may_not_apply` allows the answer "does not apply". `not_apply_reason` is why its author thinks that it may not
    apply; until somebody allows the answer, this is a proposal.

    Three fields change how its answer counts; no judge sees them. `must_not`: a yes costs the point and a no earns it.
    `cap`: the question is required, and a text that fails it scores at most this; None for no cap. `grade`: the name of
    a quality that has two or three questions as thresholds, lowest first; "" for none.

    `examples` are shown to a judge that is an LLM, at most MOST_EXAMPLES.
    """

    text: str
    component: str
    kind: QuestionKind = QuestionKind.SUB
    key_question: str = ""
    attributes: tuple[int, ...] = ()
    position: int = 0
    enabled: bool = True
    weight: float = 1.0
    origin: QuestionOrigin = QuestionOrigin.GENERATED
    reason: str = ""
    original: str = ""
    id: int = 0
    guidance: str = ""
    may_not_apply: bool = False
    not_apply_reason: str = ""
    must_not: bool = False
    cap: float | None = None
    grade: str = ""
    examples: tuple[Example, ...] = ()

    @property
    def expert_guidance(self) -> str:
        """Return what experts who answer the question are told; "" for nothing."""
        return " ".join(filter(None, ("A yes is bad here." if self.must_not else "", self.guidance)))

    @property
    def counting(self) -> str:
        """Return a phrase on how the answer counts (weight aside); "" where a yes simply earns the point."""
        said = ["a yes costs the point"] if self.must_not else []
        said += [f"required: failing it caps the score at {self.cap:g}"] if self.cap is not None else []
        return ", ".join([*said, *([f"a threshold of “{self.grade}”"] if self.grade else [])])


@dataclass(frozen=True, slots=True)
class DroppedAttribute:
    """An attribute that a stage left out, with the reason."""

    attribute: int
    stage: str
    reason: str


@dataclass(frozen=True, slots=True)
class Checklist:
    """The questions of one dimension, versioned; immutable once published."""

    dimension: str
    version: int
    status: ChecklistStatus
    condition: str
    model: str
    components: tuple[Component, ...] = ()
    questions: tuple[Question, ...] = ()
    dropped: tuple[DroppedAttribute, ...] = ()
    parent: int | None = None
    created_at: datetime | None = None
    published_at: datetime | None = None
    id: int = 0

    @property
    def weighted(self) -> bool:
        """Return whether the asked questions have different weights, so that the weighted score differs from the plain
        one."""
        return len({question.weight for question in self.asked}) > 1

    @property
    def asked(self) -> tuple[Question, ...]:
        """Return the questions a judge answers, in order."""
        return tuple(q for q in self.questions if q.kind is QuestionKind.SUB and q.enabled)

    @property
    def grades(self) -> dict[str, tuple[Question, ...]]:
        """Return name of a grade -> its thresholds among the asked questions, lowest first."""
        found: dict[str, tuple[Question, ...]] = {}
        for question in self.asked:
            if question.grade:
                found[question.grade] = (*found.get(question.grade, ()), question)
        return found

    @property
    def numbers(self) -> dict[int, int]:
        """Return question id -> number on screens and on paper, from 1. Questions that aren't asked are left out."""
        return {question.id: number for number, question in enumerate(self.asked, start=1)}


def unchanged_questions(
    before: Sequence[Question],
    now: Sequence[Question],
    open_before: str = "offered",
    open_now: str = "offered",
    shown_before: str | None = None,
    shown_now: str | None = None,
) -> dict[int, int]:
    """Return id in `before` -> id in `now` for each question that is unchanged.

    A question is unchanged if its text, guidance and `may_not_apply` are the same, and where it may not apply, also how
    a judge is offered that (`open_before`, `open_now`). Its examples count unless `shown_before` and `shown_now`, how a
    judge is shown them, are None, as for experts, who see none. Its answers count for both versions.
    """
    known = {_as_asked(question, open_now, shown_now): question.id for question in now}
    asked = {question.id: _as_asked(question, open_before, shown_before) for question in before}
    return {id_: known[words] for id_, words in asked.items() if words in known}


def _as_asked(question: Question, offered: str, shown: str | None) -> tuple[object, ...]:
    examples = (shown, question.examples) if question.examples and shown is not None else ()
    return question.text, question.guidance, offered if question.may_not_apply else "", examples


Kind = Literal["question", "component"]


@dataclass(frozen=True, slots=True)
class Edit:
    """New values for some fields of one question or component of a draft."""

    kind: Kind
    id: int
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Step:
    """The fields that an edit changed in one question or component, with their values before and after."""

    kind: Kind
    id: int
    before: Mapping[str, Any]
    after: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Change:
    """One thing a person did to a draft. `what` describes it in a few words; `who` is "" for a person without a name.

    `undoes` is the id of the change that this one undid; `undone` says whether this one was undone.
    """

    id: int
    who: str
    what: str
    steps: tuple[Step, ...]
    at: datetime
    undoes: int | None = None
    undone: bool = False


class Action(StrEnum):
    """A task that a person gives a model about questions. VALIDATE proposes any merges, rewordings and drops;
    APPLICABILITY proposes which questions may not apply."""

    REPHRASE = "rephrase"
    SIMPLER = "simpler"
    SPLIT = "split"
    MERGE = "merge"
    VALIDATE = "validate"
    APPLICABILITY = "applicability"


class ProposalStatus(StrEnum):
    OPEN = "open"
    ACCEPTED = "accepted"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Proposal:
    """A model's proposal to change a draft. `before` are the wordings of the questions `sources` at that time; `after`
    is empty for a proposal to drop them."""

    action: Action
    model: str
    sources: tuple[int, ...]
    before: tuple[str, ...]
    after: tuple[str, ...]
    reason: str = ""
    status: ProposalStatus = ProposalStatus.OPEN
    decided_by: str = ""
    created_at: datetime | None = None
    decided_at: datetime | None = None
    id: int = 0


LONGEST_COMMENT = 5_000
"""Characters."""


@dataclass(frozen=True, slots=True)
class QuestionComment:
    """A comment on a question. `question` is the id it was made on, perhaps in an earlier version. `who` is "" for a
    person without a name. `settled_by` and `settled_at` say who last resolved or reopened it; `settled_at` is None if
    nobody did."""

    id: int
    question: int
    version: int
    who: str
    text: str
    at: datetime
    resolved: bool = False
    settled_by: str = ""
    settled_at: datetime | None = None


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
