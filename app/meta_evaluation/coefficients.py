"""Spearman's rho, Kendall's tau-b and Pearson's r of many small groups at once, with multiplicity weights.

A bootstrap resample is a vector of multiplicities, so every coefficient is written as a weighted sum over pairs of
texts (Daniels 1944): with a_ij = sign(x_i - x_j), b_ij likewise,

    tau-b = sum w_i w_j a_ij b_ij / sqrt(sum w_i w_j a_ij^2 * sum w_i w_j b_ij^2)

Pearson's r is the same with plain differences instead of signs. A text's mid-rank among the drawn texts, less the
mean rank, is half of sum_j w_j a_ij, which gives Spearman's rho without sorting. Pair counts are whole numbers, so
"constant" is exact and never a matter of rounding. All functions return arrays whose first axis is COEFFICIENTS, NaN
where either side is constant.
"""

import numpy as np
from scipy import stats

from app.meta_evaluation.score_matrix import Bools, Floats

CHUNK = 4_000_000
"""Numbers in a temporary array before work is cut into pieces: about 32 MB each."""
WIDEST = 256
"""Groups with more texts than this are computed one by one: the pairs of a group would no longer fit a chunk."""


def ratio(numerator: Floats, left: Floats, right: Floats) -> Floats:
    """numerator / sqrt(left * right) within [-1, 1]; NaN where a spread is 0.

    One root of the product, so that perfect agreement is exactly 1. Spreads are of scaled values: no overflow.
    """
    defined = (left > 0) & (right > 0)
    root = np.sqrt(np.where(defined, left * right, 1.0))
    return np.where(defined, np.clip(numerator / root, -1.0, 1.0), np.nan)


def scaled(values: Floats) -> Floats:
    """Each row divided by its largest magnitude, so that squares neither overflow nor vanish."""
    largest = np.abs(values).max(axis=-1, keepdims=True, initial=0.0)
    return values / np.where(largest > 0, largest, 1.0)


def single(x: Floats, y: Floats) -> Floats:
    """(3,) of one unweighted group of any size, in n log n."""
    if x.size < 2 or np.all(x == x[0]) or np.all(y == y[0]):
        return np.full(3, np.nan)
    tau = float(stats.kendalltau(x, y).statistic)
    rho = _moment(stats.rankdata(x), stats.rankdata(y))
    return np.array([rho, tau, _moment(scaled(x), scaled(y))])


def rowwise(x: Floats, y: Floats, weights: Floats) -> Floats:
    """(3, R): a coefficient for each row of x, y and weights, all (R, K)."""
    rows, width = x.shape
    if width > WIDEST:
        return np.stack([_weighted_single(*row) for row in zip(x, y, weights, strict=True)], axis=1)
    step = max(1, CHUNK // max(width * width, 1))
    parts = [_rowwise(x[i : i + step], y[i : i + step], weights[i : i + step]) for i in range(0, rows, step)]
    return np.concatenate(parts, axis=1) if parts else np.empty((3, 0))


def crosswise(x: Floats, y: Floats, present: Bools, weights: Floats) -> Floats:
    """(3, J, I): each of I groups, x, y and present (I, K), under each of J weightings (J, K) of its slots.

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
    """(J, I). Ranks of all groups under all weightings come from one matrix product a side."""
    groups, width = x.shape
    both = (present[:, :, None] & present[:, None, :]).astype(np.float64)

    def ranks(values: Floats) -> Floats:
        signs = np.sign(values[:, :, None] - values[:, None, :]) * both
        return (weights @ signs.reshape(-1, width).T).reshape(-1, groups, width)

    rank_x, rank_y = ranks(x), ranks(y)

    def over_texts(a: Floats, b: Floats) -> Floats:
        return np.asarray(np.matmul(a * b, weights[:, :, None])[:, :, 0])

    return ratio(over_texts(rank_x, rank_y), over_texts(rank_x, rank_x), over_texts(rank_y, rank_y))
