"""Trials: runs that differ in nothing but the texts drawn, and how far they agree."""

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Any

from app.domain.people import Right
from app.domain.project import Dimension
from app.domain.run import RunSummary
from app.meta_evaluation.choices import Coefficient
from app.services.results.results import USUAL, Choices, DimensionResult, kept_result
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench
from app.services.scoring.answer_reuse import TAKEN_FROM
from app.services.scoring.judge_logprobs import LOGPROBS

_NOT_OF_A_DRAW = {"seed", "budget", "use_cache", "prompts", "signature", "reuse", TAKEN_FROM, LOGPROBS}


@dataclass(frozen=True, slots=True)
class Trials:
    """Runs that differ in nothing but the texts drawn, oldest first, with each one's result."""

    results: tuple[DimensionResult, ...]

    @property
    def runs(self) -> list[RunSummary]:
        return [result.run for result in self.results]

    def values(self, coefficient: Coefficient) -> list[float]:
        """Of the trials that have the coefficient."""
        figures = [result.meta.figures[coefficient] for result in self.results]
        return [figure.value for figure in figures if figure.value is not None]

    def spread(self, coefficient: Coefficient) -> tuple[float, float] | None:
        """Mean and standard deviation over trials; None where fewer than two have the coefficient."""
        values = self.values(coefficient)
        return (fmean(values), stdev(values)) if len(values) > 1 else None


@use_case(Right.READ)
def trials_of(workbench: Workbench, project_id: int, dimension: Dimension, choices: Choices = USUAL) -> list[Trials]:
    """The groups of two runs or more that drew their texts the same way with different seeds, newest group first.

    Those of a study of conditions are left out: the study shows its trials together. So are those that compare ways of
    asking.
    """
    with workbench.database.read() as work:
        groups: dict[tuple[object, ...], dict[int, RunSummary]] = {}
        for run in work.runs.all(project_id):
            part = next((p for p in work.runs.parts(run.id) if p.dimension == dimension.id), None)
            if part is None or not run.done or run.locked or run.apart or not run.drawn:
                continue
            way = (run.evaluator, run.judge, part.checklist, part.prompt_digest, _way(run.params))
            groups.setdefault(way, {}).setdefault(int(run.params.get("seed", 0)), run)
    found = []
    for group in groups.values():
        if len(group) < 2:
            continue
        results = [kept_result(workbench, run.id, dimension.id, choices) for _, run in sorted(group.items())]
        found.append(Trials(tuple(result for result in results if result is not None)))
    return found


def _way(params: Mapping[str, Any]) -> str:
    return repr(sorted((name, value) for name, value in params.items() if name not in _NOT_OF_A_DRAW))
