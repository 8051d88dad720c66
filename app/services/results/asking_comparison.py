"""Ways of asking a judge, compared with their costs."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from app.domain.checklist import Checklist, Question
from app.domain.people import Right
from app.domain.run import AskingWay, RunSummary
from app.errors import InputError, NotReadyError
from app.meta_evaluation.agreement_verdict import FEWEST_UNITS
from app.meta_evaluation.judges.asking_ways import (
    AskedTexts,
    AskingComparison,
    AskingVerdict,
    asking_cautions,
    asking_verdict,
    compare_asking,
    position_verdict,
    wavering,
    wavering_words,
)
from app.meta_evaluation.judges.figures import EstimatedFigure
from app.meta_evaluation.score_matrix import Floats, Level
from app.services.results.question_analysis import VALUES, expert_side, repeated_answers
from app.services.results.results import Choices, DimensionResult, kept_result
from app.services.results.run_comparison import score_sets
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench
from app.services.scoring.evaluators import NO_JUDGE
from app.services.scoring.recordings import recorded_calls

__all__ = [
    "AskingComparison",
    "AskingCost",
    "AskingResult",
    "AskingVerdict",
    "EstimatedFigure",
    "asking_result",
]


PER = 1000


@dataclass(frozen=True, slots=True)
class AskingCost:
    """For 1,000 texts on one dimension, replies that were asked before included. None where it isn't known or no model
    is asked; `cost_usd` also where a price isn't known."""

    calls: float | None = None
    input_tokens: float | None = None
    output_tokens: float | None = None
    cost_usd: float | None = None

    def to_json(self) -> dict[str, Any]:
        return {f"{name}_per_1000_texts": value for name, value in asdict(self).items()}


def asking_cost(workbench: Workbench, run: RunSummary) -> AskingCost:
    """Of a run that may have been answered from the ledger in part: every reply counts as what it took when it came."""
    if run.judge in (NO_JUDGE, "rules") or not run.done:
        return AskingCost()
    try:
        calls = [call for call in recorded_calls(workbench, run.id) if not call.error_kind]
    except NotReadyError:  # a judge that calls no provider
        return AskingCost()
    texts = run.done / PER
    costs = [call.cost_usd for call in calls]
    return AskingCost(
        len(calls) / texts,
        sum(call.input_tokens for call in calls) / texts,
        sum(call.output_tokens for call in calls) / texts,
        None if None in costs else sum(cost or 0.0 for cost in costs) / texts,
    )


def times_as_much(one: AskingCost, other: AskingCost) -> float | None:
    """How many times `other` costs `one`: in dollars, in tokens where a price isn't known."""
    if one.cost_usd is not None and other.cost_usd:
        return one.cost_usd / other.cost_usd
    if one.input_tokens is None or one.output_tokens is None or other.input_tokens is None:
        return None
    of_other = other.input_tokens + (other.output_tokens or 0.0)
    return (one.input_tokens + one.output_tokens) / of_other if of_other else None


@dataclass(frozen=True, slots=True)
class AskingResult:
    """Three runs of one checklist beside each other. `comparison` is None, for `problem`, where no question was
    answered in all three ways yet.

    `own` is how often this judge changes an answer when it is asked the same again, by the repeats of `own_run`; None
    where it was asked only once. `whole`: nothing is left to score.
    """

    checklist: Checklist
    runs: Mapping[AskingWay, RunSummary]
    comparison: AskingComparison | None
    problem: str
    costs: Mapping[AskingWay, AskingCost]
    own: EstimatedFigure | None = None
    own_run: int | None = None

    @property
    def whole(self) -> bool:
        return all(run.done == run.all for run in self.runs.values())

    @property
    def questions(self) -> tuple[Question, ...]:
        return self.checklist.asked

    @property
    def times(self) -> float | None:
        """How many times as much one call each costs."""
        return times_as_much(self.costs[AskingWay.ALONE], self.costs[AskingWay.TOGETHER])

    @property
    def verdict(self) -> AskingVerdict | None:
        return asking_verdict(self.comparison, self.times) if self.comparison else None

    @property
    def beside(self) -> list[str]:
        """Sentences on position and on the judge's own wavering."""
        if self.comparison is None:
            return []
        return [position_verdict(self.comparison), wavering_words(self.own, self.own_run)]

    @property
    def cautions(self) -> list[str]:
        return asking_cautions(self.comparison) if self.comparison else []

    def to_json(self) -> dict[str, Any]:
        verdict, found = self.verdict, self.comparison
        return {
            "runs": {way.value: run.id for way, run in self.runs.items()},
            "judge": self.runs[AskingWay.TOGETHER].judge,
            "version": self.checklist.version,
            "whole": self.whole,
            "verdict": verdict.sentence if verdict else self.problem,
            "kind": verdict.kind if verdict else None,
            "choice": verdict.choice if verdict else None,
            **(found.to_json() if found else {}),
            "own_wavering": {"run": self.own_run, **asdict(self.own)} if self.own else None,
            "costs": {way.value: cost.to_json() for way, cost in self.costs.items()},
            "times_as_much": self.times,
            "by_question": self._changes(),
            "beside": self.beside,
            "cautions": self.cautions,
        }

    def _changes(self) -> list[dict[str, Any]]:
        if self.comparison is None:
            return []
        pairs = zip(self.questions, self.comparison.by_question, strict=True)
        return [{"id": question.id, "text": question.text, **change.to_json()} for question, change in pairs]


@use_case(Right.READ)
def asking_result(
    workbench: Workbench, project_id: int, dimension_id: int, runs: Mapping[AskingWay, RunSummary], seed: int = 0
) -> AskingResult:
    """Inside sources where enough of these have a coefficient, over all texts together elsewhere: of four texts a
    document many have none, and those of few would decide."""
    results = [_result(workbench, run, dimension_id, seed) for run in runs.values()]
    with workbench.database.read() as work:
        part = next(p for p in work.runs.parts(runs[AskingWay.TOGETHER].id) if p.dimension == dimension_id)
        checklist = work.checklists.get(part.checklist or 0)
    costs = {way: asking_cost(workbench, run) for way, run in runs.items()}
    asked = _asked(workbench, results, [question.id for question in checklist.asked])
    try:
        found = _kept_comparison(asked, "per-source", seed)
        if found.rated_documents < FEWEST_UNITS and not np.isnan(asked.human).all():
            pooled = _kept_comparison(asked, "dataset", seed)
            found = pooled if pooled.spearman is not None else found
    except InputError as error:
        return AskingResult(checklist, runs, None, error.message, costs)
    own, own_run = _own_wavering(workbench, project_id, results[0], seed)
    return AskingResult(checklist, runs, found, "", costs, own, own_run)


@lru_cache(maxsize=16)
def _kept_comparison(asked: AskedTexts, level: Level, seed: int) -> AskingComparison:
    """A screen draws it anew at each click, and its resamples take most of a second."""
    return compare_asking(asked, level=level, seed=seed)


def _result(workbench: Workbench, run: RunSummary, dimension_id: int, seed: int) -> DimensionResult:
    found = kept_result(workbench, run.id, dimension_id, Choices(seed=seed))
    assert found is not None  # the run was planned on this dimension
    return found


def _asked(workbench: Workbench, results: Sequence[DimensionResult], questions: Sequence[int]) -> AskedTexts:
    rows = list(results[0].rows)
    texts = [row.text for row in rows]
    scored = [{row.text: row.score for row in result.rows if row.counts()} for result in results]
    scores = np.array([[of_way.get(text) for text in texts] for of_way in scored], dtype=np.float64)
    return AskedTexts(
        np.stack([_answers(workbench, result, texts, questions) for result in results]),
        scores,
        np.array([row.human for row in rows], dtype=np.float64),
        _people(workbench, results[0], texts, len(questions)),
        [row.doc_id or f"text {row.text}" for row in rows],
        [row.system_id for row in rows] if any(row.system_id for row in rows) else (),
        [row.item_id for row in rows],
    )


def _answers(workbench: Workbench, result: DimensionResult, texts: Sequence[int], questions: Sequence[int]) -> Floats:
    """(texts, questions), by the question's id: the place in the call says nothing here."""
    with workbench.database.read() as work:
        given = work.results.answers(result.run.id, result.dimension.id)
    place = {question: number for number, question in enumerate(questions)}
    found = np.full((len(texts), len(questions)), np.nan)
    for row, text in enumerate(texts):
        for _, question, answer in given.get(text, []):
            if question in place:
                found[row, place[question]] = VALUES[answer]
    return found


def _people(workbench: Workbench, result: DimensionResult, texts: Sequence[int], questions: int) -> Floats:
    """(texts, questions): what was decided about these texts, else what most experts say."""
    found = np.full((len(texts), questions), np.nan)
    side = expert_side(workbench, result)
    if side is not None:
        said, row = side.reference, {text: number for number, text in enumerate(side.texts)}
        for number, text in enumerate(texts):
            if text in row:
                found[number] = said[row[text]]
    return found


def _own_wavering(
    workbench: Workbench, project_id: int, result: DimensionResult, seed: int
) -> tuple[EstimatedFigure | None, int | None]:
    """By the newest run that asked this judge the same version several times, all questions in one call."""
    for scores in score_sets(workbench, project_id, result.dimension.id):
        run = scores.run
        alike = (run.evaluator, run.judge, scores.version) == (result.run.evaluator, result.run.judge, result.version)
        if not alike or int(run.params.get("repeats", 1)) < 2 or run.params.get("per_question"):
            continue
        texts, questions, answers = repeated_answers(workbench, run.id, result.dimension.id)
        if questions:
            rows = kept_result(workbench, run.id, result.dimension.id, result.choices)
            documents = {row.text: row.doc_id or f"text {row.text}" for row in rows.rows} if rows else {}
            return wavering(answers, [documents.get(text, f"text {text}") for text in texts], seed=seed), run.id
    return None, None
