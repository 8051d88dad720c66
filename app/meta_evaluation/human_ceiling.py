"""How well one person agrees with the others: what a judge can be expected to reach."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.meta_evaluation.choices import COEFFICIENTS, Coefficient, Constant, Level
from app.meta_evaluation.evaluation import evaluate
from app.meta_evaluation.score_matrix import Column, Floats


@dataclass(frozen=True, slots=True)
class Ceiling:
    """A coefficient of each rater with the mean of the other raters, and the mean over raters.

    `by_rater` is None where a rater has no coefficient; those are counted in `n_undefined`. `n` texts were compared
    on average over the raters that have one.
    """

    coefficient: Coefficient
    level: Level
    value: float | None
    by_rater: tuple[float | None, ...]
    n: int
    n_undefined: int
    reason: str = ""
    method: str = "leave one rater out"


def human_ceiling(
    ratings: Floats,
    *,
    group: Column | None = None,
    system: Column | None = None,
    level: Level = "per-source",
    constant: Constant = "skip",
) -> dict[Coefficient, Ceiling]:
    """`ratings` is (raters, texts), NaN where missing: each rater against the mean of the others, at `level`.

    The same levels and choices as for a judge, so that the two can be put side by side.
    """
    found = [
        evaluate(
            ratings[rater],
            _mean_of_others(ratings, rater),
            group=group,
            system=system,
            level=level,
            duplicates="keep",
            constant=constant,
            resamples=0,
        )
        for rater in range(ratings.shape[0])
    ]
    sizes = [result.basis.n for result in found if result.basis.n_used]
    n = round(float(np.mean(sizes))) if sizes else 0
    return {name: _ceiling(name, level, n, [result.figures[name].value for result in found]) for name in COEFFICIENTS}


def disagreement_strata(ratings: Floats, strata: int = 3) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """(texts,) stratum of each text from 0, the raters most at one, to `strata` - 1; -1 with fewer than two ratings.

    By the spread of its ratings. Texts with the same spread stay together, so strata can differ in size or be empty.
    """
    rated = (~np.isnan(ratings)).sum(axis=0) >= 2
    out = np.full(ratings.shape[1], -1, dtype=np.int64)
    if rated.any():
        spread = np.nanstd(ratings[:, rated], axis=0).round(12)
        limits = np.quantile(spread, np.arange(1, strata) / strata, method="inverted_cdf")
        out[rated] = np.searchsorted(limits, spread, side="left")
    return out


def _mean_of_others(ratings: Floats, rater: int) -> Floats:
    others = np.delete(ratings, rater, axis=0)
    counts = (~np.isnan(others)).sum(axis=0)
    return np.where(counts > 0, np.nansum(others, axis=0) / np.maximum(counts, 1), np.nan)


def _ceiling(name: Coefficient, level: Level, n: int, values: Sequence[float | None]) -> Ceiling:
    defined = [value for value in values if value is not None]
    lost = len(values) - len(defined)
    if len(values) < 2:
        return Ceiling(name, level, None, tuple(values), n, lost, "A ceiling needs at least two raters.")
    if not defined:
        return Ceiling(name, level, None, tuple(values), n, lost, "No rater has a coefficient with the others.")
    return Ceiling(name, level, float(np.mean(defined)), tuple(values), n, lost)
