"""Several judges of one checklist beside the reference: what they are worth together, and which to keep."""

from dataclasses import dataclass
from itertools import chain

import numpy as np

from app.domain.people import Right
from app.domain.run import RunSummary
from app.errors import InputError
from app.meta_evaluation.judges.panel import Panel, PanelJudge, panel
from app.meta_evaluation.judges.words import panel_verdict
from app.services.results.expert_side import expert_side
from app.services.results.quality_cost import Cost, cost_of
from app.services.results.results import DimensionResult, kept_result
from app.services.results.run_comparison import score_sets
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench

__all__ = ["JudgePanel", "Panel", "PanelJudge", "judge_panel", "panel_verdict"]


@dataclass(frozen=True, slots=True)
class JudgePanel:
    """`costs` in the order of the panel's judges: what scoring 1,000 texts anew would cost."""

    panel: Panel
    costs: tuple[Cost, ...]


@use_case(Right.READ)
def judge_panel(workbench: Workbench, project_id: int, result: DimensionResult) -> JudgePanel | None:
    """The run with most texts of each judge with the same method and version of the checklist as the result's.

    Over the questions about the drawn texts that all of them answered and that have a reference; answers about one
    text go together. None where there is one judge, or too few such answers.
    """
    best: dict[str, RunSummary] = {}
    for scores in score_sets(workbench, project_id, result.dimension.id):
        if _kind(scores.run, scores.version) == _kind(result.run, result.version):
            best[scores.run.judge] = max(best.get(scores.run.judge, scores.run), scores.run, key=RunSummary.rank)
    if len(best) < 2:
        return None
    answers, people, texts = [], None, 0
    for run in best.values():
        other = kept_result(workbench, run.id, result.dimension.id, result.choices)
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
            np.stack(answers),
            people.ravel(),
            list(best),
            group=of_text,
            resamples=choices.resamples,
            seed=choices.seed,
        )
    except InputError:  # not two answers that all of them gave
        return None
    return JudgePanel(found, tuple(cost_of(workbench, run) for run in best.values()))


def _kind(run: RunSummary, version: int | None) -> tuple[object, ...]:
    """Runs that differ in nothing else can be compared as judges."""
    return run.evaluator, version, run.study, run.asking_way
