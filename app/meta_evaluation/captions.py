"""Captions of figures: what each rests on, and cautions about it."""

import numpy as np

from app.meta_evaluation.correlation import Basis
from app.meta_evaluation.score_matrix import Constant, Duplicates, Level, Resampling, RowCounts, ScoreTable

FEW_TO_DRAW = 30
"""Number of units below which a 95 % percentile interval covers clearly less than 95 %. Simulated as in test_coverage:
92 to 93 % with 30 sources, 90 to 91 % with 20, 88 % with 10, 81 % with 5; Pearson over 30 systems 94 %, over 12 89 %.
"""
SMALL_GROUP = 5
Ends = tuple[float | None, float | None, float | None]
"""A figure with the lower and the upper end of its interval."""


def caption(level: Level, basis: Basis, intake: RowCounts, constant: Constant, duplicates: Duplicates) -> str:
    """Return the caption, as "per-source, 61 of 96 sources used, 35 had constant scores or ratings and were left out;
    732 of 1,152 texts; 41 % of the compared pairs tied"."""
    parts = [_rests_on(level, basis, constant), _texts(basis)]
    if intake.duplicates:
        counted = "counted once" if duplicates == "once" else "kept"
        parts.append(f"{counted_of(intake.duplicates, 'duplicate')} {counted}")
    for missing, what in (
        (sum(intake.missing_pred), "score"),
        (intake.missing_human, "human rating"),
        (intake.missing_key, "source or system"),
    ):
        if missing:
            parts.append(f"{counted_of(missing, 'row')} without a {what}")
    if basis.ties.pairs:
        parts.append(f"{_percent(basis.ties.either, basis.ties.pairs)} of the compared pairs tied")
    return "; ".join(parts)


def resampling_caption(resampling: Resampling, resamples: int, undefined: int, *, intervals: bool) -> str:
    """Return the caption of intervals: "95 % intervals from 1,000 resamples of sources, 3 of them without a figure"."""
    drawn = "sources and systems" if resampling == "both" else resampling
    lost = f", {undefined:,} of them without a figure" if undefined else ""
    return f"{'95 %' if intervals else 'no'} intervals from {resamples:,} resamples of {drawn}{lost}"


def cautions(
    table: ScoreTable,
    level: Level,
    basis: Basis,
    resampling: Resampling,
    units: int,
    *,
    intervals: bool,
    on_scale: bool | None,
) -> tuple[str, ...]:
    """Return sentences that a reader must see beside the figures.

    intervals: whether any figure has one. on_scale: whether scores are on the scale of the ratings; None: not known.
    """
    said = []
    if level == "per-source" and 0 < 2 * basis.groups_used < basis.groups_all:
        said.append(
            f"Only {basis.groups_used} of {basis.groups_all} sources count: the figures say nothing about the others."
        )
    if level == "per-source" and resampling != "systems":
        units = min(units, basis.groups_used)  # a source without a coefficient adds nothing when it is drawn
    if intervals:
        said += few_to_draw(units, resampling)
    if level == "per-source" and basis.groups_used and basis.n_used < SMALL_GROUP * basis.groups_used:
        mean = basis.n_used / basis.groups_used
        said.append(f"A source has {mean:.1f} texts on average: a coefficient inside one takes few, coarse values.")
    if table.intake.conflicting:
        said.append(
            f"{counted_of(table.intake.conflicting, 'duplicate')} with other scores than the first of its kind."
        )
    if not table.intake.duplicates_knowable:
        said.append("Duplicates can't be recognised without a source and a system for each text.")
    if on_scale is None and _outside(table) and not apart(table):
        said.append("Scores lie outside the range of the ratings: the MAE means something only on a common scale.")
    return tuple(said)


def figure_cautions(
    table: ScoreTable,
    level: Level,
    basis: Basis,
    resampling: Resampling,
    units: int,
    spearman: Ends,
    *,
    intervals: bool,
    on_scale: bool | None,
) -> tuple[str, ...]:
    """Return every caution about one set of scores: those of `cautions`, and those on its Spearman's interval."""
    return (
        *cautions(table, level, basis, resampling, units, intervals=intervals, on_scale=on_scale),
        *one_point(*spearman),
        *direction(spearman[0], spearman[2]),
    )


def _outside(table: ScoreTable) -> bool:
    """Return whether some score is below every rating or above every rating."""
    outside = (table.scores.min(axis=1, initial=np.inf) < table.human.min(initial=np.inf)) | (
        table.scores.max(axis=1, initial=-np.inf) > table.human.max(initial=-np.inf)
    )
    return bool(np.any(outside))


def apart(table: ScoreTable) -> bool:
    """Return whether all scores of a predictor are below all ratings or all above: then they can't be on one scale."""
    if not table.n:
        return False
    low, high = table.human.min(), table.human.max()
    return bool(np.any((table.scores.max(axis=1) < low) | (table.scores.min(axis=1) > high)))


def few_to_draw(units: int, resampling: Resampling) -> tuple[str, ...]:
    """Return a remark on intervals from few sources or systems; none for others."""
    if resampling == "texts" or units >= FEW_TO_DRAW:
        return ()
    several = "sources or systems" if resampling == "both" else str(resampling)
    what = several.replace("sources", "source").replace("systems", "system") if units == 1 else several
    return (f"Only {units} {what} to draw from: the true uncertainty is larger than the intervals say.",)


def one_point(value: float | None, low: float | None, high: float | None) -> tuple[str, ...]:
    """Return a remark on an interval without width; none for others."""
    if value is None or low is None or low != high:
        return ()
    return ("The interval of Spearman is a single point: every resample gives the same. That is no certainty.",)


def direction(value: float | None, high: float | None) -> tuple[str, ...]:
    """Return one remark on a negative Spearman, none on others. high: the upper end of its interval, if it has one."""
    if value is None or value >= 0:
        return ()
    said = "Spearman is negative: texts that people rate higher get lower scores."
    if high is None:
        return (f"{said} Without an interval it can't be told from no agreement at all.",)
    if high < 0:
        return (f"{said} That is more than chance: check whether a high score means good, and what the questions ask.",)
    return (f"{said} It can't be told from no agreement at all: its interval reaches 0.",)


def counted_of(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def _rests_on(level: Level, basis: Basis, constant: Constant) -> str:
    if level == "dataset":
        several = basis.groups_used > 0 and basis.groups_all > 1
        origin = f" from {counted_of(basis.groups_used, 'source')}" if several else ""
        return f"dataset, all texts pooled{origin}"
    if level == "system":
        return f"system, means of {basis.systems_used} of {counted_of(basis.systems_all, 'system')}"
    said = [f"per-source, {basis.groups_used} of {counted_of(basis.groups_all, 'source')} used"]
    if basis.groups_constant:
        fate = "were left out" if constant == "skip" else "count as 0"
        said.append(f"{basis.groups_constant} had constant scores or ratings and {fate}")
    if basis.groups_small:
        said.append(f"{basis.groups_small} had fewer than two texts")
    return ", ".join(said)


def _texts(basis: Basis) -> str:
    if basis.n_used == basis.n:
        return counted_of(basis.n, "text")
    return f"{basis.n_used:,} of {counted_of(basis.n, 'text')}"


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %"
