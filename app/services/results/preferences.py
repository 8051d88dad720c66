"""People's preferences compared with scores: pairwise accuracy of methods, and strengths of systems."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from app.domain.expert_answer import Preference, Winner
from app.domain.project import Dimension
from app.domain.roles_and_rights import Right
from app.meta_evaluation.preferences import (
    ComparedSystems,
    PairwiseAccuracy,
    ScoredPair,
    SystemStrengths,
    pairwise_accuracy,
    system_strengths,
)
from app.services.results.results import DimensionResult
from app.services.runtime.workbench import Workbench, use_case


@dataclass(frozen=True, slots=True)
class PreferenceSummary:
    """People's preferences on a dimension. `reasons` counts pairs whose reason became an attribute."""

    dimension: str
    pairs: int
    sources: int
    raters: tuple[str, ...]
    ties: int
    reasons: int
    systems: SystemStrengths

    def to_json(self) -> dict[str, Any]:
        return {
            "dimension": self.dimension,
            "pairs": self.pairs,
            "sources": self.sources,
            "raters": list(self.raters),
            "ties": self.ties,
            "reasons": self.reasons,
            "systems": self.systems.to_json(),
        }


@use_case(Right.READ)
def accuracy_on_pairs(workbench: Workbench, result: DimensionResult) -> PairwiseAccuracy | None:
    """Return how often the text that people prefer has the better score; None without pairs on the dimension.

    Only texts that count in the result have a score here: not samples, excluded systems, or partial ones unless
    included.
    """
    with workbench.database.read() as work:
        pairs = work.preferences.of(result.dimension.id)
    if not pairs:
        return None
    scores = {row.text: row.score for row in result.rows if row.counts(result.choices.include_partial)}
    scored = [ScoredPair(one.a.doc_id, scores.get(one.a.id), scores.get(one.b.id), one.winner) for one in pairs]
    return pairwise_accuracy(scored, result.choices.resamples, result.choices.seed)


@use_case(Right.READ)
def dimensions_with_pairs(workbench: Workbench, project_id: int) -> frozenset[int]:
    """Return the ids of the dimensions on which people compared pairs of texts."""
    with workbench.database.read() as work:
        return work.preferences.dimensions(project_id)


@use_case(Right.READ)
def preference_summary(workbench: Workbench, dimension: Dimension) -> PreferenceSummary | None:
    """Return a summary of the dimension's pairs; None without any."""
    with workbench.database.read() as work:
        pairs = work.preferences.of(dimension.id)
    return _summary(dimension.name, pairs) if pairs else None


def _summary(dimension: str, pairs: Sequence[Preference]) -> PreferenceSummary:
    compared = [ComparedSystems(one.a.doc_id, one.a.system_id, one.b.system_id, one.winner) for one in pairs]
    return PreferenceSummary(
        dimension=dimension,
        pairs=len(pairs),
        sources=len({one.a.doc_id for one in pairs}),
        raters=tuple(dict.fromkeys(one.rater for one in pairs)),
        ties=sum(one.winner is Winner.TIE for one in pairs),
        reasons=sum(one.attribute is not None for one in pairs),
        systems=system_strengths(compared),
    )
