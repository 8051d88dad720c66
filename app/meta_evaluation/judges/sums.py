"""Sums over rows with a judge's value and, for some, a human one: what every estimate needs, also of resamples."""

from dataclasses import dataclass

import numpy as np

from app.meta_evaluation.score_matrix import Floats, Ints


@dataclass(frozen=True, slots=True, eq=False)
class Sums:
    """Each is (B,), over B resamples or the data themselves. n rows have both values, `others` the judge's alone.

    `y` and `f` are the human and the judge's values of the n rows, `g` the judge's of the others; `yy` is the sum of
    squares of `y`, and so on.
    """

    n: Floats
    y: Floats
    f: Floats
    yy: Floats
    ff: Floats
    yf: Floats
    others: Floats
    g: Floats
    gg: Floats


def sums(judge: Floats, human: Floats, unit: Ints | None = None, counts: Floats | None = None) -> Sums:
    """Of all rows (N,), `human` NaN where nobody answered; or under `counts` (B, units) of the `unit` of each row."""
    known = ~np.isnan(human)
    y, f, g = np.where(known, human, 0.0), np.where(known, judge, 0.0), np.where(known, 0.0, judge)
    rows = np.stack([known, y, f, y * y, f * f, y * f, ~known, g, g * g]).astype(np.float64)
    if unit is None or counts is None:
        return Sums(*rows.sum(axis=1)[:, None])
    by_unit = np.stack([np.bincount(unit, weights=row, minlength=counts.shape[1]) for row in rows])
    return Sums(*(by_unit @ counts.T))


def share(part: Floats, whole: Floats) -> Floats:
    """part / whole, NaN where there is no whole."""
    divided: Floats = np.divide(part, whole, out=np.full(np.shape(whole), np.nan), where=whole > 0)
    return divided
