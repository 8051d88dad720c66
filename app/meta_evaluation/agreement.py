"""Do raters agree with each other? Human agreement bounds what any judge can reach.

Ratings are (raters, units) with NaN where a rater skipped a unit. Every result is None, with a reason, where it is
undefined: too few raters, nothing rated twice, or no variation that chance could have produced.
"""

from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np

from app.meta_evaluation.coefficients import single
from app.meta_evaluation.score_matrix import Floats

Metric = Literal["nominal", "ordinal", "interval"]

NO_VARIATION = "All ratings are the same, so agreement beyond chance can't be told."
NOTHING_SHARED = "No unit has two ratings, so nothing can be compared."


@dataclass(frozen=True, slots=True)
class Agreement:
    """An agreement coefficient over `n` units that at least two of `raters` rated; `n_undefined` units were not."""

    method: str
    value: float | None
    n: int
    n_undefined: int
    raters: int
    reason: str = ""


def krippendorff_alpha(ratings: Floats, metric: Metric = "interval") -> Agreement:
    """1 - observed / expected disagreement; any number of raters, missing ratings allowed (Krippendorff 2011).

    Disagreement is 1 for different values (nominal), the squared difference (interval), or the squared number of
    ratings that lie between two values (ordinal).
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
    coincidence = (counts / (counts.sum(axis=1, keepdims=True) - 1)).T @ counts
    coincidence -= np.diag((counts / (counts.sum(axis=1, keepdims=True) - 1)).sum(axis=0))
    totals = coincidence.sum(axis=0)
    distance = _distance(values, totals, metric)
    expected = float(totals @ distance @ totals) / (totals.sum() - 1)
    return Agreement(method, 1 - float((coincidence * distance).sum()) / float(expected), n, lost, raters)


def cohen_kappa(first: Floats, second: Floats) -> Agreement:
    """Agreement of two raters on categories beyond chance, each with their own habits (Cohen 1960)."""
    method = "Cohen's kappa"
    both = ~np.isnan(first) & ~np.isnan(second)
    n, lost = int(both.sum()), int((~both).sum())
    if n == 0:
        return Agreement(method, None, 0, lost, 2, NOTHING_SHARED)
    a, b = first[both], second[both]
    categories = np.union1d(a, b)
    share_a, share_b = ((side[:, None] == categories).mean(axis=0) for side in (a, b))
    chance = float(share_a @ share_b)
    if categories.size == 1:
        return Agreement(method, None, n, lost, 2, NO_VARIATION)
    return Agreement(method, (float((a == b).mean()) - chance) / (1 - chance), n, lost, 2)


def fleiss_kappa(ratings: Floats) -> Agreement:
    """Agreement of several raters on categories beyond chance (Fleiss 1971).

    Needs the same number of ratings a unit: units with fewer than the fullest are left out and counted.
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
    by_pair: dict[tuple[int, int], float]
    reason: str = ""
    method: str = "mean pairwise Spearman"


def pairwise_correlation(ratings: Floats) -> PairwiseCorrelation:
    """Every pair of raters, by their row in `ratings`."""
    by_pair: dict[tuple[int, int], float] = {}
    undefined = 0
    for i, j in combinations(range(ratings.shape[0]), 2):
        both = ~np.isnan(ratings[i]) & ~np.isnan(ratings[j])
        rho = float(single(ratings[i, both], ratings[j, both])[0]) if both.sum() >= 3 else np.nan
        if np.isnan(rho):
            undefined += 1
        else:
            by_pair[i, j] = rho
    if not by_pair:
        reason = "No two raters share three units on which both vary."
        return PairwiseCorrelation(None, 0, undefined, {}, reason)
    return PairwiseCorrelation(float(np.mean(list(by_pair.values()))), len(by_pair), undefined, by_pair)


def _distance(values: Floats, totals: Floats, metric: Metric) -> Floats:
    """(V, V) disagreement of the sorted `values`, which occur `totals` times."""
    if metric == "nominal":
        return 1.0 - np.eye(values.size)
    if metric == "interval":
        return np.asarray((values[:, None] - values) ** 2)
    middle = np.cumsum(totals) - totals / 2
    return np.asarray((middle[:, None] - middle) ** 2)
