"""Prediction-powered means: people's answers to some texts correct a judge's answers to all (PPI++).

Angelopoulos, Duchi and Zrnic 2023 (arXiv 2311.01453, section 6): theta = lambda * mean of the judge on the texts that
nobody answered + mean of (human - lambda * judge) on those that people did. lambda = 0 is people alone, 1 trusts the
judge as far as the original method does; the power tuning chooses the one with the least variance.
"""

import numpy as np

from app.meta_evaluation.judges.sums import Sums, share
from app.meta_evaluation.score_matrix import Floats


def tuned_weight(s: Sums) -> Floats:
    """(B,) lambda from 0 to 1: 0 where every row has a human value, or the judge always says the same."""
    covariance = share(s.yf, s.n) - share(s.y, s.n) * share(s.f, s.n)
    rows, f, ff = s.n + s.others, s.f + s.g, s.ff + s.gg
    variance = share(ff - share(f * f, rows), rows - 1)
    ratio = share(covariance * s.others, variance * (s.others + s.n))
    return np.clip(np.nan_to_num(ratio), 0.0, 1.0)


def powered_mean(s: Sums, weight: Floats) -> Floats:
    """(B,) theta; NaN where no row has a human value. With none left over it is the mean of people."""
    imputed = np.where(s.others > 0, weight * share(s.g, s.others), 0.0)
    weight = np.where(s.others > 0, weight, 0.0)
    return imputed + share(s.y - weight * s.f, s.n)


def powered_error(s: Sums, weight: Floats, more: int = 0) -> Floats:
    """(B,) standard error of theta where texts were drawn one by one (variances over n, as in ppi-python).

    With `more` of the others answered by people the variances are taken to stay what they are.
    """
    others = s.others - more
    imputed = np.where(others > 0, _variance(s.gg, s.g, s.others) * share(weight**2, others), 0.0)
    weight = np.where(others > 0, weight, 0.0)
    left = s.yy - 2 * weight * s.yf + weight**2 * s.ff
    return np.sqrt(imputed + share(_variance(left, s.y - weight * s.f, s.n), s.n + more))


def human_variance(s: Sums) -> Floats:
    """(B,) of the human values, over n."""
    return _variance(s.yy, s.y, s.n)


def _variance(squares: Floats, total: Floats, n: Floats) -> Floats:
    return np.maximum(share(squares, n) - share(total, n) ** 2, 0.0)
