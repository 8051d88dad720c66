"""Ends of 95 % intervals: around an error, of a share, of resamples."""

from statistics import NormalDist

import numpy as np

from app.meta_evaluation.score_matrix import Floats

Ends = tuple[float, float]
Z = NormalDist().inv_cdf(0.975)


def around(value: float, error: float) -> Ends:
    """By the normal distribution."""
    return value - Z * error, value + Z * error


def wilson(count: float, rows: float) -> Ends:
    """Of the share `count` of `rows` (Wilson 1927): also 0 of 20 has a width. Weighted rows need be no whole number."""
    rate, square = count / rows, Z * Z / rows
    middle, reach = rate + square / 2, np.sqrt(square * (rate * (1 - rate) + square / 4))
    low = 0.0 if count <= 0 else float((middle - reach) / (1 + square))
    high = 1.0 if count >= rows else float((middle + reach) / (1 + square))
    return low, high


def percentiles(values: Floats) -> Ends:
    """Of resamples, one or more of them."""
    low, high = np.quantile(values, [0.025, 0.975])
    return float(low), float(high)


def by_document(value: float, values: Floats, documents: int) -> Ends | None:
    """The resamples' standard error times Student's t with `documents` less one degrees of freedom.

    None where one document can't show how documents differ, or more resamples lack the figure (NaN) than have it.
    """
    defined = values[~np.isnan(values)]
    if documents < 2 or defined.size * 2 < values.size or not defined.size:
        return None
    from scipy import stats  # noqa: PLC0415 - a second of every start that only draws texts for people

    reach = float(stats.t.ppf(0.975, documents - 1) * defined.std() * np.sqrt(documents / (documents - 1)))
    return value - reach, value + reach
