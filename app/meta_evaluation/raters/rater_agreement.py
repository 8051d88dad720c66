"""Agreement between raters, which limits what a judge can reach.

Ratings are (raters, units) with NaN where a rater skipped a unit. A result is None, with a reason, where it is
undefined: too few raters, no unit rated twice, or ratings that are all the same.
"""

from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np

from app.meta_evaluation.bootstrap import CONFIDENCE, count_parts
from app.meta_evaluation.correlation import single
from app.meta_evaluation.score_matrix import Column, Floats, Ints

Metric = Literal["nominal", "ordinal", "interval"]

# Distinct values: the sums of their pairs are fewer than the numbers for each unit then.
FEW = 12

NO_VARIATION = "All ratings are the same, so agreement beyond chance can't be told."
NOTHING_SHARED = "No text has two ratings or answers, so nothing can be compared."


@dataclass(frozen=True, slots=True)
class Agreement:
    """An agreement coefficient over `n` units that at least two of `raters` rated; `n_undefined` units were not.

    `low` and `high` are the ends of its 95 % bootstrap interval, where one was asked for and exists.
    """

    method: str
    value: float | None
    n: int
    n_undefined: int
    raters: int
    reason: str = ""
    low: float | None = None
    high: float | None = None


def krippendorff_alpha(
    ratings: Floats, metric: Metric = "interval", *, group: Column | None = None, resamples: int = 0, seed: int = 0
) -> Agreement:
    """Return 1 - observed / expected disagreement; any number of raters, missing ratings allowed (Krippendorff 2011).

    Disagreement is 1 for different values (nominal), the squared difference (interval), or the squared number of
    ratings that lie between two values (ordinal). Resamples draw whole groups (sources), or units without `group`.
    """
    method = f"Krippendorff's alpha, {metric}"
    rated = ~np.isnan(ratings)
    usable = rated.sum(axis=0) >= 2
    n, lost, raters = int(usable.sum()), int((~usable).sum()), ratings.shape[0]
    if n == 0:
        return Agreement(method, None, 0, lost, raters, NOTHING_SHARED)
    units, present = ratings[:, usable], rated[:, usable]
    values, code = np.unique(units[present], return_inverse=True)
    if values.size == 1:
        return Agreement(method, None, n, lost, raters, NO_VARIATION)
    counts = np.zeros((n, values.size))
    np.add.at(counts, (np.nonzero(present)[1], code), 1)
    owner = np.arange(n) if group is None else _codes(group)[usable]
    given = _CountedRatings(counts, values - values.mean(), owner)
    value = float(_alphas(given, np.ones((1, given.owners)), metric)[0])
    each = n if metric == "ordinal" and values.size > FEW else 1
    parts = count_parts(owner, given.owners, resamples, np.random.default_rng(seed), each=each)
    alphas = [_alphas(given, part, metric) for part in parts]
    drawn = np.concatenate(alphas) if alphas else np.zeros(0)
    low, high = _ends(drawn, np.unique(owner).size)
    return Agreement(method, value, n, lost, raters, low=low, high=high)


def cohen_kappa(first: Floats, second: Floats, *, resamples: int = 0, seed: int = 0) -> Agreement:
    """Return the agreement of two raters on categories beyond chance, each with own rates of them (Cohen 1960)."""
    method = "Cohen's kappa"
    both = ~np.isnan(first) & ~np.isnan(second)
    n, lost = int(both.sum()), int((~both).sum())
    if n == 0:
        return Agreement(method, None, 0, lost, 2, NOTHING_SHARED)
    categories, code = np.unique(np.stack([first[both], second[both]]), return_inverse=True)
    if categories.size == 1:
        return Agreement(method, None, n, lost, 2, NO_VARIATION)
    a, b = (np.eye(categories.size)[row] for row in code.reshape(2, n))
    value = float(_cohen(a, b, np.ones((1, n)))[0])
    parts = count_parts(np.arange(n), n, resamples, np.random.default_rng(seed), each=n)
    kappas = [_cohen(a, b, part) for part in parts]
    drawn = np.concatenate(kappas) if kappas else np.zeros(0)
    low, high = _ends(drawn, n)
    return Agreement(method, value, n, lost, 2, low=low, high=high)


def fleiss_kappa(ratings: Floats) -> Agreement:
    """Return the agreement of several raters on categories beyond chance (Fleiss 1971).

    It needs the same number of ratings a unit: units with fewer than the maximum are left out and counted.
    """
    method = "Fleiss' kappa"
    rated = (~np.isnan(ratings)).sum(axis=0)
    raters = int(rated.max(initial=0))
    usable = rated == raters
    n, lost = int(usable.sum()), int((~usable).sum())
    if raters < 2:
        return Agreement(method, None, 0, ratings.shape[1], ratings.shape[0], NOTHING_SHARED)
    units = ratings[:, usable]
    categories = np.unique(units[~np.isnan(units)])
    if categories.size == 1:
        return Agreement(method, None, n, lost, raters, NO_VARIATION)
    counts = (units[:, :, None] == categories).sum(axis=0).astype(np.float64)
    observed = float(((counts**2).sum(axis=1) - raters).mean()) / (raters * (raters - 1))
    share = counts.mean(axis=0) / raters
    chance = float(share @ share)
    return Agreement(method, (observed - chance) / (1 - chance), n, lost, raters)


@dataclass(frozen=True, slots=True)
class PairwiseCorrelation:
    """Mean Spearman's rho over pairs of raters, each over the units both rated.

    `pairs` have a coefficient; `n_undefined` pairs don't: fewer than three units in common, or a constant rater.
    """

    value: float | None
    pairs: int
    n_undefined: int
    reason: str = ""
    method: str = "mean pairwise Spearman"


def pairwise_correlation(ratings: Floats) -> PairwiseCorrelation:
    """Return the mean correlation over every pair of raters, the rows of `ratings`."""
    defined: list[float] = []
    undefined = 0
    for i, j in combinations(range(ratings.shape[0]), 2):
        both = ~np.isnan(ratings[i]) & ~np.isnan(ratings[j])
        rho = float(single(ratings[i, both], ratings[j, both])[0]) if both.sum() >= 3 else np.nan
        if np.isnan(rho):
            undefined += 1
        else:
            defined.append(rho)
    if not defined:
        reason = "No two raters share three texts on which both vary."
        return PairwiseCorrelation(None, 0, undefined, reason)
    return PairwiseCorrelation(float(np.mean(defined)), len(defined), undefined)


def _cohen(a: Floats, b: Floats, times: Floats) -> Floats:
    """Return (B,) kappa with unit u counted times[b, u] times; `a` and `b` are (units, categories) with one 1 a row."""
    total = times.sum(axis=1)
    same = times @ (a * b).sum(axis=1) / total
    chance = np.einsum("bk,bk->b", times @ a, times @ b) / total**2
    told = chance < 1
    return np.where(told, (same - chance) / np.where(told, 1 - chance, 1.0), np.nan)


@dataclass(frozen=True, slots=True, eq=False)
class _CountedRatings:
    """Ratings as (units, V) `counts` of the sorted `values`, and each unit's `owner`, the group that resamples draw."""

    counts: Floats
    values: Floats
    owner: Ints

    @property
    def owners(self) -> int:
        return int(self.owner.max()) + 1

    def summed(self, numbers: Floats) -> Floats:
        """Return (owners,) sums of one number a unit."""
        return np.bincount(self.owner, numbers).astype(np.float64)


def _alphas(given: _CountedRatings, drawn: Floats, metric: Metric) -> Floats:
    """Return (B,) alpha with the units of owner g counted drawn[b, g] times; NaN if the ratings don't vary.

    A pair of ratings disagrees by its squared distance on a line; the sum over all pairs of a unit with m ratings is 2
    (m sum of squares - square of sum). Nominal disagreement counts the unequal pairs. For ordinal disagreement the
    values' places on the line depend on the resample.
    """
    counts = given.counts
    size = counts.sum(axis=1)
    totals = drawn @ np.stack([given.summed(column) for column in counts.T], axis=1)
    everything = totals.sum(axis=1)
    if metric == "ordinal":
        place = np.cumsum(totals, axis=1) - (totals + everything[:, None]) / 2
        observed = 2 * (_apart_of_few(given, drawn, place) if len(given.values) <= FEW else _apart(given, drawn, place))
        expected = 2 * (everything * (totals * place**2).sum(axis=1) - (totals * place).sum(axis=1) ** 2)
    elif metric == "interval":
        within = size * (counts @ given.values**2) - (counts @ given.values) ** 2
        observed = 2 * (drawn @ given.summed(within / (size - 1)))
        expected = 2 * (everything * (totals @ given.values**2) - (totals @ given.values) ** 2)
    else:
        observed = drawn @ given.summed((size**2 - (counts**2).sum(axis=1)) / (size - 1))
        expected = everything**2 - (totals**2).sum(axis=1)
    varied = (totals > 0).sum(axis=1) > 1
    chance = np.where(varied, expected, 1.0) / np.maximum(everything - 1, 1)
    return np.where(varied, 1 - observed / chance, np.nan)


def _apart(given: _CountedRatings, drawn: Floats, place: Floats) -> Floats:
    """Return (B,) sums over units of m sum of squares - square of sum, over m - 1, with values at (B, V) `place`."""
    counts, size = given.counts, given.counts.sum(axis=1)
    within = size[:, None] * (counts @ (place**2).T) - (counts @ place.T) ** 2
    apart: Floats = np.einsum("bu,ub->b", drawn[:, given.owner], within / (size[:, None] - 1))
    return apart


def _apart_of_few(given: _CountedRatings, drawn: Floats, place: Floats) -> Floats:
    """Return the sums of `_apart` from V and V x V sums an owner, without numbers for each unit and resample."""
    counts, size = given.counts, given.counts.sum(axis=1)
    shares = counts / (size[:, None] - 1)
    squares = drawn @ np.stack([given.summed(size * share) for share in shares.T], axis=1)
    pairs = [given.summed(one * share) for one in counts.T for share in shares.T]
    products = (drawn @ np.stack(pairs, axis=1)).reshape(-1, len(given.values), len(given.values))
    apart: Floats = (squares * place**2).sum(axis=1) - np.einsum("bv,bvw,bw->b", place, products, place)
    return apart


def _ends(drawn: Floats, units: int) -> tuple[float | None, float | None]:
    """Return the ends of the central 95 %; None with fewer than two units, or if most resamples have no figure."""
    known = drawn[~np.isnan(drawn)]
    if units < 2 or known.size * 2 <= drawn.size or not known.size:
        return None, None
    low, high = np.quantile(known, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return float(low), float(high)


def _codes(group: Column) -> Ints:
    cells = group.tolist() if isinstance(group, np.ndarray) else list(group)
    seen: dict[object, int] = {}
    return np.array([seen.setdefault(cell, len(seen)) for cell in cells], dtype=np.int64)
