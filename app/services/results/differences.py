"""Differences of systems, and of versions of a checklist."""

from dataclasses import dataclass

import numpy as np

from app.domain.people import Right
from app.domain.run import RunSummary, ScoredText
from app.meta_evaluation.judges.difference import (
    EstimatedDifference,
    difference,
    difference_cautions,
    difference_verdict,
)
from app.meta_evaluation.judges.estimate import ComparedSide, SystemMean, system_means
from app.meta_evaluation.judges.figures import EstimatedFigure
from app.meta_evaluation.score_matrix import Floats
from app.services.results.question_analysis import ExpertSide, expert_side
from app.services.results.raters import reference_scores
from app.services.results.results import Choices, DimensionResult, kept_result
from app.services.results.run_comparison import ScoreSet, score_sets
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench
from app.services.scoring.variants import variant_of

__all__ = [
    "EstimatedDifference",
    "EstimatedFigure",
    "SystemMean",
    "SystemScores",
    "difference_cautions",
    "difference_verdict",
    "system_scores",
]


def counted_rows(result: DimensionResult) -> list[ScoredText]:
    """Those that figures of the result rest on."""
    return [row for row in result.rows if row.counts(result.choices.include_partial)]


def source_of(row: ScoredText) -> str:
    """The document a text is about; a text of its own where none is named."""
    return row.doc_id or f"text {row.text}"


def scored_side(
    name: str, rows: list[ScoredText], key: list[str], result: DimensionResult, experts: ExpertSide | None
) -> ComparedSide:
    """Of `rows` that count; experts have a score where most of them agree on every question about a text."""
    human, probability = _by_text(result, experts)
    texts = [row.text for row in rows]
    return ComparedSide(
        name,
        np.array([row.score for row in rows], dtype=np.float64),
        np.array([human.get(text, np.nan) for text in texts]),
        key,
        [source_of(row) for row in rows],
        None if probability is None else np.array([probability.get(text, np.nan) for text in texts]),
    )


def _by_text(result: DimensionResult, experts: ExpertSide | None) -> tuple[dict[int, float], dict[int, float] | None]:
    """Text -> the experts' score, and the probability of being drawn for them where that differs."""
    if experts is None:
        return {}, None
    scores: Floats = reference_scores(experts, result)
    if experts.probability is None:
        return dict(zip(experts.texts, scores.tolist(), strict=True)), None
    scores = np.where(np.isnan(experts.probability), np.nan, scores)
    return (
        dict(zip(experts.texts, scores.tolist(), strict=True)),
        dict(zip(experts.texts, experts.probability.tolist(), strict=True)),
    )


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


@dataclass(frozen=True, slots=True)
class VersionDifference:
    """This version less the `other`, on `texts` that both runs scored. `missing`: why experts' figures aren't there.

    difference: None where fewer than two texts were scored by both.
    """

    other: ScoreSet
    texts: int
    difference: EstimatedDifference | None
    missing: str


@use_case(Right.READ)
def other_versions(workbench: Workbench, project_id: int, result: DimensionResult) -> list[ScoreSet]:
    """Of each other version of the checklist the run with most texts of the judge and method, newest version first."""
    best: dict[int, ScoreSet] = {}
    for scores in score_sets(workbench, project_id, result.dimension.id):
        alike = _kind(scores.run) == _kind(result.run)
        if alike and scores.version is not None and scores.version != result.version:
            best[scores.version] = max(best.get(scores.version, scores), scores, key=lambda each: each.run.rank())
    return [best[version] for version in sorted(best, reverse=True)]


def _kind(run: RunSummary) -> tuple[object, ...]:
    """Of two runs of the same kind only the version differs."""
    return run.evaluator, variant_of(run), run.judge, run.study, run.asking_way


@use_case(Right.READ)
def version_difference(workbench: Workbench, result: DimensionResult, other: ScoreSet) -> VersionDifference:
    """On the texts that both scored; experts' figures where they answered every question of both versions on a text."""
    theirs = kept_result(workbench, other.run.id, result.dimension.id, result.choices)
    assert theirs is not None  # it has scores on the dimension
    rows, before = ({row.text: row for row in counted_rows(each)} for each in (result, theirs))
    shared = sorted(rows.keys() & before.keys())
    if len(shared) < 2:
        return VersionDifference(other, len(shared), None, "")
    sides = (
        _side(workbench, result, [rows[text] for text in shared]),
        _side(workbench, theirs, [before[text] for text in shared]),
    )
    choices = result.choices
    found = difference(*sides, resamples=choices.resamples, seed=choices.seed)
    return VersionDifference(other, len(shared), found, _missing(*sides) if found.corrected is None else "")


def _side(workbench: Workbench, result: DimensionResult, rows: list[ScoredText]) -> ComparedSide:
    experts = expert_side(workbench, result)
    return scored_side(f"Version {result.version}", rows, [str(row.text) for row in rows], result, experts)


def _missing(one: ComparedSide, other: ComparedSide) -> str:
    """Which version experts have still to answer, and on how many texts they did."""
    lacking = [f"{side.name} on {side.answered:,}" for side in (one, other) if side.answered < 2]
    return (
        f"Of the texts that both versions scored, experts have answered every question of {' and of '.join(lacking)}. "
        "Let them answer both versions, two texts at least, better thirty: then people's figure and the corrected one "
        "stand here."
    )
