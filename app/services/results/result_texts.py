"""Single texts of a result: where judge and people differ most, and everything that was said about one of them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from scipy.stats import rankdata

from app.domain.checklist import Checklist, ChecklistStatus, Question, QuestionKind
from app.domain.improvement import Decision, reference
from app.domain.judgment import Answer, Judgment
from app.domain.people import Right
from app.domain.project import Text
from app.domain.run import ScoredText
from app.errors import NotFoundError
from app.services.checklists.checklists import new_draft
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench
from db.unit_of_work import UnitOfWork

GapDirection = Literal["all", "kinder", "harsher"]


@dataclass(frozen=True, slots=True)
class Disagreement:
    """`difference` is score - mean rating: above 0 the judge is kinder than people.

    Where scores are on a scale of their own it is that of the places among all texts, as shares from 0 to 1.
    """

    row: ScoredText
    score: float
    human: float
    difference: float


@dataclass(frozen=True, slots=True)
class TextDetail:
    """One text with the judge's answers in the order they were asked, and what each rater gave.

    A question has several judgments where the judge was asked repeatedly. `details` is what the score was computed
    from, where the method says it: aspects with their scores, probabilities. `decided`: question (id) -> the decision
    that holds for it here.
    """

    text: Text
    answers: tuple[tuple[Question, tuple[Judgment, ...]], ...]
    ratings: tuple[tuple[str, float], ...]
    details: Mapping[str, Any] = field(default_factory=dict)
    decided: Mapping[int, Decision] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TextFilter:
    """Which texts to look at. `low` to `high`: the judge's score, both ends included. "" and None leave nothing out.

    `direction`: the texts on which the judge is kinder or harsher than people.
    """

    system: str = ""
    direction: GapDirection = "all"
    low: float | None = None
    high: float | None = None

    def fits(self, found: Disagreement) -> bool:
        return (
            (not self.system or found.row.system_id == self.system)
            and (self.direction != "kinder" or found.difference > 0)
            and (self.direction != "harsher" or found.difference < 0)
            and (self.low is None or found.score >= self.low)
            and (self.high is None or found.score <= self.high)
        )


@dataclass(frozen=True, slots=True)
class QuestionShare:
    """How often each answer was given, repeats included; `yes_share` is of yes and no, None without. `cannot_tell` are
    those of the unanswered of which the judge said so."""

    question: Question
    yes: int
    no: int
    unanswered: int
    not_applicable: int = 0
    cannot_tell: int = 0

    @property
    def yes_share(self) -> float | None:
        return self.yes / (self.yes + self.no) if self.yes + self.no else None


EVERYTHING = TextFilter()


def disagreements(
    rows: Iterable[ScoredText], wanted: TextFilter = EVERYTHING, *, on_scale: bool = True
) -> list[Disagreement]:
    """The farthest apart first; equals in import order. on_scale: whether scores are on the scale of the ratings."""
    pairs = [(row, row.score, row.human) for row in rows if row.score is not None and row.human is not None]
    scores, ratings = [score for _, score, _ in pairs], [human for _, _, human in pairs]
    if not on_scale:
        scores, ratings = _places(scores), _places(ratings)
    found = [
        Disagreement(row, score, human, one - other)
        for (row, score, human), one, other in zip(pairs, scores, ratings, strict=True)
    ]
    return sorted(filter(wanted.fits, found), key=lambda each: (-abs(each.difference), each.row.text))


def _places(values: Sequence[float]) -> list[float]:
    """The share of the other values that are lower, equal ones counted by half."""
    if not values:
        return []
    return [float((rank - 1) / max(len(values) - 1, 1)) for rank in rankdata(values)]


@use_case(Right.READ)
def judged_text(workbench: Workbench, run_id: int, dimension_id: int, text_id: int) -> TextDetail:
    """Raises NotFoundError where the run did not score the dimension, or the text is gone."""
    with workbench.database.read() as work:
        checklist = _checklist(work, run_id, dimension_id)
        text = work.texts.get(text_id)
        name = work.projects.dimension_by_id(dimension_id).name
        judgments = work.results.judgments(run_id, dimension_id, text_id)
        ratings = work.texts.ratings_of(text_id)
        details = work.results.details_of(run_id, dimension_id, text_id)
        decisions = work.decisions.of_checklist(checklist.id) if checklist else {}
    asked = checklist.asked if checklist else ()
    answers = [(question, tuple(j for j in judgments if j.question == question.id)) for question in asked]
    return TextDetail(
        text,
        tuple((question, given) for question, given in answers if given),
        tuple((rater, value) for dimension, rater, value in ratings if dimension == name),
        details,
        {q: held[text_id] for q, made in decisions.items() if text_id in (held := reference(made))},
    )


@use_case(Right.READ)
def question_shares(workbench: Workbench, run_id: int, dimension_id: int) -> list[QuestionShare]:
    """The questions of the run's checklist in order, with how they were answered."""
    with workbench.database.read() as work:
        checklist = _checklist(work, run_id, dimension_id)
        counts = work.results.answer_counts(run_id, dimension_id)
        untold = work.results.cannot_tell_counts(run_id, dimension_id)
    return [
        QuestionShare(
            question,
            counts.get(question.id, {}).get(Answer.YES, 0),
            counts.get(question.id, {}).get(Answer.NO, 0),
            counts.get(question.id, {}).get(Answer.UNANSWERED, 0),
            counts.get(question.id, {}).get(Answer.NOT_APPLICABLE, 0),
            untold.get(question.id, 0),
        )
        for question in (checklist.asked if checklist else ())
    ]


@use_case(Right.EDIT)
def draft_to_edit(workbench: Workbench, dimension_id: int, question: Question) -> tuple[Checklist, Question]:
    """The newest draft that holds this question, in these words or since reworded, and the question in it.

    Where no draft does, one is started from the newest published version that holds it. Raises NotFoundError where none
    does that people edit.
    """
    with workbench.database.read() as work:
        versions = work.checklists.versions(dimension_id)
    for each in sorted(versions, key=lambda version: version.status is ChecklistStatus.PUBLISHED):  # drafts first
        found = _in(each, question)
        if found and each.status is ChecklistStatus.DRAFT:
            return each, found
        if found:
            draft = new_draft(workbench, each.id)
            return draft, next(q for q in draft.questions if q.text == found.text)
    raise NotFoundError(
        "This question is in no version that people edit: a study of conditions made it by itself.",
        "Add it to your own checklist, if you want it there.",
    )


def _in(checklist: Checklist, question: Question) -> Question | None:
    """The sub-question of these words, else the one that had the same first wording."""
    there = [each for each in checklist.questions if each.kind is QuestionKind.SUB]
    first = question.original or question.text
    same = [each for each in there if each.id == question.id or each.text == question.text]
    return next(iter([*same, *(each for each in there if (each.original or each.text) == first)]), None)


def _checklist(work: UnitOfWork, run_id: int, dimension_id: int) -> Checklist | None:
    part = next((part for part in work.runs.parts(run_id) if part.dimension == dimension_id), None)
    if part is None:
        raise NotFoundError(f"Run {run_id} did not score this dimension.", "Choose another run or dimension.")
    return work.checklists.get(part.checklist) if part.checklist else None
