"""Agreement of scores with people: Spearman, Kendall, Pearson and errors, by level, with ties."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from app.meta_evaluation.score_matrix import (
    FEWEST,
    MAE,
    Bools,
    Constant,
    Floats,
    Ints,
    Level,
    ScoreTable,
    SourceGrid,
    group_reason,
    pool_reason,
    source_grid,
)

if TYPE_CHECKING:
    from scipy.sparse import csr_array


CHUNK = 4_000_000
"""Numbers in a temporary array before work is cut into pieces: about 32 MB each."""
WIDEST = 256
"""Groups with more texts than this are computed one by one: their pairs of texts wouldn't fit into a chunk."""


def ratio(numerator: Floats, left: Floats, right: Floats) -> Floats:
    """Return numerator / sqrt(left * right) within [-1, 1]; NaN where a spread is 0.

    One root of the product, so that perfect agreement is exactly 1. Spreads are of scaled values: no overflow.
    """
    defined = (left > 0) & (right > 0)
    root = np.sqrt(np.where(defined, left * right, 1.0))
    return np.where(defined, np.clip(numerator / root, -1.0, 1.0), np.nan)


def scaled(values: Floats) -> Floats:
    """Return each row divided by its largest magnitude, so that squares neither overflow nor vanish."""
    largest = np.abs(values).max(axis=-1, keepdims=True, initial=0.0)
    return values / np.where(largest > 0, largest, 1.0)


def single(x: Floats, y: Floats) -> Floats:
    """Return the (3,) coefficients of one unweighted group of any size, in n log n."""
    if x.size < 2 or np.all(x == x[0]) or np.all(y == y[0]):
        return np.full(3, np.nan)
    from scipy import stats  # noqa: PLC0415 - every command would start half a second later

    tau = float(stats.kendalltau(x, y).statistic)
    rho = _moment(stats.rankdata(x), stats.rankdata(y))
    return np.array([rho, tau, _moment(scaled(x), scaled(y))])


def rowwise(x: Floats, y: Floats, weights: Floats) -> Floats:
    """Return (3, R) coefficients, one for each row of x, y and weights, all (R, K)."""
    rows, width = x.shape
    if width > WIDEST:
        return np.stack([_weighted_single(*row) for row in zip(x, y, weights, strict=True)], axis=1)
    step = max(1, CHUNK // max(width * width, 1))
    parts = [_rowwise(x[i : i + step], y[i : i + step], weights[i : i + step]) for i in range(0, rows, step)]
    return np.concatenate(parts, axis=1) if parts else np.empty((3, 0))


def crosswise(x: Floats, y: Floats, present: Bools, weights: Floats) -> Floats:
    """Return (3, J, I) coefficients of I groups, x, y and present (I, K), under each of J weightings (J, K) of the
    slots.

    Needs K small (see WIDEST); memory stays bounded by CHUNK.
    """
    groups, width = x.shape
    draws = weights.shape[0]
    left, right = np.triu_indices(width, 1)
    pairs = weights[:, left] * weights[:, right]
    step = max(1, CHUNK // max(draws * width, left.size * 6, 1))
    out = np.empty((3, draws, groups))
    for start in range(0, groups, step):
        rows = slice(start, start + step)
        both = (present[rows][:, left] & present[rows][:, right]).astype(np.float64)
        out[1, :, rows] = _pair_ratio(pairs, *_pair_signs(x[rows], y[rows], both, left, right))
        out[2, :, rows] = _pair_ratio(pairs, *_pair_differences(x[rows], y[rows], both, left, right))
        out[0, :, rows] = _crosswise_spearman(x[rows], y[rows], present[rows], weights)
    out[2][np.isnan(out[1])] = np.nan
    return out


def _moment(x: Floats, y: Floats) -> float:
    dx, dy = x - x.mean(), y - y.mean()
    return float(ratio(np.array(dx @ dy), np.array(dx @ dx), np.array(dy @ dy)))


def _weighted_single(x: Floats, y: Floats, weights: Floats) -> Floats:
    times = weights.astype(np.int64)
    return single(np.repeat(x, times), np.repeat(y, times))


def _rowwise(x: Floats, y: Floats, weights: Floats) -> Floats:
    pairs = weights[:, :, None] * weights[:, None, :]
    sign_x, sign_y = (np.sign(v[:, :, None] - v[:, None, :]) for v in (x, y))
    far_x, far_y = (v[:, :, None] - v[:, None, :] for v in (scaled(x), scaled(y)))

    def over_pairs(a: Floats, b: Floats) -> Floats:
        return np.asarray(np.einsum("rij,rij,rij->r", pairs, a, b))

    def over_texts(a: Floats, b: Floats) -> Floats:
        return np.asarray(np.einsum("ri,ri,ri->r", weights, a, b))

    rank_x, rank_y = (np.einsum("rij,rj->ri", sign, weights) for sign in (sign_x, sign_y))
    rho = ratio(over_texts(rank_x, rank_y), over_texts(rank_x, rank_x), over_texts(rank_y, rank_y))
    tau = ratio(over_pairs(sign_x, sign_y), over_pairs(sign_x, sign_x), over_pairs(sign_y, sign_y))
    pearson = ratio(over_pairs(far_x, far_y), over_pairs(far_x, far_x), over_pairs(far_y, far_y))
    return np.stack([rho, tau, np.where(np.isnan(tau), np.nan, pearson)])


Indices = np.ndarray[tuple[int, ...], np.dtype[np.intp]]


def _pair_signs(x: Floats, y: Floats, both: Floats, i: Indices, j: Indices) -> tuple[Floats, Floats, Floats]:
    a, b = np.sign(x[:, i] - x[:, j]) * both, np.sign(y[:, i] - y[:, j]) * both
    return a * b, a * a, b * b


def _pair_differences(x: Floats, y: Floats, both: Floats, i: Indices, j: Indices) -> tuple[Floats, Floats, Floats]:
    u, v = scaled(x), scaled(y)
    a, b = (u[:, i] - u[:, j]) * both, (v[:, i] - v[:, j]) * both
    return a * b, a * a, b * b


def _pair_ratio(pairs: Floats, cross: Floats, left: Floats, right: Floats) -> Floats:
    return ratio(pairs @ cross.T, pairs @ left.T, pairs @ right.T)


def _crosswise_spearman(x: Floats, y: Floats, present: Bools, weights: Floats) -> Floats:
    """Return (J, I) Spearman. The ranks of all groups under all weightings come from one matrix product a side."""
    groups, width = x.shape
    both = (present[:, :, None] & present[:, None, :]).astype(np.float64)

    def ranks(values: Floats) -> Floats:
        signs = np.sign(values[:, :, None] - values[:, None, :]) * both
        return (weights @ signs.reshape(-1, width).T).reshape(-1, groups, width)

    rank_x, rank_y = ranks(x), ranks(y)

    def over_texts(a: Floats, b: Floats) -> Floats:
        return np.asarray(np.matmul(a * b, weights[:, :, None])[:, :, 0])

    return ratio(over_texts(rank_x, rank_y), over_texts(rank_x, rank_x), over_texts(rank_y, rank_y))


@dataclass(frozen=True, slots=True)
class TieCounts:
    """Tied pairs among the compared `pairs`: tied on at least one side (`either`), in each predictor (`pred`), in the
    ratings (`human`)."""

    pairs: int
    either: int
    pred: tuple[int, ...]
    human: int


def tie_counts(scores: Floats, human: Floats, group: Floats | None = None) -> TieCounts:
    """Count tied pairs of predictors (C, N) and ratings (N,); pairs are of texts of the same `group` (N,), if given."""
    within = np.zeros(human.size) if group is None else group
    sides = [*scores, human]
    either = 0
    for selection in range(1, 2 ** len(sides)):  # inclusion and exclusion over the sets of sides
        subset = [side for index, side in enumerate(sides) if selection >> index & 1]
        either += (-1) ** (len(subset) + 1) * _equal_pairs(within, *subset)
    return TieCounts(
        pairs=_equal_pairs(within),
        either=either,
        pred=tuple(_equal_pairs(within, score) for score in scores),
        human=_equal_pairs(within, human),
    )


def _equal_pairs(*keys: Floats) -> int:
    """Return the number of pairs of texts that are equal in every key."""
    code = np.zeros(keys[0].size, dtype=np.int64)
    for key in keys:  # one after the other: sorting numbers is far faster than sorting rows of them
        _, found = np.unique(key, return_inverse=True)
        _, code = np.unique(code * (found.max(initial=0) + 1) + found, return_inverse=True)
    counts = np.bincount(code)
    return int((counts * (counts - 1) // 2).sum())


@dataclass(frozen=True, slots=True)
class Basis:
    """The texts, groups and pairs that the figures rest on.

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
    """Figures of each predictor. `values` is (C, 4): the coefficients in the order of COEFFICIENTS, then the MAE. If
    the coefficients of any predictor are undefined they are NaN and `reason` says why; else `reason` is ""."""

    values: Floats
    reason: str
    basis: Basis


def estimate(table: ScoreTable, level: Level, constant: Constant = "skip") -> Estimates:
    """Return the figures at `level`. The table must have sources for per-source and systems for system.

    MAE is in points of the scale: the mean over the groups that the coefficients use (per source), over all texts
    (dataset), or of the systems' means (system).
    """
    if level == "per-source":
        return _per_source(table, constant)
    if level == "dataset":
        return _pool(table, table.scores, table.human, "texts")
    return _pool(table, *system_means(table), "systems")


def group_coefficients(scores: Floats, human: Floats, present: Bools) -> Floats:
    """Return (C, 3, G) coefficients, NaN where undefined, of predictors (C, G, K) on a grid."""
    weights = present.astype(np.float64)
    return np.stack([rowwise(score, human, weights) for score in scores])


def group_errors(grid: SourceGrid) -> Floats:
    """Return the (C, G) mean absolute error inside each group, 0 for an empty group."""
    distance = np.abs(grid.scores - grid.human) * grid.present
    return np.asarray(distance.sum(axis=2) / np.maximum(grid.present.sum(axis=1), 1))


def settle(coefficients: Floats, sizes: Floats, constant: Constant) -> tuple[Floats, Bools]:
    """Apply the choice on constant groups to (C, 3, ..., G) coefficients of groups with `sizes` (..., G) texts.

    Returns the coefficients, 0 where undefined, and (..., G) which groups count: those with two texts or more and,
    under `skip`, a coefficient for every predictor.
    """
    used = sizes >= 2
    if constant == "skip":
        used = used & ~np.isnan(coefficients).any(axis=(0, 1))
    return np.where(np.isnan(coefficients), 0.0, coefficients), used


def system_means(table: ScoreTable) -> tuple[Floats, Floats]:
    """Return (C, S) and (S,) means over each system's texts; systems without texts are left out."""
    assert table.system is not None
    counts = np.bincount(table.system, minlength=table.systems)
    columns = np.vstack([table.scores, table.human])
    sums = np.stack([np.bincount(table.system, weights=c, minlength=table.systems) for c in columns])
    means = rounded_means(sums[:, counts > 0] / counts[counts > 0])
    return means[:-1], means[-1]


def rounded_means(means: Floats) -> Floats:
    """Return means rounded to 12 digits, so that equal sums added in another order stay tied."""
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
    """Return one coefficient over texts or systems, predictors (C, M) and ratings (M,)."""
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


BLOCK = 2_048
"""Rows of the matrix of pairs that are in memory at once."""
CACHED = 150_000
"""Weights computed at once: arrays that fit the processor's cache are several times faster."""
TOO_MANY = 8_000
"""Above this number of distinct pairs of scores, sorting each resample is faster than the matrix of pairs."""

MOST_COUNTS = 20_000_000
"""Counts of texts by class and unit up to which the array is dense."""

Singles = NDArray[np.float32]


def is_slow(x: Floats, y: Floats) -> bool:
    """Return whether each resample has to be sorted: a thousand of them then take from ten seconds to minutes."""
    return x.size > TOO_MANY and np.unique(np.stack([x, y]), axis=1).shape[1] > TOO_MANY


def pooled(x: Floats, y: Floats, weights: Floats, unit: Ints | None = None) -> Floats:
    """Return (3, B) coefficients of x and y (N,) under weights (B, N), whole numbers from 0; NaN where a side is
    constant.

    unit: (N,) the column of `weights`, then (B, units), that holds a text's weight; None: each text has its own column.

    Inside, texts are sorted by x and arrays are (texts, B), so that a text's or class's row is contiguous.
    """
    x_values, x_code = np.unique(x, return_inverse=True)
    y_values, y_code = np.unique(y, return_inverse=True)
    cells, cell = np.unique(x_code * y_values.size + y_code, return_inverse=True)
    if cells.size > TOO_MANY:
        return _one_by_one(x, y, weights if unit is None else weights[:, unit])
    x_code, y_code = cells // y_values.size, cells % y_values.size
    x_scaled, y_scaled = (scaled(values - values.mean()) for values in (x_values, y_values))
    tally = None if unit is None else unit_counts(cell, cells.size, unit, weights.shape[1])
    light: Singles = np.empty((cells.size, weights.shape[0]), dtype=np.float32)
    pairs, parts = [], []
    step = max(1, CACHED // cells.size)
    for start in range(0, weights.shape[0], step):
        drawn = weights[start : start + step].T
        times = rows_by(cell, cells.size, drawn) if tally is None else tally @ drawn
        light[:, start : start + step] = times
        counts = rows_by(x_code, x_values.size, times), rows_by(y_code, y_values.size, times)
        pairs.append([times.sum(axis=0) ** 2 - np.einsum("ub,ub->b", count, count) for count in counts])
        pearson = _pearson(x_scaled[x_code], y_scaled[y_code], times)
        parts.append([_spearman(x_code, y_code, *counts, times), pearson])
    rho, pearson = np.concatenate(parts, axis=1)
    tau = ratio(_concordance(x_code, y_code, light), *np.concatenate(pairs, axis=1))
    return np.stack([np.where(np.isnan(tau), np.nan, c) for c in (rho, tau, pearson)])


def rows_by(code: Ints, classes: int, rows: Floats) -> Floats:
    """Return (classes, B) sums of the rows (N, B) of each class; every class has at least one row."""
    order = np.argsort(code, kind="stable")
    grouped = np.take(rows, order, axis=0) if np.any(order[1:] < order[:-1]) else rows
    if classes == code.size:
        return np.ascontiguousarray(grouped)
    starts = np.searchsorted(code[order], np.arange(classes))
    return np.asarray(np.add.reduceat(grouped, starts, axis=0))


def unit_counts(code: Ints, classes: int, unit: Ints, units: int) -> "Floats | csr_array":
    """Return (classes, units): how many texts of each unit are in each class; a sparse array if it is large."""
    if classes * units > MOST_COUNTS:
        from scipy.sparse import csr_array  # noqa: PLC0415 - seldom needed

        return csr_array((np.ones(code.size), (code, unit)), shape=(classes, units))
    counts = np.bincount(code * units + unit, minlength=classes * units)
    return counts.reshape(classes, units).astype(np.float64)


def mid_ranks(count: Floats) -> Floats:
    """Return (classes, B): twice the mid-rank of each class in order, less twice the mean rank."""
    return np.asarray(2 * np.cumsum(count, axis=0) - count - count.sum(axis=0))


def _concordance(x_code: Ints, y_code: Ints, light: Singles) -> Floats:
    """Return (B,) twice the weighted number of concordant less discordant pairs; whole numbers, exact in float32."""
    x_small, y_small = x_code.astype(np.int32), y_code.astype(np.int32)
    out = np.zeros(light.shape[1])
    for start in range(0, x_code.size, BLOCK):
        rows = slice(start, start + BLOCK)
        signs = np.sign(x_small[rows, None] - x_small) * np.sign(y_small[rows, None] - y_small)
        seen: Singles = signs.astype(np.float32) @ light
        out += np.einsum("ib,ib->b", seen, light[rows], dtype=np.float64)
    return out


def _spearman(x_code: Ints, y_code: Ints, x_count: Floats, y_count: Floats, times: Floats) -> Floats:
    x_rank, y_rank = mid_ranks(x_count), mid_ranks(y_count)
    x_spread, y_spread = (
        np.einsum("ub,ub,ub->b", count, rank, rank) for count, rank in ((x_count, x_rank), (y_count, y_rank))
    )
    cross = np.einsum("nb,nb,nb->b", times, np.take(x_rank, x_code, axis=0), np.take(y_rank, y_code, axis=0))
    return ratio(cross, x_spread, y_spread)


def _pearson(x: Floats, y: Floats, times: Floats) -> Floats:
    moments = np.stack([np.ones_like(x), x, y, x * x, y * y, x * y])
    n, sx, sy, sxx, syy, sxy = moments @ times
    return ratio(n * sxy - sx * sy, n * sxx - sx * sx, n * syy - sy * sy)


def _one_by_one(x: Floats, y: Floats, weights: Floats) -> Floats:
    times = weights.astype(np.int64)
    return np.stack([single(np.repeat(x, row), np.repeat(y, row)) for row in times], axis=1)
