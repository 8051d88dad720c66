"""Methods and judges compared by quality and cost."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from app.domain.roles_and_rights import Right
from app.domain.run import RunSummary
from app.errors import InputError
from app.evaluators.registry import METHODS
from app.meta_evaluation.evaluation import Figure
from app.meta_evaluation.judges.panel import Panel, panel, panel_verdict
from app.meta_evaluation.score_matrix import Coefficient
from app.providers.registry import answers_questions, gives_logprobs
from app.services.results.question_analysis import expert_side
from app.services.results.results import USUAL, Choices, DimensionResult, cached_result
from app.services.results.run_comparison import RunComparison, ScoreSet, compare_runs, score_sets
from app.services.runtime.spending import run_spending
from app.services.runtime.workbench import Workbench, use_case
from app.services.scoring.evaluators import CHECKLIST, NO_JUDGE, options_of
from app.services.scoring.run_labels import gives_probabilities, variant_of

__all__ = ["panel_verdict"]


ALL = 0.999  # of the calls a run needs: rounding aside, nothing was answered before


@dataclass(frozen=True, slots=True)
class Cost:
    """US dollars for 1,000 texts on one dimension; None, with a `reason`, if unknown. `reason` may also explain a known
    cost."""

    per_1000: float | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class QualityCost:
    """One way of scoring, by its run with most texts. `against`: compared with the checklist on the texts both scored;
    None for the checklist itself, or without one."""

    scores: ScoreSet
    figure: Figure
    groups: str
    cost: Cost
    against: RunComparison | None = None

    @property
    def run(self) -> RunSummary:
        return self.scores.run


@use_case(Right.READ)
def quality_and_cost(
    workbench: Workbench,
    project_id: int,
    dimension_id: int,
    coefficient: Coefficient = "spearman",
    choices: Choices = USUAL,
    compared: bool = True,
) -> list[QualityCost]:
    """Return the run with most texts of each evaluator, judge and checklist version on a dimension, best agreement
    first.

    Runs of studies of conditions and of comparisons of ways of asking are left out. compared: with the paired
    comparison to the default checklist run, which takes about a second for each run and is then cached.
    """
    sets = _defaults([scores for scores in score_sets(workbench, project_id, dimension_id) if not scores.run.apart])
    found = []
    for scores in sets:
        result = cached_result(workbench, scores.run.id, dimension_id, choices)
        if result is not None:
            groups = f"{result.groups_used}/{result.groups_all}"
            cost = cost_of(workbench, scores.run)
            found.append(QualityCost(scores, result.meta.figures[coefficient], groups, cost))
    baseline = next((each.scores for each in found if each.run.evaluator == CHECKLIST), None)
    if compared and baseline is not None:
        found = _against(workbench, dimension_id, baseline, found, choices)
    return sorted(found, key=lambda each: -2 if each.figure.value is None else each.figure.value, reverse=True)


def _defaults(sets: Sequence[ScoreSet]) -> list[ScoreSet]:
    kept: dict[tuple[object, ...], ScoreSet] = {}
    for scores in sorted(sets, key=lambda each: each.run.rank(), reverse=True):
        run = scores.run
        kept.setdefault((run.evaluator, variant_of(run), run.judge, scores.version, scores.condition), scores)
    return list(kept.values())


def _against(
    workbench: Workbench, dimension_id: int, baseline: ScoreSet, found: Sequence[QualityCost], choices: Choices
) -> list[QualityCost]:
    others = [each.scores for each in found if each.scores != baseline]
    try:
        compared = compare_runs(workbench, dimension_id, baseline, others, choices)
    except InputError:  # the level asks for what the data don't have: the figures say so already
        return list(found)
    by_run = {comparison.other.run.id: comparison for comparison in compared}
    return [QualityCost(each.scores, each.figure, each.groups, each.cost, by_run.get(each.run.id)) for each in found]


def cost_of(workbench: Workbench, run: RunSummary) -> Cost:
    """Return what scoring anew would cost: free cached calls count as much as the paid ones on average."""
    if run.from_file:
        return Cost(None, "computed elsewhere")
    if run.judge in (NO_JUDGE, "rules"):
        return Cost(0.0, "no model is paid")
    if run.judge.startswith("replay:"):
        return Cost(None, "recorded answers")
    if not answers_questions(run.judge):
        return Cost(0.0, "computed on this computer")
    spent = run_spending(workbench, run.id)
    if spent.cost_usd is None:
        why = "the judge's price is unknown" if not spent.at_least_usd else "not every reply says what it took"
        return Cost(None, why)
    if not (spent.calls and run.done):
        return Cost(None, "all its calls were answered before")
    method = METHODS[run.evaluator]
    logprobs = gives_logprobs(run.judge) and gives_probabilities(run.params)
    needed = method.calls(options_of(method, run.params), logprobs).per_text * run.done
    share = min(1.0, spent.calls / needed) if needed else 1.0
    if share > ALL:
        return Cost(1000 * spent.cost_usd / run.done)
    return Cost(
        1000 * spent.cost_usd / share / run.done,
        f"{1 - share:.0%} of its calls were answered before; taken to cost what the others do",
    )


@dataclass(frozen=True, slots=True)
class JudgePanel:
    """A panel of judges; `costs` in their order: what scoring 1,000 texts anew would cost."""

    panel: Panel
    costs: tuple[Cost, ...]


@use_case(Right.READ)
def judge_panel(workbench: Workbench, project_id: int, result: DimensionResult) -> JudgePanel | None:
    """Return the panel: the run with most texts of each judge with the result's method and checklist version.

    It uses the questions about drawn texts that all judges answered and that have a reference; answers about one text
    are resampled together. None with one judge, or too few such answers.
    """
    best: dict[str, RunSummary] = {}
    for scores in score_sets(workbench, project_id, result.dimension.id):
        if _kind(scores.run, scores.version) == _kind(result.run, result.version):
            best[scores.run.judge] = max(best.get(scores.run.judge, scores.run), scores.run, key=RunSummary.rank)
    if len(best) < 2:
        return None
    answers, people, texts = [], None, 0
    for run in best.values():
        other = cached_result(workbench, run.id, result.dimension.id, result.choices)
        side = expert_side(workbench, other) if other else None
        if side is None:
            return None
        answers.append(side.judge[side.drawn].ravel())
        people, texts = side.reference[side.drawn], int(side.drawn.sum())
    assert people is not None  # of at least two judges
    of_text = list(chain.from_iterable([text] * people.shape[1] for text in range(texts)))
    choices = result.choices
    try:
        found = panel(
            np.stack(answers), people.ravel(), list(best), group=of_text, resamples=choices.resamples, seed=choices.seed
        )
    except InputError:  # not two answers that all of them gave
        return None
    return JudgePanel(found, tuple(cost_of(workbench, run) for run in best.values()))


def _kind(run: RunSummary, version: int | None) -> tuple[object, ...]:
    """Return everything that runs must share to be compared as judges."""
    return run.evaluator, variant_of(run), version, run.study, run.asking_way
