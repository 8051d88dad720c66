"""What two ways of asking a checklist's questions cost, and how their answers differ."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from app.domain.checklist import Checklist, Question
from app.domain.roles_and_rights import Right
from app.domain.run import AskingWay, RunSummary
from app.errors import InputError, NotReadyError
from app.meta_evaluation.agreement_verdict import FEWEST_UNITS
from app.meta_evaluation.judges.asking_ways import (
    AskingComparison,
    AskingVerdict,
    AskingWayAnswers,
    asking_cautions,
    asking_verdict,
    compare_asking,
    position_verdict,
    repeat_inconsistency,
    repeat_inconsistency_words,
)
from app.meta_evaluation.judges.powered_estimates import EstimatedFigure
from app.meta_evaluation.score_matrix import Floats, Level
from app.services.results.question_analysis import VALUES, expert_side, repeated_answers
from app.services.results.results import Choices, DimensionResult, cached_result
from app.services.results.run_comparison import score_sets
from app.services.runtime.workbench import Workbench, use_case
from app.services.scoring.evaluators import NO_JUDGE
from app.services.scoring.recordings import recorded_calls

PER = 1000


@dataclass(frozen=True, slots=True)
class AskingCost:
    """The cost of 1,000 texts on one dimension, including cached replies. None if unknown or no model is asked;
    `cost_usd` also if a price is unknown."""

    calls: float | None = None
    input_tokens: float | None = None
    output_tokens: float | None = None
    cost_usd: float | None = None

    def to_json(self) -> dict[str, Any]:
        return {f"{name}_per_1000_texts": value for name, value in asdict(self).items()}


def asking_cost(workbench: Workbench, run: RunSummary) -> AskingCost:
    """Return the cost of a run. Cached replies count with their original cost."""
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
    """Return the cost of `one` divided by that of `other`: in dollars, or in tokens if a price is unknown."""
    if one.cost_usd is not None and other.cost_usd:
        return one.cost_usd / other.cost_usd
    if one.input_tokens is None or one.output_tokens is None or other.input_tokens is None:
        return None
    of_other = other.input_tokens + (other.output_tokens or 0.0)
    return (one.input_tokens + one.output_tokens) / of_other if of_other else None


@dataclass(frozen=True, slots=True)
class AskingResult:
    """Three runs of one checklist, one for each way of asking. `comparison` is None, with a `problem`, until a question
    was answered in all three.

    `own` is how often this judge changes its answer to the same request, from the repeats of `own_run`; None if it was
    asked only once. `whole`: nothing is left to score.
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
        """Return how many times as much one call for each question costs as one call for all."""
        return times_as_much(self.costs[AskingWay.ALONE], self.costs[AskingWay.TOGETHER])

    @property
    def verdict(self) -> AskingVerdict | None:
        return asking_verdict(self.comparison, self.times) if self.comparison else None

    @property
    def beside(self) -> list[str]:
        """Return sentences on the effect of position and on the judge's own inconsistency."""
        if self.comparison is None:
            return []
        return [position_verdict(self.comparison), repeat_inconsistency_words(self.own, self.own_run)]

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
    """Return the comparison. Agreement is computed within sources if enough of them have a coefficient, else over all
    texts, because with few texts in a document many coefficients are undefined."""
    results = [_result(workbench, run, dimension_id, seed) for run in runs.values()]
    with workbench.database.read() as work:
        part = next(p for p in work.runs.parts(runs[AskingWay.TOGETHER].id) if p.dimension == dimension_id)
        checklist = work.checklists.get(part.checklist or 0)
    costs = {way: asking_cost(workbench, run) for way, run in runs.items()}
    asked = _asked(workbench, results, [question.id for question in checklist.asked])
    try:
        found = _cached_comparison(asked, "per-source", seed)
        if found.rated_documents < FEWEST_UNITS and not np.isnan(asked.human).all():
            pooled = _cached_comparison(asked, "dataset", seed)
            found = pooled if pooled.spearman is not None else found
    except InputError as error:
        return AskingResult(checklist, runs, None, error.message, costs)
    own, own_run = _repeat_inconsistency(workbench, project_id, results[0], seed)
    return AskingResult(checklist, runs, found, "", costs, own, own_run)


@lru_cache(maxsize=16)
def _cached_comparison(asked: AskingWayAnswers, level: Level, seed: int) -> AskingComparison:
    """Return the comparison, cached because a screen redraws it at each click and resampling takes most of a second."""
    return compare_asking(asked, level=level, seed=seed)


def _result(workbench: Workbench, run: RunSummary, dimension_id: int, seed: int) -> DimensionResult:
    found = cached_result(workbench, run.id, dimension_id, Choices(seed=seed))
    assert found is not None  # the run was planned on this dimension
    return found


def _asked(workbench: Workbench, results: Sequence[DimensionResult], questions: Sequence[int]) -> AskingWayAnswers:
    rows = list(results[0].rows)
    texts = [row.text for row in rows]
    scored = [{row.text: row.score for row in result.rows if row.counts()} for result in results]
    scores = np.array([[of_way.get(text) for text in texts] for of_way in scored], dtype=np.float64)
    return AskingWayAnswers(
        np.stack([_answers(workbench, result, texts, questions) for result in results]),
        scores,
        np.array([row.human for row in rows], dtype=np.float64),
        _people(workbench, results[0], texts, len(questions)),
        [row.doc_id or f"text {row.text}" for row in rows],
        [row.system_id for row in rows] if any(row.system_id for row in rows) else (),
        [row.item_id for row in rows],
    )


def _answers(workbench: Workbench, result: DimensionResult, texts: Sequence[int], questions: Sequence[int]) -> Floats:
    """Return (texts, questions) answers, by the question's id whatever its position in the call."""
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
    """Return (texts, questions): the decided answers, else those of most experts."""
    found = np.full((len(texts), questions), np.nan)
    side = expert_side(workbench, result)
    if side is not None:
        said, row = side.reference, {text: number for number, text in enumerate(side.texts)}
        for number, text in enumerate(texts):
            if text in row:
                found[number] = said[row[text]]
    return found


def _repeat_inconsistency(
    workbench: Workbench, project_id: int, result: DimensionResult, seed: int
) -> tuple[EstimatedFigure | None, int | None]:
    """Return how often the judge contradicts itself, from the newest run with repeats of this version in one call, and
    that run."""
    for scores in score_sets(workbench, project_id, result.dimension.id):
        run = scores.run
        alike = (run.evaluator, run.judge, scores.version) == (result.run.evaluator, result.run.judge, result.version)
        if not alike or int(run.params.get("repeats", 1)) < 2 or run.params.get("per_question"):
            continue
        texts, questions, answers = repeated_answers(workbench, run.id, result.dimension.id)
        if questions:
            rows = cached_result(workbench, run.id, result.dimension.id, result.choices)
            documents = {row.text: row.doc_id or f"text {row.text}" for row in rows.rows} if rows else {}
            return repeat_inconsistency(
                answers, [documents.get(text, f"text {text}") for text in texts], seed=seed
            ), run.id
    return None, None
