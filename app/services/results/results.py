"""Results of a run: agreement of its scores with people, and what each number rests on."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import count
from statistics import fmean, stdev
from typing import Any

from app.domain.project import Dimension
from app.domain.roles_and_rights import Right
from app.domain.run import RunDimension, RunSummary, ScoredText, ScoreStatus
from app.domain.text_filter import EVERY_SYSTEM, SystemChoice
from app.errors import NotFoundError, NotReadyError
from app.limited_process import computed_for_screens
from app.limits import MANY_TEXTS
from app.meta_evaluation.bootstrap import RESAMPLES, AgreementDesign
from app.meta_evaluation.captions import counted_of
from app.meta_evaluation.evaluation import Figure, MetaEvaluation, Origin, evaluate
from app.meta_evaluation.raters.human_ceiling import RaterScale, scale_remark
from app.meta_evaluation.score_matrix import FEWEST, Coefficient, Constant, Duplicates, Level, Resampling
from app.services.data.held_out_split import held_out_runs, require_name, require_split
from app.services.runtime.workbench import Workbench, use_case
from app.services.scoring.evaluators import on_scale
from app.services.scoring.reuse import TAKEN_FROM
from app.services.scoring.run_labels import (
    LOGPROBS,
    gives_probabilities,
    judge_in_signature,
    logprobs_remark,
    variant_of,
    variant_words,
)
from app.services.scoring.runs import warning_of
from db.unit_of_work import Database, UnitOfWork

__all__ = ["Constant", "Duplicates", "Figure", "Level", "Resampling"]


@dataclass(frozen=True, slots=True)
class Choices:
    """The choices for computing a result. `duplicates`: texts with the same source and system, if texts name their
    system.

    `soft`: use the judge's P(yes) if the run asked for it. `resampling`: what the intervals draw, by default by the
    level. `systems`: whose texts are compared.
    """

    level: Level = "per-source"
    constant: Constant = "skip"
    duplicates: Duplicates = "once"
    include_partial: bool = False
    soft: bool = False
    resampling: Resampling | None = None
    resamples: int = RESAMPLES
    seed: int = 0
    systems: SystemChoice = EVERY_SYSTEM

    def design(self, rows: Iterable[ScoredText]) -> AgreementDesign:
        """Return the origin of each row's text, and how agreement is computed.

        If texts name their systems, these identify duplicates; otherwise the items do.
        """
        places = [(row.doc_id, row.system_id, row.item_id) for row in rows]
        named = any(system for _, system, _ in places)
        return AgreementDesign(
            [document for document, _, _ in places],
            [system for _, system, _ in places] if named else None,
            None if named else [item for _, _, item in places],
            self.level,
            self.duplicates,
            self.constant,
            self.resampling,
            self.resamples,
            self.seed,
        )


USUAL = Choices()


@dataclass(frozen=True, slots=True)
class DimensionResult:
    """One dimension of a run. `partial` texts have unanswered questions; they count only if chosen.

    `soft`: scores are from the judge's probabilities. `locked`: over held-out texts only, which no other result
    includes. `weighted`: the checklist's questions have different weights. `nothing_applies` counts texts without a
    score because no question applies. `reading`: the id of the reading of texts, scores and ratings it is computed
    from; results with equal reading and choices are equal.
    """

    run: RunSummary
    dimension: Dimension
    version: int | None
    excluded_docs: tuple[str, ...]
    excluded_texts: tuple[int, ...]
    rows: tuple[ScoredText, ...]
    partial: int
    meta: MetaEvaluation
    choices: Choices = USUAL
    soft: bool = False
    locked: bool = False
    weighted: bool = False
    reading: int = field(default=0, compare=False)
    nothing_applies: int = 0

    @property
    def scored(self) -> int:
        return sum(1 for row in self.rows if row.score is not None)

    @property
    def many_texts(self) -> bool:
        """Return whether resampling single texts takes seconds."""
        return len(self.rows) >= MANY_TEXTS

    @property
    def on_scale(self) -> bool:
        """Return whether scores are on the dimension's scale, so that their distance from ratings means something."""
        return on_scale(self.run)

    @property
    def compared(self) -> list[ScoredText]:
        """Return the texts with a score and a rating, on which the figures rest."""
        return [row for row in self.rows if row.human is not None and row.counts(self.choices.include_partial)]

    @property
    def headline(self) -> tuple[float | None, float | None, float | None, str]:
        """Return Spearman, the ends of its 95 % interval, and "groups used/all"."""
        spearman = self.meta.figures["spearman"]
        return spearman.value, spearman.low, spearman.high, f"{self.groups_used}/{self.groups_all}"

    @property
    def dataset_may_help(self) -> bool:
        """Return whether this level has no coefficient, but the dataset level has one."""
        level, n = self.meta.design.level, self.meta.basis.n
        if level == "dataset" or self.headline[0] is not None or n < FEWEST:
            return False
        rows = self.compared
        scores, ratings = [row.score for row in rows], [row.human for row in rows]
        return agreement_with_people(rows, scores, ratings, replace(self.choices, level="dataset")) is not None

    @property
    def groups_used(self) -> int:
        return self.meta.basis.groups_used

    @property
    def groups_all(self) -> int:
        return self.meta.basis.groups_all

    def to_json(self) -> dict[str, Any]:
        return {
            "run": self.run.id,
            "evaluator": self.run.evaluator,
            "variant": variant_words(self.run),
            "condition": self.run.study or None,
            "judge": self.run.judge,
            "dimension": self.dimension.name,
            "checklist_version": self.version,
            "score_from": "probabilities" if self.soft else "answers",
            "scored": self.scored,
            "partial": self.partial,
            **({"nothing_applies": self.nothing_applies} if self.nothing_applies else {}),
            "locked_split": self.locked,
            **self.choices.systems.params(),
            "excluded_docs": list(self.excluded_docs),
            "excluded_texts": list(self.excluded_texts),
            **self.meta.to_json(),
        }


@use_case(Right.READ)
def results_of(
    workbench: Workbench, run_id: int, choices: Choices = USUAL, *, locked: bool = False
) -> list[DimensionResult]:
    """Return the agreement with mean human ratings on every dimension of a run.

    locked: over the held-out texts instead; only for a recorded look (`open_held_out_results`).
    """
    with workbench.database.read() as work:
        run = work.runs.get(run_id)
        source = work.held_out_results if locked else work.results
        return [
            _result(work, run, part, _Reading(tuple(source.scored(run_id, part.dimension))), choices, locked)
            for part in work.runs.parts(run_id)
        ]


@use_case(Right.READ)
def cached_results(
    workbench: Workbench,
    runs: Sequence[int],
    choices: Choices = USUAL,
    on: Mapping[int, Sequence[int]] | None = None,
) -> list[DimensionResult]:
    """Return the results of the runs, each cached until its scores or ratings change.

    on: dimension id -> the runs whose result on it is wanted, in this order; None for all of each run.
    """
    with workbench.database.read() as work:
        summaries = work.runs.get_all(runs)
        scored = {run: [part.dimension for part in work.runs.parts(run)] for run in runs}
        if on is None:
            wanted = [(run, dimension) for run in runs for dimension in scored[run]]
        else:
            wanted = [(run, dimension) for dimension, some in on.items() for run in some if dimension in scored[run]]
        ratings = {dimension: _rating_state(work, dimension) for dimension in {of for _, of in wanted}}
    return [
        _kept(workbench.database, run, dimension, choices, (*_progress(summaries[run]), *ratings[dimension]))
        for run, dimension in wanted
    ]


@use_case(Right.READ)
def cached_result(
    workbench: Workbench, run_id: int, dimension_id: int, choices: Choices = USUAL
) -> DimensionResult | None:
    """Return the cached result of one dimension; None if the run doesn't score it."""
    return next(iter(cached_results(workbench, [run_id], choices, {dimension_id: [run_id]})), None)


def _progress(run: RunSummary) -> tuple[object, ...]:
    return (run.status, run.done, run.failed)


def _rating_state(work: UnitOfWork, dimension_id: int) -> tuple[object, ...]:
    return (work.projects.dimension_by_id(dimension_id), work.results.rating_state(dimension_id))


@lru_cache(maxsize=256)  # dimensions x levels of some runs; those of one reading share its texts
def _kept(
    database: Database, run_id: int, dimension_id: int, choices: Choices, state: tuple[object, ...]
) -> DimensionResult:
    reading = _cached_reading(database, run_id, dimension_id, state)
    with database.read() as work:
        part = next(part for part in work.runs.parts(run_id) if part.dimension == dimension_id)
        return _result(work, work.runs.get(run_id), part, reading, choices)


@dataclass(frozen=True, slots=True)
class _Reading:
    """Every planned text of a run on one dimension, as read at one time; each reading has its own number."""

    rows: tuple[ScoredText, ...]
    number: int = field(default_factory=count(1).__next__)


@lru_cache(maxsize=64)
def _cached_reading(database: Database, run_id: int, dimension_id: int, _: tuple[object, ...]) -> _Reading:
    with database.read() as work:
        return _Reading(tuple(work.results.scored(run_id, dimension_id)))


def _result(
    work: UnitOfWork, run: RunSummary, part: RunDimension, reading: _Reading, choices: Choices, locked: bool = False
) -> DimensionResult:
    rows = tuple(choices.systems.of(reading.rows))
    soft = choices.soft and has_probabilities(run)
    if soft:
        rows = tuple(replace(row, score=row.soft) for row in rows)
    checklist = work.checklists.get(part.checklist) if part.checklist else None
    judge = " ".join((judge_in_signature(run), *(["P(yes)"] if soft else []), *choices.systems.words))
    origin = Origin(
        checklist=str(checklist.version) if checklist else "none",
        judge=judge,
        prompt=part.prompt_digest[:12] or "none",
        locked=locked,
        partial=choices.include_partial,
    )
    scores = [row.score if row.counts(choices.include_partial) else None for row in rows]
    meta = evaluate_scores(rows, scores, choices, origin, on_scale(run))
    warned = warning_of(work, run, part)
    same = warned.message if warned else ""
    remarks = (rater_remark(work, part.dimension, locked), logprobs_remark(run), same, *_without_score(rows))
    return DimensionResult(
        run=run,
        dimension=work.projects.dimension_by_id(part.dimension),
        version=checklist.version if checklist else None,
        excluded_docs=part.excluded_docs,
        excluded_texts=part.excluded_texts,
        rows=rows,
        partial=sum(row.partial for row in rows),
        meta=replace(meta, cautions=(*meta.cautions, *filter(None, remarks))),
        choices=choices,
        soft=soft,
        locked=locked,
        weighted=checklist is not None and checklist.weighted,
        reading=reading.number,
        nothing_applies=sum(row.nothing_applies for row in rows),
    )


def _without_score(rows: Sequence[ScoredText]) -> list[str]:
    """Return sentences on texts that were scored without failure but have no score."""
    outside = sum(row.nothing_applies for row in rows)
    untold = sum(row.status is ScoreStatus.DONE and row.score is None for row in rows) - outside
    said = []
    if outside:
        said.append(f"No question applies to {outside:,} of the texts: they have no score and play no part in figures.")
    if untold:
        said.append(
            f"The judge can't tell, or answered nothing, about {untold:,} of the texts: they have no score, and are no "
            "failures."
        )
    return said


def rater_remark(work: UnitOfWork, dimension_id: int, locked: bool = False) -> str:
    """Return a caution if raters of the dimension use different scales, else ""."""
    raters = (work.held_out_texts if locked else work.texts).rater_ranges(dimension_id)
    return scale_remark([RaterScale(*each) for each in raters])


def evaluate_scores(
    rows: Sequence[ScoredText], scores: Sequence[float | None], choices: Choices, origin: Origin, on_scale: bool = True
) -> MetaEvaluation:
    """Return how well scores agree with the rows' ratings.

    scores: one for each row, None to leave its text out. origin: what the figures say they were computed from.
    on_scale: whether the scores are on the scale of the ratings, so that the MAE is defined.
    """
    human = [row.human for row in rows]
    return _compared(rows, scores, human, choices, choices.resamples, origin=origin, on_scale=on_scale)


def agreement_with_people(
    rows: Sequence[ScoredText], one: Sequence[float | None], other: Sequence[float | None], choices: Choices
) -> float | None:
    """Return the Spearman correlation of two scores of the rows' texts, computed as in a result; None if undefined."""
    return _compared(rows, one, other, choices, resamples=0).figures["spearman"].value


def _compared(
    rows: Sequence[ScoredText],
    one: Sequence[float | None],
    other: Sequence[float | None],
    choices: Choices,
    resamples: int,
    **more: Any,
) -> MetaEvaluation:
    # Drawing whole sources takes no second, however many there are.
    slow = choices.level == "dataset" or choices.resampling not in (None, "sources")
    return computed_for_screens(
        slow and resamples > 0 and len(rows) >= MANY_TEXTS,
        evaluate,
        one,
        other,
        replace(choices, resamples=resamples).design(rows),
        **more,
    )


def has_probabilities(run: RunSummary) -> bool:
    """Return whether the run asked its judge for probabilities and got them."""
    return bool(run.params.get("soft")) and gives_probabilities(run.params)


@use_case(Right.READ)
def runs_to_show(workbench: Workbench, project_id: int, asked: Sequence[int] | None = None) -> list[int]:
    """Return the runs asked for, by default those of `default_runs`.

    Raises NotFoundError or NotReadyError.
    """
    with workbench.database.read() as work:
        runs = {run.id: run for run in work.runs.all(project_id)}
    unknown = [run for run in asked or () if run not in runs]
    if unknown:
        raise NotFoundError(f"This project has no run {unknown[0]}.", "`interacteval runs list` shows them.")
    locked = [run for run in asked or () if runs[run].locked]
    if locked:
        raise NotReadyError(
            f"Run {locked[0]} scored the held-out split, so its results are seen on purpose only.",
            "`interacteval split look` shows them; each look is counted.",
        )
    found = list(asked or ()) or [run.id for run in default_runs(list(runs.values()))]
    if not found and any(run.done and run.study for run in runs.values()):
        raise NotReadyError(
            "Only studies of conditions have scored texts of this project.",
            "`interacteval conditions show` compares them; --run shows one of their runs.",
        )
    if not found and any(run.done and run.apart for run in runs.values()):
        raise NotReadyError(
            "Only a comparison of ways of asking has scored texts of this project.",
            "Score them, or look into one of its runs with --run.",
        )
    if not found:
        raise NotReadyError("No text of this project has been scored yet.", "Score them first.")
    return found


def default_runs(runs: Sequence[RunSummary], dimension: str | None = None) -> list[RunSummary]:
    """Return the default run of each method, variant and judge: of the newest checklist version the one with most
    texts; a trial only if no run scored all texts. Runs on the held-out split and runs that are `apart` are left out.

    `runs` and the result are newest first. dimension: only runs that scored it; without it every dimension has its own
    default, so that a run on one doesn't hide the others.
    """
    shown = [run for run in runs if run.done and not run.locked and not run.apart]
    if dimension is None:
        names = dict.fromkeys(name for run in shown for name in run.dimensions)
        found = {run.id for name in names for run in default_runs(shown, name)}
        return [run for run in shown if run.id in found]
    best: dict[tuple[object, ...], RunSummary] = {}
    for run in shown:
        if dimension in run.dimensions:
            way = run.evaluator, variant_of(run), run.judge
            best[way] = max(best.get(way, run), run, key=lambda each: each.rank(dimension))
    kept = {run.id for run in best.values()}
    return [run for run in shown if run.id in kept]


def newer_trial(runs: Sequence[RunSummary], shown: Sequence[RunSummary], dimension: str) -> RunSummary | None:
    """Return the trial of a newer checklist version than all shown runs have, if that version has no run of all
    texts."""
    asked = max((run.version(dimension) for run in shown), default=0)
    newer = [
        run for run in runs if run.done and not run.locked and not run.apart and run.version(dimension) > asked > 0
    ]
    newest = max(newer, key=lambda run: run.rank(dimension), default=None)
    return newest if newest is not None and newest.drawn else None


@use_case(Right.READ)
def newer_trial_words(workbench: Workbench, project_id: int, shown: Sequence[RunSummary], dimension: str) -> str | None:
    """Return a sentence if a newer checklist version has only a trial, else None."""
    with workbench.database.read() as work:
        trial = newer_trial(work.runs.all(project_id), shown, dimension)
    if trial is None:
        return None
    texts = f"{trial.texts:,} text{'' if trial.texts == 1 else 's'}"
    return (
        f"Version {trial.version(dimension)} of {dimension} has only a trial on {texts}: run {trial.id}. "
        "Score all texts with it, or choose that run."
    )


@use_case(Right.READ)
def left_out_words(workbench: Workbench, project_id: int) -> str:
    """Return a sentence on the runs of studies and of ways of asking, which `default_runs` leaves out; "" without
    any."""
    with workbench.database.read() as work:
        left = [str(run.id) for run in reversed(work.runs.all(project_id)) if run.apart and run.done]
    if not left:
        return ""
    which = ", ".join(left if len(left) < 7 else [*left[:3], "…", left[-1]])
    return f"Left out: {counted_of(len(left), 'run')} of conditions or ways of asking ({which}). --run shows one."


_NOT_OF_A_DRAW = {"seed", "budget", "use_cache", "prompts", "signature", "reuse", TAKEN_FROM, LOGPROBS}


@dataclass(frozen=True, slots=True)
class Trials:
    """Runs that differ only in the drawn texts, oldest first, with their results."""

    results: tuple[DimensionResult, ...]

    @property
    def runs(self) -> list[RunSummary]:
        return [result.run for result in self.results]

    def values(self, coefficient: Coefficient) -> list[float]:
        """Return the coefficient of each trial that has it."""
        figures = [result.meta.figures[coefficient] for result in self.results]
        return [figure.value for figure in figures if figure.value is not None]

    def spread(self, coefficient: Coefficient) -> tuple[float, float] | None:
        """Return mean and standard deviation over trials; None if fewer than two have the coefficient."""
        values = self.values(coefficient)
        return (fmean(values), stdev(values)) if len(values) > 1 else None


@use_case(Right.READ)
def trials_of(workbench: Workbench, project_id: int, dimension: Dimension, choices: Choices = USUAL) -> list[Trials]:
    """Return groups of at least two runs that drew their texts the same way with different seeds, newest group first.

    Runs of studies of conditions and of comparisons of ways of asking are left out.
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
        results = [cached_result(workbench, run.id, dimension.id, choices) for _, run in sorted(group.items())]
        found.append(Trials(tuple(result for result in results if result is not None)))
    return found


def _way(params: Mapping[str, Any]) -> str:
    return repr(sorted((name, value) for name, value in params.items() if name not in _NOT_OF_A_DRAW))


@use_case(Right.FACILITATE, act="looked at the held-out split's results")
def open_held_out_results(
    workbench: Workbench, project_id: int, runs: Sequence[int], who: str, level: Level = "per-source"
) -> list[DimensionResult]:
    """Return the agreement of these runs with people on the held-out texts. Each look is recorded first.

    Raises NotReadyError if no split is locked or a run has no score there.
    """
    name = require_name(who)
    with workbench.database.read() as work:
        split = require_split(work, project_id)
    without = [run for run in runs if run not in held_out_runs(workbench, project_id)]
    if not runs or without:
        which = f"Run {without[0]} has" if without else "No run has"
        raise NotReadyError(f"{which} no scores on the locked texts.", "Score them first (score --locked).")
    with workbench.database.write() as work:
        work.held_out_splits.add_look(split.id, name, runs)
    return [result for run in runs for result in results_of(workbench, run, Choices(level), locked=True)]
