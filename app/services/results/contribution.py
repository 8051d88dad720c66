"""Contribution of each contributor to a checklist, and to the agreement of its scores with people."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from statistics import fmean
from typing import Any

from app.attribute_analysis.pool import Contribution, contribution_of
from app.domain.checklist import Checklist, Question
from app.domain.judgment import Answer, checklist_score
from app.domain.people import Right
from app.domain.project import Dimension
from app.domain.run import RunDimension, RunSummary, ScoredText
from app.errors import InputError
from app.evaluators.coascore import METHOD
from app.meta_evaluation.bootstrap import AgreementDesign
from app.meta_evaluation.comparison import Difference, compare_scores
from app.meta_evaluation.evaluation import Figure, Origin
from app.meta_evaluation.score_matrix import RESAMPLES, Coefficient, Level
from app.providers.credentials import Credentials
from app.services.results.results import (
    Choices,
    DimensionResult,
    agreement_with_people,
    evaluate_scores,
    kept_result,
    result_state,
)
from app.services.runtime.workbench import Workbench, use_case
from db.unit_of_work import Database

__all__ = ["Contribution"]


Judged = tuple[int, int, Answer]
ALL_QUESTIONS = "Every question rests on these attributes alone: without them nothing is left to ask."
NO_QUESTION = "No question rests on these attributes alone, so the scores stay the same."


@dataclass(frozen=True, slots=True)
class WithoutContributor:
    """Agreement without the `questions` that rest on one contributor's (or kind's) attributes alone.

    figure: Spearman with all questions (a), without those (b) and a - b with its interval: above 0 the questions
    help. None where nothing can be compared, for `reason`.
    """

    name: str
    kind: bool
    questions: int
    figure: Difference | None
    reason: str = ""


@use_case(Right.READ)
def runs_with_checklist(workbench: Workbench, project_id: int, dimension_id: int) -> list[tuple[RunSummary, Checklist]]:
    """The runs that scored texts of this dimension with a checklist, newest first; none of a locked test split."""
    with workbench.database.read() as work:
        runs = [run for run in work.runs.all(project_id) if run.done and not run.locked]
        parts = [(run, _part(work.runs.parts(run.id), dimension_id)) for run in runs]
        return [
            (run, work.checklists.get(part.checklist))
            for run, part in parts
            if part is not None and part.checklist is not None
        ]


@use_case(Right.READ)
def checklist_contribution(
    workbench: Workbench, project_id: int, dimension_id: int, checklist: Checklist
) -> Contribution:
    """Return whose attributes reached this checklist, counting those excluded since."""
    with workbench.database.read() as work:
        attributes = {a.id: a for a in work.think_aloud.attributes(project_id, dimension_id)}
    return contribution_of(checklist, attributes)


@use_case(Right.READ)
def without_each(
    workbench: Workbench,
    run: RunSummary,
    dimension: Dimension,
    checklist: Checklist,
    contribution: Contribution,
    level: Level = "per-source",
) -> list[WithoutContributor]:
    """The effect of leaving each contributor, then each kind of several, out of a run, from the answers it already has.

    An approximation: the questions that rest on them alone are dropped and the score is taken over the others. The
    checklist is not built anew without them. Texts with unanswered questions are left out, as in the results.
    """
    groups = [(name, False, reach.alone) for name, reach in contribution.by_contributor.items()]
    groups += [(name, True, reach.alone) for name, reach in contribution.joint.items()]
    with workbench.database.read() as work:
        state = (run.done, run.failed, work.results.rating_state(dimension.id))
    return list(_left_out(workbench.database, run.id, dimension, checklist.asked, tuple(groups), level, state))


# Several comparisons of a thousand resamples each: kept for as long as neither scores nor ratings change.
@lru_cache(maxsize=32)
def _left_out(
    database: Database,
    run_id: int,
    dimension: Dimension,
    asked: tuple[Question, ...],
    groups: tuple[tuple[str, bool, tuple[int, ...]], ...],
    level: Level,
    _: tuple[object, ...],
) -> tuple[WithoutContributor, ...]:
    with database.read() as work:
        rows = work.results.scored(run_id, dimension.id)
        answers = work.results.answers(run_id, dimension.id)
    complete = [row for row in rows if row.counts()]
    whole = _scores(complete, answers, asked, dimension)
    found = []
    for name, kind, alone in groups:
        if not alone or len(alone) == len(asked):
            found.append(WithoutContributor(name, kind, len(alone), None, ALL_QUESTIONS if alone else NO_QUESTION))
            continue
        kept = [question for question in asked if question.id not in alone]
        without = _scores(complete, answers, kept, dimension)
        try:
            figure = _compared(complete, whole, without, level)
        except InputError as error:
            found.append(WithoutContributor(name, kind, len(alone), None, error.message))
        else:
            found.append(WithoutContributor(name, kind, len(alone), figure, figure.reason))
    return tuple(found)


def _compared(
    rows: Sequence[ScoredText], whole: Sequence[float | None], without: Sequence[float | None], level: Level
) -> Difference:
    comparison = compare_scores(
        whole,
        without,
        [row.human for row in rows],
        AgreementDesign(
            group=[row.doc_id for row in rows],
            system=[row.system_id for row in rows] if any(row.system_id for row in rows) else None,
            item=[row.item_id for row in rows],
            level=level,
            resamples=RESAMPLES,
        ),
        permutations=0,
    )
    return comparison.differences["spearman"].figure


def _scores(
    rows: Iterable[ScoredText],
    answers: Mapping[int, Sequence[Judged]],
    questions: Sequence[Question],
    dimension: Dimension,
) -> list[float | None]:
    return [score_over(answers.get(row.text, ()), questions, dimension.low, dimension.high) for row in rows]


def score_over(judged: Sequence[Judged], questions: Sequence[Question], low: float, high: float) -> float | None:
    """A text's score from only these questions, the mean over repeats, as the checklist evaluator takes it."""
    wanted = {question.id: question for question in questions}
    repeats: dict[int, list[tuple[Answer, Question]]] = {}
    for repeat, question, answer in judged:
        if question in wanted:
            repeats.setdefault(repeat, []).append((answer, wanted[question]))
    values = [
        checklist_score([answer for answer, _ in given], low, high, [question for _, question in given]).value
        for given in repeats.values()
    ]
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def _part(parts: Iterable[RunDimension], dimension_id: int) -> RunDimension | None:
    return next((part for part in parts if part.dimension == dimension_id), None)


Scores = list[float | None]


@dataclass(frozen=True, slots=True)
class AspectWorth:
    """One aspect. `figures`: its agreement with people, by coefficient. `with_score`: Spearman's with the score that
    the method gave in the end, None where it is undefined. `texts` have a score on it and ratings."""

    name: str
    texts: int
    figures: Mapping[Coefficient, Figure]
    with_score: float | None

    def to_json(self) -> dict[str, Any]:
        figures: dict[str, Any] = {name: figure.to_json() for name, figure in self.figures.items()}
        return {"name": self.name, "texts": self.texts, **figures, "with_score": self.with_score}


@dataclass(frozen=True, slots=True)
class AspectPair:
    """Spearman's coefficient of two aspects' scores; None where it is undefined."""

    a: str
    b: str
    spearman: float | None

    def to_json(self) -> dict[str, Any]:
        return {"a": self.a, "b": self.b, "spearman": self.spearman}


@dataclass(frozen=True, slots=True)
class Aspects:
    """All at the level, and with the choices, of the result they belong to."""

    level: Level
    aspects: tuple[AspectWorth, ...]
    pairs: tuple[AspectPair, ...]

    def to_json(self) -> dict[str, Any]:
        return {
            "aspects": [aspect.to_json() for aspect in self.aspects],
            "aspect_pairs": [pair.to_json() for pair in self.pairs],
        }


@use_case(Right.READ)
def aspects_of(workbench: Workbench, result: DimensionResult) -> Aspects | None:
    """Computed once for as long as neither scores nor ratings change; None where the judge scored no aspects.

    Random scores, an ablation, say nothing about aspects and count as none.
    """
    if result.run.evaluator != METHOD.name or result.run.params.get("variant") == "random" or result.locked:
        return None
    state = result_state(workbench, result.run.id, result.dimension.id)
    return _kept_aspects(workbench.database, result.run.id, result.dimension.id, result.choices, state)


@lru_cache(maxsize=32)
def _kept_aspects(
    database: Database, run_id: int, dimension_id: int, choices: Choices, _: tuple[object, ...] | None
) -> Aspects | None:
    result = kept_result(Workbench(database, Credentials()), run_id, dimension_id, choices)
    assert result is not None  # the caller has it
    with database.read() as work:
        details = work.results.details(run_id, dimension_id)
    rows = result.rows
    scores = _aspect_scores(rows, details)
    if not scores:
        return None
    final: Scores = [row.score for row in rows]
    return Aspects(
        choices.level,
        tuple(_worth(name, found, final, result) for name, found in scores.items()),
        tuple(
            AspectPair(a, b, agreement_with_people(rows, scores[a], scores[b], choices))
            for a, b in combinations(scores, 2)
        ),
    )


def _aspect_scores(rows: Sequence[ScoredText], details: Mapping[int, Mapping[str, Any]]) -> dict[str, Scores]:
    """Aspect -> its score of each row, None where it has none; in the order in which the judge named them."""
    given = [{a["name"]: a["score"] for a in details.get(row.text, {}).get("aspects", ())} for row in rows]
    names = dict.fromkeys(name for each in given for name, score in each.items() if score is not None)
    return {name: [each.get(name) for each in given] for name in names}


def _worth(name: str, scores: Scores, final: Scores, result: DimensionResult) -> AspectWorth:
    origin = Origin(judge=f"{result.run.judge} {name}")
    found = evaluate_scores(result.rows, scores, result.choices, origin, result.on_scale)
    texts = sum(s is not None and row.human is not None for s, row in zip(scores, result.rows, strict=True))
    return AspectWorth(name, texts, found.figures, agreement_with_people(result.rows, scores, final, result.choices))
