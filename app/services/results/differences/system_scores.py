"""Mean scores of systems and their differences: the judge's, experts', and the judge's corrected by experts'."""

from dataclasses import dataclass

from app.domain.people import Right
from app.meta_evaluation.judges.difference import EstimatedDifference, difference
from app.meta_evaluation.judges.difference_words import difference_cautions, difference_verdict
from app.meta_evaluation.judges.figures import EstimatedFigure
from app.meta_evaluation.judges.pairing import ComparedSide
from app.meta_evaluation.judges.system_means import SystemMean, system_means
from app.services.results.differences.scored_sides import counted_rows, scored_side, source_of
from app.services.results.expert_side import expert_side
from app.services.results.results import Choices, DimensionResult
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench

__all__ = [
    "EstimatedDifference",
    "EstimatedFigure",
    "SystemMean",
    "SystemScores",
    "difference_cautions",
    "difference_verdict",
    "system_scores",
]


@dataclass(frozen=True, slots=True)
class SystemScores:
    """Two systems or more, by name."""

    means: tuple[SystemMean, ...]
    sides: tuple[ComparedSide, ...]
    choices: Choices

    def difference(self, a: str, b: str) -> EstimatedDifference:
        """Texts about the same source are pairs."""
        by_name = {side.name: side for side in self.sides}
        return difference(by_name[a], by_name[b], resamples=self.choices.resamples, seed=self.choices.seed)


@use_case(Right.READ)
def system_scores(workbench: Workbench, result: DimensionResult) -> SystemScores | None:
    """None where the texts that count name fewer than two systems."""
    rows = counted_rows(result)
    systems = sorted({row.system_id for row in rows if row.system_id})
    if len(systems) < 2:
        return None
    experts = expert_side(workbench, result)
    sides = []
    for system in systems:
        own = [row for row in rows if row.system_id == system]
        sides.append(scored_side(system, own, [source_of(row) for row in own], result, experts))
    choices = result.choices
    means = system_means(sides, resamples=choices.resamples, seed=choices.seed)
    return SystemScores(tuple(means), tuple(sides), choices)
