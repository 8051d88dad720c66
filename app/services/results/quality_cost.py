"""Quality and cost of each way of scoring: agreement with people beside dollars per 1,000 texts."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.domain.people import Right
from app.domain.run import RunSummary
from app.errors import InputError
from app.evaluators.registry import METHODS
from app.meta_evaluation.choices import Coefficient
from app.meta_evaluation.evaluation import Figure
from app.providers.registry import answers_questions, gives_logprobs
from app.services.results.results import USUAL, Choices, kept_result
from app.services.results.run_comparison import RunComparison, ScoreSet, compare_runs, score_sets
from app.services.runtime.spending import run_spending
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench
from app.services.scoring.evaluators import CHECKLIST, NO_JUDGE, options_of
from app.services.scoring.judge_logprobs import gives_probabilities

ALL = 0.999  # of the calls a run needs: rounding aside, nothing was answered before


@dataclass(frozen=True, slots=True)
class Cost:
    """US dollars for 1,000 texts on one dimension; None, for `reason`, where it is unknown. `reason` may also say how
    a known cost came about."""

    per_1000: float | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class QualityCost:
    """One way of scoring by its run with most texts. `against`: less the checklist on the texts both scored; None for
    the checklist itself, or where there is none."""

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
    """The run with most texts of each evaluator, judge and checklist version on a dimension, best agreement first.

    Studies of conditions compare checklists, not methods: their runs are left out, as are those that compare ways of
    asking.

    compared: with the paired comparison to the default checklist run, which takes about a second a run the first time.
    """
    sets = _defaults([scores for scores in score_sets(workbench, project_id, dimension_id) if not scores.run.apart])
    found = []
    for scores in sets:
        result = kept_result(workbench, scores.run.id, dimension_id, choices)
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
        kept.setdefault((scores.run.evaluator, scores.run.judge, scores.version, scores.condition), scores)
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
    """From what the run paid. Calls that were answered before are free now; they are taken to cost what the others do,
    so that the figure is what scoring anew would cost."""
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
    needed = _calls_per_text(run) * run.done
    share = min(1.0, spent.calls / needed) if needed else 1.0
    if share > ALL:
        return Cost(1000 * spent.cost_usd / run.done)
    return Cost(
        1000 * spent.cost_usd / share / run.done,
        f"{1 - share:.0%} of its calls were answered before; taken to cost what the others do",
    )


def _calls_per_text(run: RunSummary) -> int:
    method = METHODS[run.evaluator]
    logprobs = gives_logprobs(run.judge) and gives_probabilities(run.params)
    return method.calls(options_of(method, run.params), logprobs).per_text
