"""Contribution of each contributor to a checklist, and to the agreement of its scores with people; also of aspects."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from statistics import fmean
from typing import Any

from app.attribute_analysis.pool import Contribution, contribution_of
from app.domain.checklist import Checklist, Question
from app.domain.checklist_score import Answer, checklist_score
from app.domain.project import Dimension
from app.domain.roles_and_rights import Right
from app.domain.run import RunDimension, RunSummary, ScoredText
from app.errors import InputError
from app.evaluators.coascore import METHOD
from app.meta_evaluation.bootstrap import RESAMPLES, AgreementDesign
from app.meta_evaluation.comparison import Difference, compare_scores
from app.meta_evaluation.evaluation import Figure, Origin
from app.meta_evaluation.score_matrix import Coefficient, Level
from app.providers.credentials import Credentials
from app.services.results.results import (
    Choices,
    DimensionResult,
    agreement_with_people,
    cached_result,
    evaluate_scores,
)
from app.services.runtime.workbench import Workbench, use_case
from db.unit_of_work import Database

__all__ = ["Contribution"]


Judged = tuple[int, int, Answer]
ALL_QUESTIONS = "Every question rests on these attributes alone: without them nothing is left to ask."
NO_QUESTION = "No question rests on these attributes alone, so the scores stay the same."


@dataclass(frozen=True, slots=True)
class WithoutContributor:
    """The agreement without the `questions` that rest only on one contributor's (or kind's) attributes.

    figure: Spearman with all questions (a), without those (b), and a - b with its interval; above 0 the questions help.
    None with a `reason` if nothing can be compared.
    """

    name: str
    kind: bool
    questions: int
    figure: Difference | None
    reason: str = ""


@use_case(Right.READ)
def runs_with_checklist(workbench: Workbench, project_id: int, dimension_id: int) -> list[tuple[RunSummary, Checklist]]:
    """Return the runs that scored this dimension with a checklist, newest first, without those on the held-out
    split."""
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
    """Return whose attributes reached this checklist, including attributes excluded since."""
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
    """Return the effect of leaving out each contributor, then each kind with several, computed from a run's answers.

    This is an approximation: questions that rest only on them are dropped and the score is computed from the others;
    the checklist isn't rebuilt. Texts with unanswered questions are left out, as in the results.
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
    """Return a text's score from only these questions, averaged over repeats, with the formula of the checklist
    evaluator."""
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
    """One aspect. `figures`: its agreement with people, by coefficient. `with_score`: its Spearman correlation with the
    method's final score, None if undefined. `texts` have a score on it and ratings."""

    name: str
    texts: int
    figures: Mapping[Coefficient, Figure]
    with_score: float | None

    def to_json(self) -> dict[str, Any]:
        figures: dict[str, Any] = {name: figure.to_json() for name, figure in self.figures.items()}
        return {"name": self.name, "texts": self.texts, **figures, "with_score": self.with_score}


@dataclass(frozen=True, slots=True)
class AspectPair:
    """The Spearman correlation of two aspects' scores; None if undefined."""

    a: str
    b: str
    spearman: float | None

    def to_json(self) -> dict[str, Any]:
        return {"a": self.a, "b": self.b, "spearman": self.spearman}


@dataclass(frozen=True, slots=True)
class Aspects:
    """All aspects of a result, at its level and with its choices."""

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
    """Return the aspects of a result, cached until scores or ratings change; None if the judge scored no aspects.

    Random scores, an ablation, count as no aspects.
    """
    if result.run.evaluator != METHOD.name or result.run.params.get("variant") == "random" or result.locked:
        return None
    return _cached_aspects(workbench.database, result.run.id, result.dimension.id, result.choices, result.reading)


@lru_cache(maxsize=32)
def _cached_aspects(database: Database, run_id: int, dimension_id: int, choices: Choices, _: int) -> Aspects | None:
    result = cached_result(Workbench(database, Credentials()), run_id, dimension_id, choices)
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
    """Return aspect -> its score in each row, None where missing; in the order in which the judge named them."""
    given = [{a["name"]: a["score"] for a in details.get(row.text, {}).get("aspects", ())} for row in rows]
    names = dict.fromkeys(name for each in given for name, score in each.items() if score is not None)
    return {name: [each.get(name) for each in given] for name in names}


def _worth(name: str, scores: Scores, final: Scores, result: DimensionResult) -> AspectWorth:
    origin = Origin(judge=f"{result.run.judge} {name}")
    found = evaluate_scores(result.rows, scores, result.choices, origin, result.on_scale)
    texts = sum(s is not None and row.human is not None for s, row in zip(scores, result.rows, strict=True))
    return AspectWorth(name, texts, found.figures, agreement_with_people(result.rows, scores, final, result.choices))
