"""Prediction-powered means: people's answers to some texts correct a judge's answers to all (PPI++).

Angelopoulos, Duchi and Zrnic 2023 (arXiv 2311.01453, section 6): theta = lambda * mean of the judge on the texts that
nobody answered + mean of (human - lambda * judge) on those that people did. lambda = 0 is people alone, 1 trusts the
judge as far as the original method does; the power tuning chooses the one with the least variance.

Texts drawn with unequal probabilities are weighed by one over theirs (Zrnic and Candes 2024, arXiv 2403.03208, section
5), with weights that add up to the number of texts (Hajek 1971). What was drawn so is no sample like the rest, so the
judge's mean on the rest becomes what its mean on all texts leaves for them once the drawn ones are weighed. With equal
probabilities every figure is that of the paper.
"""

from dataclasses import dataclass

import numpy as np

from app.meta_evaluation.judges.sums import Moments, Sums, share
from app.meta_evaluation.score_matrix import Floats


def tuned_weight(s: Sums) -> Floats:
    """(B,) lambda from 0 to 1: 0 where every row has a human value, or the judge always says the same."""
    rows, f, ff = s.even.n + s.others, s.even.f + s.g, s.even.ff + s.gg
    variance = share(ff - share(f * f, rows), rows - 1)
    parts = _parts(s)
    ratio = share(share(parts.both, s.even.n) * s.others, variance * parts.spread * rows)
    return np.clip(np.nan_to_num(ratio), 0.0, 1.0)


def powered_mean(s: Sums, weight: Floats) -> Floats:
    """(B,) theta; NaN where no row has a human value. With none left over it is the mean of people."""
    imputed = np.where(s.others > 0, weight * judged_rest(s), 0.0)
    weight = np.where(s.others > 0, weight, 0.0)
    return imputed + share(s.y - weight * s.f, s.n)


def judged_rest(s: Sums) -> Floats:
    """(B,) the judge's mean on the texts that nobody answered; NaN where there are none."""
    return share(s.g + (s.even.f - share(s.even.n, s.n) * s.f), s.others)


def powered_error(s: Sums, weight: Floats, more: int = 0) -> Floats:
    """(B,) standard error of theta where texts were drawn one by one (variances over n, as in ppi-python).

    With `more` of the others answered by people the variances are taken to stay what they are.
    """
    others = s.others - more
    imputed = np.where(others > 0, _variance(s.gg, s.g, s.others) * share(weight**2, others), 0.0)
    weight = np.where(others > 0, weight, 0.0)
    parts = _parts(s)
    left = share(np.maximum(parts.people - 2 * weight * parts.both + weight**2 * parts.judge, 0.0), s.even.n)
    return np.sqrt(imputed + share(left, s.even.n + more))


def rest_error(s: Sums) -> Floats:
    """(B,) standard error of the judge's mean on the answered rows less that on the rest."""
    return np.sqrt(share(_variance(s.gg, s.g, s.others), s.others) + share(_parts(s).judge, s.even.n**2))


def human_variance(s: Sums) -> Floats:
    """(B,) of the human values, over n."""
    return _variance(s.yy, s.y, s.n)


def even_rows(s: Sums) -> Floats:
    """(B,) how many rows drawn alike would tell as much about people's mean as the answered ones."""
    told = share(human_variance(s) * s.even.n**2, _parts(s).people)
    return np.where(np.isnan(told), share(s.n**2, s.squared.n), told)


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """(B,) of the answered rows: sums of squares and products of what each moves theta by, times n.

    A row of weight w moves it by w / n times its human value (`people`), and by (all * w - n) / (others * n) times
    lambda times its judge's (`judge`); `both` is of their products. `spread` is of the judge's values, weighed as the
    products are, over what it is where all were drawn alike.
    """

    people: Floats
    judge: Floats
    both: Floats
    spread: Floats


def _parts(s: Sums) -> Parts:
    y, f = share(s.y, s.n), share(s.f, s.n)
    n, rows, scale = s.even.n, s.even.n + s.others, share(s.even.n, s.n)
    yy, ff, yf = _central(s.squared, y, f)
    _, once_ff, once_yf = _central(s, y, f)
    _, even_ff, _ = _central(s.even, y, f)
    judge = (rows * scale) ** 2 * ff - 2 * rows * scale * n * once_ff + n**2 * even_ff
    spread = share(rows * scale**2 * ff - n * scale * once_ff, s.others)
    return Parts(
        people=np.maximum(scale**2 * yy, 0.0),
        judge=np.where(s.others > 0, np.maximum(share(judge, s.others**2), 0.0), 0.0),
        both=np.where(s.others > 0, share(rows * scale**2 * yf - n * scale * once_yf, s.others), 0.0),
        spread=share(spread, scale * once_ff),
    )


def _central(of: Moments, y: Floats, f: Floats) -> tuple[Floats, Floats, Floats]:
    """(B,) sums of squares of human values from `y`, of the judge's from `f`, and of their products."""
    return (
        of.yy - 2 * y * of.y + y * y * of.n,
        of.ff - 2 * f * of.f + f * f * of.n,
        of.yf - y * of.f - f * of.y + y * f * of.n,
    )


def _variance(squares: Floats, total: Floats, n: Floats) -> Floats:
    return np.maximum(share(squares, n) - share(total, n) ** 2, 0.0)
