"""Comparison of runs on the texts they share, and differences of systems and of checklist versions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from app.domain.roles_and_rights import Right
from app.domain.run import RunSummary, ScoredText
from app.errors import InputError, NotFoundError, NotReadyError
from app.limited_process import computed_for_screens
from app.limits import MANY_TEXTS
from app.meta_evaluation.agreement_verdict import verdict
from app.meta_evaluation.comparison import PERMUTATIONS, Comparison, compare_scores, corrected
from app.meta_evaluation.evaluation import Origin
from app.meta_evaluation.judges.difference import (
    EstimatedDifference,
    difference,
    difference_cautions,
    difference_verdict,
)
from app.meta_evaluation.judges.estimate import ComparedSide, SystemMean, system_means
from app.meta_evaluation.judges.powered_estimates import EstimatedFigure
from app.meta_evaluation.score_matrix import Coefficient, Floats
from app.services.results.corrected_shares import reference_scores
from app.services.results.question_analysis import ExpertSide, expert_side
from app.services.results.results import Choices, DimensionResult, cached_result, has_probabilities
from app.services.runtime.workbench import Workbench, use_case
from app.services.scoring.evaluators import on_scale
from app.services.scoring.run_labels import judge_in_signature, variant_of
from db.unit_of_work import Database, UnitOfWork

__all__ = [
    "Coefficient",
    "EstimatedDifference",
    "EstimatedFigure",
    "SystemMean",
    "difference_cautions",
    "difference_verdict",
]


USUAL = Choices()


@dataclass(frozen=True, slots=True)
class ScoreSet:
    """One run's scores on a dimension. `version` and `condition` are its checklist's, if it has one."""

    run: RunSummary
    version: int | None = None
    condition: str = ""


@dataclass(frozen=True, slots=True)
class RunComparison:
    """The comparison of `other` with `baseline` on the `shared` texts; texts scored in only one of them (`only_*`) are
    left out.

    comparison: other minus baseline; None, with a `problem`, if nothing can be compared.
    """

    baseline: ScoreSet
    other: ScoreSet
    shared: int
    only_baseline: int
    only_other: int
    comparison: Comparison | None
    problem: str = ""

    def verdict(self, coefficient: Coefficient, other: str, baseline: str, comparisons: int) -> str:
        if self.comparison is None:
            return f"Can't be compared: {self.problem}"
        return verdict(self.comparison.differences[coefficient], other, baseline, comparisons)


@use_case(Right.READ)
def score_sets(workbench: Workbench, project_id: int, dimension_id: int) -> list[ScoreSet]:
    """Return the runs with scores on a dimension, newest first, without those on the held-out split."""
    with workbench.database.read() as work:
        runs = [run for run in work.runs.all(project_id) if run.done and not run.locked]
        found = [(run, part) for run in runs for part in work.runs.parts(run.id) if part.dimension == dimension_id]
        checklists = {c: work.checklists.get(c) for _, part in found if (c := part.checklist)}
        sets = []
        for run, part in found:
            checklist = checklists.get(part.checklist or 0)
            sets.append(ScoreSet(run, checklist.version, checklist.condition) if checklist else ScoreSet(run))
        return sets


@use_case(Right.READ)
def compare_runs(
    workbench: Workbench,
    dimension_id: int,
    baseline: ScoreSet,
    others: Sequence[ScoreSet],
    choices: Choices = USUAL,
    permutations: int = PERMUTATIONS,
) -> list[RunComparison]:
    """Return each other run minus the baseline, with Holm's correction over all of them.

    Cached until scores or ratings change. Raises InputError if the level needs what the data don't have.
    """
    with workbench.database.read() as work:
        state = work.results.rating_state(dimension_id)
    found = [
        _kept(workbench.database, dimension_id, _key(baseline), _key(other), choices, permutations, state)
        for other in others
    ]
    made = corrected({index: pair[1] for index, pair in enumerate(found) if pair[1] is not None})
    return [
        RunComparison(baseline, other, *counts, made.get(index), problem)
        for index, (other, (counts, _, problem)) in enumerate(zip(others, found, strict=True))
    ]


@use_case(Right.READ)
def sets_named(workbench: Workbench, project_id: int, dimension_id: int, runs: Sequence[int]) -> list[ScoreSet]:
    """Return the score sets in the order asked. Raises NotFoundError for a run that has no scores on the dimension."""
    by_run = {found.run.id: found for found in score_sets(workbench, project_id, dimension_id)}
    missing = [run for run in runs if run not in by_run]
    if missing:
        raise NotFoundError(f"Run {missing[0]} has no scores on this dimension.", "`interacteval runs list` shows all.")
    return [by_run[run] for run in runs]


Key = tuple[int, int, int]


def _key(scores: ScoreSet) -> Key:
    """Return the run's id and counts, which change with its scores."""
    return scores.run.id, scores.run.done, scores.run.failed


# A comparison takes about a second: kept for as long as its scores and ratings stay.
@lru_cache(maxsize=128)
def _kept(
    database: Database, dimension_id: int, baseline: Key, other: Key, choices: Choices, permutations: int, _: str
) -> tuple[tuple[int, int, int], Comparison | None, str]:
    with database.read() as work:
        b, a = (_scores(work, run, dimension_id, choices) for run, _, _ in (baseline, other))
        comparable = all(on_scale(work.runs.get(run)) for run, _, _ in (baseline, other))
        b_run, a_run = (_origin(work, run, dimension_id, choices) for run, _, _ in (baseline, other))
    shared = sorted(a.keys() & b.keys())
    counts = (len(shared), len(b.keys() - a.keys()), len(a.keys() - b.keys()))
    if not shared:
        return counts, None, "The two runs scored no text in common."
    rows = [a[text] for text in shared]
    try:
        comparison = computed_for_screens(
            len(shared) >= MANY_TEXTS,
            compare_scores,
            [a[text].score for text in shared],
            [b[text].score for text in shared],
            [row.human for row in rows],
            replace(choices.design(rows), item=[row.item_id for row in rows]),
            permutations=permutations,
            origin=Origin(
                _both(a_run.checklist, b_run.checklist),
                _both(a_run.judge, b_run.judge),
                _both(a_run.prompt, b_run.prompt),
            ),
            on_scale=comparable,
        )
    except NotReadyError:
        raise  # it took too long, and is tried again when it is asked for again
    except InputError as error:
        return counts, None, error.message
    return counts, comparison, ""


def _origin(work: UnitOfWork, run_id: int, dimension_id: int, choices: Choices) -> Origin:
    run = work.runs.get(run_id)
    part = next(part for part in work.runs.parts(run_id) if part.dimension == dimension_id)
    version = str(work.checklists.get(part.checklist).version) if part.checklist else "none"
    judge = " ".join((judge_in_signature(run), *choices.systems.words))
    return Origin(version, judge, part.prompt_digest[:12] or "none")


def _both(a: str, b: str) -> str:
    """Return the common value, else "other vs baseline", for the signature of a comparison."""
    return a if a == b else f"{a} vs {b}"


def _scores(work: UnitOfWork, run_id: int, dimension_id: int, choices: Choices) -> Mapping[int, ScoredText]:
    """Return text id -> score and rating, for texts that count by these choices."""
    by_probability = choices.soft and has_probabilities(work.runs.get(run_id))
    rows = choices.systems.of(work.results.scored(run_id, dimension_id))
    if by_probability:
        rows = [replace(row, score=row.soft) for row in rows]
    return {row.text: row for row in rows if row.counts(choices.include_partial)}


def counted_rows(result: DimensionResult) -> list[ScoredText]:
    """Return the rows on which figures of the result rest."""
    return [row for row in result.rows if row.counts(result.choices.include_partial)]


def source_of(row: ScoredText) -> str:
    """Return the document a text is about; for a text without one a name of its own."""
    return row.doc_id or f"text {row.text}"


def scored_side(
    name: str, rows: list[ScoredText], key: list[str], result: DimensionResult, experts: ExpertSide | None
) -> ComparedSide:
    """Return one side of a comparison from the `rows` that count. Texts on which most experts agree on every question
    have an expert score too."""
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
    """Return text -> experts' score, and text -> probability of being drawn for them; None if equal for all."""
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
    """The scores of at least two systems, by name."""

    means: tuple[SystemMean, ...]
    sides: tuple[ComparedSide, ...]
    choices: Choices

    def difference(self, a: str, b: str) -> EstimatedDifference:
        """Return the difference of two systems; texts about the same source are paired."""
        by_name = {side.name: side for side in self.sides}
        return difference(by_name[a], by_name[b], resamples=self.choices.resamples, seed=self.choices.seed)


@use_case(Right.READ)
def system_scores(workbench: Workbench, result: DimensionResult) -> SystemScores | None:
    """Return the scores by system; None if the texts that count name fewer than two systems."""
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
    """This version minus the `other`, on `texts` that both runs scored. `missing`: why experts' figures are missing.

    difference: None if fewer than two texts were scored by both.
    """

    other: ScoreSet
    texts: int
    difference: EstimatedDifference | None
    missing: str


@use_case(Right.READ)
def other_versions(workbench: Workbench, project_id: int, result: DimensionResult) -> list[ScoreSet]:
    """Return for each other version of the checklist the run with most texts of the same judge and method, newest
    version first."""
    best: dict[int, ScoreSet] = {}
    for scores in score_sets(workbench, project_id, result.dimension.id):
        alike = _kind(scores.run) == _kind(result.run)
        if alike and scores.version is not None and scores.version != result.version:
            best[scores.version] = max(best.get(scores.version, scores), scores, key=lambda each: each.run.rank())
    return [best[version] for version in sorted(best, reverse=True)]


def _kind(run: RunSummary) -> tuple[object, ...]:
    """Return everything that runs must share to be compared as checklist versions."""
    return run.evaluator, variant_of(run), run.judge, run.study, run.asking_way


@use_case(Right.READ)
def version_difference(workbench: Workbench, result: DimensionResult, other: ScoreSet) -> VersionDifference:
    """Return the difference on texts that both scored; experts' figures use texts where they answered every question of
    both versions."""
    theirs = cached_result(workbench, other.run.id, result.dimension.id, result.choices)
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
    """Return a sentence on which version experts still have to answer, and on how many texts they did."""
    lacking = [f"{side.name} on {side.answered:,}" for side in (one, other) if side.answered < 2]
    return (
        f"Of the texts that both versions scored, experts have answered every question of {' and of '.join(lacking)}. "
        "Let them answer both versions, two texts at least, better thirty: then people's figure and the corrected one "
        "stand here."
    )
