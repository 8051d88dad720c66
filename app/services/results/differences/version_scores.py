"""The mean score by one version of a checklist less that by another, of the same judge on the same texts."""

from dataclasses import dataclass

from app.domain.people import Right
from app.domain.run import RunSummary, ScoredText
from app.meta_evaluation.judges.difference import EstimatedDifference, difference
from app.meta_evaluation.judges.pairing import ComparedSide
from app.services.results.differences.scored_sides import counted_rows, scored_side
from app.services.results.expert_side import expert_side
from app.services.results.results import DimensionResult, kept_result
from app.services.results.run_comparison import ScoreSet, score_sets
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench


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
    return run.evaluator, run.judge, run.study, run.asking_way


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
