"""Coefficients of one big pool of texts under many multiplicity weightings: the dataset level's bootstrap.

Texts with the same pair of scores are merged first: discrete scores shrink the pool several times at no loss. Where
whole sources or systems are drawn, their texts are counted once, so that no weight of a single text is ever written.
"""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from app.meta_evaluation.coefficients import ratio, scaled, single
from app.meta_evaluation.score_matrix import Floats, Ints

if TYPE_CHECKING:
    from scipy.sparse import csr_array

BLOCK = 2_048
"""Rows of the matrix of pairs that are in memory at once."""
CACHED = 150_000
"""Weights worked on at once: what fits the processor's cache is several times faster."""
TOO_MANY = 8_000
"""Above this number of distinct pairs of scores, sorting each resample is faster than the matrix of pairs."""

MOST_COUNTS = 20_000_000
"""Of texts by class and unit that are written down with their zeros."""

Singles = NDArray[np.float32]


def is_slow(x: Floats, y: Floats) -> bool:
    """Whether each resample has to be sorted: then a thousand of them take from ten seconds to minutes."""
    return x.size > TOO_MANY and np.unique(np.stack([x, y]), axis=1).shape[1] > TOO_MANY


def pooled(x: Floats, y: Floats, weights: Floats, unit: Ints | None = None) -> Floats:
    """(3, B) for x and y (N,) under weights (B, N), whole numbers from 0; NaN where a side is constant.

    unit: (N,) column of `weights`, then (B, units), that each text counts by; without it each has a column of its own.

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
    """(classes, B): the sums of the rows (N, B) of each class; every class has at least one."""
    order = np.argsort(code, kind="stable")
    grouped = np.take(rows, order, axis=0) if np.any(order[1:] < order[:-1]) else rows
    if classes == code.size:
        return np.ascontiguousarray(grouped)
    starts = np.searchsorted(code[order], np.arange(classes))
    return np.asarray(np.add.reduceat(grouped, starts, axis=0))


def unit_counts(code: Ints, classes: int, unit: Ints, units: int) -> "Floats | csr_array":
    """(classes, units): how many texts of each unit are of each class; where these are many, without the zeros."""
    if classes * units > MOST_COUNTS:
        from scipy.sparse import csr_array  # noqa: PLC0415 - seldom needed

        return csr_array((np.ones(code.size), (code, unit)), shape=(classes, units))
    counts = np.bincount(code * units + unit, minlength=classes * units)
    return counts.reshape(classes, units).astype(np.float64)


def mid_ranks(count: Floats) -> Floats:
    """(classes, B): twice the mid-rank of each class in order, less twice the mean rank."""
    return np.asarray(2 * np.cumsum(count, axis=0) - count - count.sum(axis=0))


def _concordance(x_code: Ints, y_code: Ints, light: Singles) -> Floats:
    """(B,) twice the weighted number of concordant less discordant pairs; whole numbers, exact in float32."""
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
