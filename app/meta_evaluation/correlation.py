"""Agreement of scores with human ratings at the three levels, and what each figure rests on.

    per-source   a coefficient inside each source's group of texts, averaged over groups
    dataset      one coefficient over all texts pooled
    system       one coefficient over per-system means

A group in which either side is constant has no coefficient; `skip` leaves it out, `zero` counts it as 0. A group with
fewer than two texts is never used. With two predictors, only groups in which both have a coefficient count, so that
the two are compared on the same texts. Kendall is tau-b.
"""

from dataclasses import dataclass

import numpy as np

from app.meta_evaluation.choices import MAE, Constant, Level
from app.meta_evaluation.coefficients import rowwise, single
from app.meta_evaluation.reasons import FEWEST, group_reason, pool_reason
from app.meta_evaluation.score_matrix import Bools, Floats, Ints, ScoreTable, SourceGrid, source_grid
from app.meta_evaluation.ties import TieCounts, tie_counts


@dataclass(frozen=True, slots=True)
class Basis:
    """What the figures rest on.

    `n` texts were compared, `n_used` of them count in the coefficients. `groups_*` are sources (one, where the column
    is absent), `systems_*` systems (none, where the column is absent). `groups_constant` have two texts or more but
    no coefficient, `groups_small` fewer than two texts. `ties` are over the pairs compared: texts of one source, of
    the pool, or systems.
    """

    n: int
    n_used: int
    groups_used: int
    groups_all: int
    groups_constant: int
    groups_small: int
    systems_used: int
    systems_all: int
    ties: TieCounts


@dataclass(frozen=True, slots=True, eq=False)
class Estimates:
    """`values` is (C, 4): for each predictor the coefficients in the order of COEFFICIENTS, then the MAE. Where the
    coefficients of any predictor are undefined they are NaN and `reason` says why; else `reason` is empty."""

    values: Floats
    reason: str
    basis: Basis


def estimate(table: ScoreTable, level: Level, constant: Constant = "skip") -> Estimates:
    """The figures at `level`. The table must have sources for per-source and systems for system.

    MAE is in points of the scale: averaged over the same groups as the coefficients per source, over all texts for the
    dataset, over per-system means for systems.
    """
    if level == "per-source":
        return _per_source(table, constant)
    if level == "dataset":
        return _pool(table, table.scores, table.human, "texts")
    return _pool(table, *system_means(table), "systems")


def group_coefficients(scores: Floats, human: Floats, present: Bools) -> Floats:
    """(C, 3, G), NaN where undefined, for predictors (C, G, K) on a grid."""
    weights = present.astype(np.float64)
    return np.stack([rowwise(score, human, weights) for score in scores])


def group_errors(grid: SourceGrid) -> Floats:
    """(C, G) mean absolute error inside each group, 0 where a group is empty."""
    distance = np.abs(grid.scores - grid.human) * grid.present
    return np.asarray(distance.sum(axis=2) / np.maximum(grid.present.sum(axis=1), 1))


def settle(coefficients: Floats, sizes: Floats, constant: Constant) -> tuple[Floats, Bools]:
    """Apply the choice on constant groups to (C, 3, ..., G) of groups with `sizes` (..., G) texts.

    Returns the coefficients, 0 where undefined, and which groups count (..., G): those with two texts or more and,
    under `skip`, a coefficient for every predictor.
    """
    used = sizes >= 2
    if constant == "skip":
        used = used & ~np.isnan(coefficients).any(axis=(0, 1))
    return np.where(np.isnan(coefficients), 0.0, coefficients), used


def system_means(table: ScoreTable) -> tuple[Floats, Floats]:
    """(C, S) and (S,) means over each system's texts; systems without texts are left out."""
    assert table.system is not None
    counts = np.bincount(table.system, minlength=table.systems)
    columns = np.vstack([table.scores, table.human])
    sums = np.stack([np.bincount(table.system, weights=c, minlength=table.systems) for c in columns])
    means = steady(sums[:, counts > 0] / counts[counts > 0])
    return means[:-1], means[-1]


def steady(means: Floats) -> Floats:
    """Means rounded to 12 digits, so that equal sums added in another order stay tied."""
    largest = np.abs(means).max(axis=-1, keepdims=True, initial=0.0)
    unit = np.where(largest > 0, largest, 1.0)
    return np.asarray(np.round(means / unit, 12) * unit)


def _per_source(table: ScoreTable, constant: Constant) -> Estimates:
    grid = source_grid(table)
    sizes = grid.present.sum(axis=1).astype(np.float64)
    raw = group_coefficients(grid.scores, grid.human, grid.present)
    values, used = settle(raw, sizes, constant)
    groups = np.nonzero(grid.present)[0].astype(np.float64)
    basis = Basis(
        n=table.n,
        n_used=int(sizes[used].sum()),
        groups_used=int(used.sum()),
        groups_all=sizes.size,
        groups_constant=int(((sizes >= 2) & np.isnan(raw).any(axis=(0, 1))).sum()),
        groups_small=int((sizes < 2).sum()),
        systems_used=_distinct(table.system),
        systems_all=table.systems,
        ties=tie_counts(grid.scores[:, grid.present], grid.human[grid.present], groups),
    )
    reason = group_reason(basis.n, basis.n_used, basis.groups_constant, basis.groups_small)
    out = np.full((table.scores.shape[0], MAE + 1), np.nan)
    if used.any():
        out[:, MAE] = group_errors(grid)[:, used].mean(axis=1)
    if not reason:
        out[:, :MAE] = values[:, :, used].mean(axis=2)
    return Estimates(out, reason, basis)


def _pool(table: ScoreTable, scores: Floats, human: Floats, unit: str) -> Estimates:
    """One coefficient over texts or systems, predictors (C, M) and ratings (M,)."""
    reason = pool_reason(scores, human, unit)
    sources = 1 if table.source is None else _distinct(table.source)
    basis = Basis(
        n=table.n,
        n_used=0 if reason else table.n,
        groups_used=0 if reason else sources,
        groups_all=1 if table.source is None else table.sources,
        groups_constant=0,
        groups_small=0,
        systems_used=0 if reason else _distinct(table.system),
        systems_all=table.systems,
        ties=tie_counts(scores, human),
    )
    out = np.full((scores.shape[0], MAE + 1), np.nan)
    if human.size:
        out[:, MAE] = np.abs(scores - human).mean(axis=1)
    if human.size >= FEWEST:
        out[:, :MAE] = np.stack([single(score, human) for score in scores])
    return Estimates(out, reason, basis)


def _distinct(codes: Ints | None) -> int:
    return 0 if codes is None else int(np.unique(codes).size)
