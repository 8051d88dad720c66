"""Texts of a result: where judge and people differ most, everything on one text, and a run's counts."""

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from statistics import fmean
from typing import Any, Literal

from scipy.stats import rankdata

from app.domain.checklist import Checklist, ChecklistStatus, Question, QuestionKind
from app.domain.checklist_score import ABSTAINED, Answer, Judgment
from app.domain.improvement import Decision, reference
from app.domain.project import Text
from app.domain.quotes import QuoteCounts, QuotedPlace, find_quote, in_context
from app.domain.roles_and_rights import Right
from app.domain.run import RunSummary, ScoredText, ScoreStatus
from app.errors import NotFoundError
from app.services.checklists.checklists import new_draft
from app.services.results.results import DimensionResult
from app.services.runtime.workbench import Workbench, use_case
from db.unit_of_work import Database, UnitOfWork

GapDirection = Literal["all", "kinder", "harsher"]


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A text's score compared with its mean rating. `difference` is score - mean rating: above 0 the judge is kinder
    than people.

    For scores on another scale it is the difference of the ranks among all texts, as shares from 0 to 1.
    """

    row: ScoredText
    score: float
    human: float
    difference: float


@dataclass(frozen=True, slots=True)
class TextDetail:
    """One text with the judge's answers in the order asked, and each rater's rating.

    A question has several judgments if it was asked repeatedly. `details` is what the score was computed from, if the
    method says so: aspects with scores, probabilities. `decided`: question id -> standing decision on this text.
    """

    text: Text
    answers: tuple[tuple[Question, tuple[Judgment, ...]], ...]
    ratings: tuple[tuple[str, float], ...]
    details: Mapping[str, Any] = field(default_factory=dict)
    decided: Mapping[int, Decision] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TextFilter:
    """The filter of texts to show. `low` to `high`: the judge's score, inclusive. "" and None don't filter.

    `direction`: texts on which the judge is kinder or harsher than people.
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
    """The number of times each answer was given to a question, with repeats; `yes_share` is of yes and no, None without
    any. `cannot_tell` counts the unanswered ones where the judge said that it can't tell."""

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
    """Return the largest differences first; ties in import order. on_scale: whether scores are on the scale of the
    ratings."""
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
    """Return for each value the share of other values that are lower; equal ones count half."""
    if not values:
        return []
    return [float((rank - 1) / max(len(values) - 1, 1)) for rank in rankdata(values)]


@use_case(Right.READ)
def judged_text(workbench: Workbench, run_id: int, dimension_id: int, text_id: int) -> TextDetail:
    """Return everything on one text. Raises NotFoundError if the run didn't score the dimension, or the text is
    gone."""
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
    """Return the questions of the run's checklist in order, with counts of their answers."""
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
    """Return the newest draft with this question, perhaps reworded, and the question in it.

    If no draft has it, one is started from the newest published version with it. Raises NotFoundError if there is none.
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
    """Return the sub-question with these words, else the one with the same original wording."""
    there = [each for each in checklist.questions if each.kind is QuestionKind.SUB]
    first = question.original or question.text
    same = [each for each in there if each.id == question.id or each.text == question.text]
    return next(iter([*same, *(each for each in there if (each.original or each.text) == first)]), None)


def _checklist(work: UnitOfWork, run_id: int, dimension_id: int) -> Checklist | None:
    part = next((part for part in work.runs.parts(run_id) if part.dimension == dimension_id), None)
    if part is None:
        raise NotFoundError(f"Run {run_id} did not score this dimension.", "Choose another run or dimension.")
    return work.checklists.get(part.checklist) if part.checklist else None


ASKED = "evidence"  # the option of a run that asks for it
_AT_A_TIME = 500  # texts that are held in memory


@dataclass(frozen=True, slots=True)
class QuotedAnswer:
    """An answer with a quote; `place` is None if the quote is neither in the text nor in its source."""

    question: Question
    judgment: Judgment
    place: QuotedPlace | None


def quoted_answers(
    text: Text, answers: Iterable[tuple[Question, Sequence[Judgment]]], most: int | None = None
) -> tuple[QuotedAnswer, ...]:
    """Return the first `most` answers with a quote, in the order asked; equal quotes of repeats count once."""
    different = {(question.id, one.quote): (question, one) for question, given in answers for one in given if one.quote}
    return tuple(
        QuotedAnswer(question, one, find_quote(one.quote, text.text, text.source))
        for question, one in list(different.values())[:most]
    )


@dataclass(frozen=True, slots=True)
class QuotedText:
    """A text in a report: its names, and its answers with a quote."""

    name: str
    text: Text
    answers: tuple[QuotedAnswer, ...]

    def to_json(self) -> dict[str, Any]:
        return {"name": self.name, "answers": [self._said(one) for one in self.answers]}

    def _said(self, one: QuotedAnswer) -> dict[str, Any]:
        place, before, quoted, after = one.place, "", one.judgment.quote, ""
        if place is not None:
            before, quoted, after = in_context(self.text.source if place.in_source else self.text.text, place)
        return {
            "question": one.question.text,
            "answer": one.judgment.answer.value,
            "before": before,
            "quote": quoted,
            "after": after,
            "found": place is not None,
            "in_source": place is not None and place.in_source,
        }


@dataclass(frozen=True, slots=True)
class ReportEvidence:
    """The part of a report on a judge's quotes: how many are in the texts, and those about a few texts."""

    counts: QuoteCounts
    texts: tuple[QuotedText, ...]

    def to_json(self) -> dict[str, Any]:
        return {"counts": str(self.counts), "texts": [text.to_json() for text in self.texts]}


@use_case(Right.READ)
def quote_counts(workbench: Workbench, run_id: int, dimension_id: int) -> QuoteCounts:
    """Return counts over all answers of the run on the dimension, cached until they change; zeros for a run without
    evidence."""
    with workbench.database.read() as work:
        run = work.runs.get(run_id)
        state = (run.status, run.done, run.failed, work.results.rating_state(dimension_id))
    return _cached_counts(workbench.database, run_id, dimension_id, state) if asked_for_evidence(run) else QuoteCounts()


def asked_for_evidence(run: RunSummary) -> bool:
    return bool(run.params.get(ASKED))


@lru_cache(maxsize=64)
def _cached_counts(database: Database, run_id: int, dimension_id: int, _: tuple[Any, ...]) -> QuoteCounts:
    with database.read() as work:
        return count_quotes(work.results.quotes(run_id, dimension_id), work.texts.many)


def count_quotes(
    quotes: Mapping[int, Sequence[str]], texts_of: Callable[[Iterable[int]], Mapping[int, Text]]
) -> QuoteCounts:
    """Count the quotes. quotes: text id -> one for each answer, "" for none."""
    without = sum(not quote for given in quotes.values() for quote in given)
    places: list[QuotedPlace | None] = []
    quoted = [text for text, given in quotes.items() if any(given)]
    for start in range(0, len(quoted), _AT_A_TIME):
        some = quoted[start : start + _AT_A_TIME]
        texts = texts_of(some)
        places += [
            find_quote(quote, texts[text].text, texts[text].source)
            for text in some
            if text in texts
            for quote in quotes[text]
            if quote
        ]
    found = [place for place in places if place is not None]
    nearly = sum(not place.exact for place in found)
    return QuoteCounts(len(found), nearly, len(places) - len(found), without)


TEXTS = 5  # a report is read; the screen shows all of them
ANSWERS = 40  # of a text


@use_case(Right.READ)
def report_evidence(workbench: Workbench, result: DimensionResult) -> ReportEvidence | None:
    """Return quotes about the texts on which judge and people differ most, or about the first ones without ratings.

    None if the judge wasn't asked for evidence, and for the held-out split.
    """
    counts = quote_counts(workbench, result.run.id, result.dimension.id)
    if not counts or result.locked:
        return None
    with workbench.database.read() as work:
        quoted = {text for text, given in work.results.quotes(result.run.id, result.dimension.id).items() if any(given)}
    farthest = [found.row for found in disagreements(result.compared, on_scale=result.on_scale)]
    rows = [row for row in farthest or result.rows if row.text in quoted]
    return ReportEvidence(counts, tuple(_quoted_text(workbench, result, row.text) for row in rows[:TEXTS]))


def _quoted_text(workbench: Workbench, result: DimensionResult, text_id: int) -> QuotedText:
    found = judged_text(workbench, result.run.id, result.dimension.id, text_id)
    name = " · ".join(part for part in found.text.key if part)
    return QuotedText(name, found.text, quoted_answers(found.text, found.answers, ANSWERS))


@use_case(Right.READ)
def run_counts(workbench: Workbench, run_id: int) -> dict[str, dict[str, Any]]:
    """Return dimension -> scored and failed texts, unanswered questions, and mean coverage of scored texts (None
    without any).

    If above 0 also: answers "does not apply" (does_not_apply), texts without a score because nothing applies
    (nothing_applies), and questions, or texts of methods without questions, on which the judge says that it can't tell
    (cannot_tell). For a run with evidence the counts of quotes found and absent (quotes).
    """
    with workbench.database.read() as work:
        evidence = asked_for_evidence(work.runs.get(run_id))
        counts = {}
        for part in work.runs.parts(run_id):
            coverages, states, nothing_applies = array("d"), Counter[ScoreStatus](), 0
            for row in work.every_result.each_scored(run_id, part.dimension):
                states[row.status] += 1
                nothing_applies += row.nothing_applies
                if row.coverage is not None:
                    coverages.append(row.coverage)
            answers = work.every_result.answer_counts(run_id, part.dimension).values()
            untold = sum(work.every_result.cannot_tell_counts(run_id, part.dimension).values())
            details = work.every_result.details(run_id, part.dimension).values() if not answers else ()
            found = {
                "does_not_apply": sum(counted.get(Answer.NOT_APPLICABLE, 0) for counted in answers),
                "nothing_applies": nothing_applies,
                "cannot_tell": untold + sum(ABSTAINED in each for each in details),
            }
            counts[part.name] = {
                "scored": states[ScoreStatus.DONE],
                "failed": states[ScoreStatus.FAILED],
                "unanswered": work.every_result.unanswered(run_id, part.dimension),
                "coverage": round(fmean(coverages), 4) if coverages else None,
                **{name: number for name, number in found.items() if number},
                **(_quotes(work, run_id, part.dimension) if evidence else {}),
            }
        return counts


def _quotes(work: UnitOfWork, run_id: int, dimension_id: int) -> dict[str, dict[str, int]]:
    counted = count_quotes(work.every_result.quotes(run_id, dimension_id), work.every_text.many)
    return {"quotes": counted.to_json()} if counted else {}
