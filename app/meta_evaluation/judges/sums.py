"""Sums over rows with a judge's value and, for some, a human one: what every estimate needs, also of resamples."""

from dataclasses import dataclass

import numpy as np

from app.meta_evaluation.resampling import draw_counts
from app.meta_evaluation.score_matrix import Floats, Ints

CELLS = 10_000_000
"""Resamples times units in memory at once: 80 MB."""


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


def sums(judge: Floats, human: Floats) -> Sums:
    """Of all rows (N,), `human` NaN where nobody answered."""
    return Sums(*_addends(judge, human).sum(axis=1)[:, None])


def resampled_sums(judge: Floats, human: Floats, unit: Ints, resamples: int, seed: int) -> Sums:
    """Of resamples that draw whole units; `unit` (N,) is a code from 0."""
    return Sums(*resampled(_addends(judge, human), unit, resamples, seed))


def resampled(addends: Floats, unit: Ints, resamples: int, seed: int) -> Floats:
    """(K, B) sums of (K, N) addends over resamples that draw whole units with replacement, some at a time in memory."""
    rng, units = np.random.default_rng(seed), int(unit.max()) + 1
    by_unit = np.stack([np.bincount(unit, weights=row, minlength=units) for row in addends])
    at_once = max(CELLS // units, 1)
    parts = [
        by_unit @ draw_counts(unit, units, min(at_once, resamples - done), rng).T
        for done in range(0, resamples, at_once)
    ]
    return np.concatenate(parts, axis=1) if parts else np.empty((len(addends), 0))


def _addends(judge: Floats, human: Floats) -> Floats:
    known = ~np.isnan(human)
    y, f, g = np.where(known, human, 0.0), np.where(known, judge, 0.0), np.where(known, 0.0, judge)
    return np.stack([known, y, f, y * y, f * f, y * f, ~known, g, g * g]).astype(np.float64)


def share(part: Floats, whole: Floats) -> Floats:
    """part / whole, NaN where there is no whole."""
    divided: Floats = np.divide(part, whole, out=np.full(np.shape(whole), np.nan), where=whole > 0)
    return divided
