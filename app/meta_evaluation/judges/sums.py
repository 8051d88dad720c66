"""Sums over rows with a judge's value and, for some, a human one: what every estimate needs, also of resamples."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from app.errors import InputError
from app.meta_evaluation.resampling import draw_counts
from app.meta_evaluation.score_matrix import Floats, Ints

CELLS = 10_000_000
"""Resamples times units in memory at once: 80 MB."""
KEPT = 2_000_000
"""Resamples times units that are kept for the next estimate: 16 MB."""


@dataclass(frozen=True, slots=True, eq=False)
class Moments:
    """Each is (B,), over B resamples or the data themselves, of the rows with both values, each row times its weight.

    `n` is the sum of weights; `y` and `f` are the human and the judge's values, `yy` is the sum of squares of `y`, and
    so on.
    """

    n: Floats
    y: Floats
    f: Floats
    yy: Floats
    ff: Floats
    yf: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Sums(Moments):
    """Of rows weighed by one over the probability of being answered by people; the weights' mean is 1.

    `even` are the same rows, each counted once, `squared` each times the square of its weight: the same sums where all
    rows were drawn alike. Of the `others`, which have the judge's value alone, `g` is the sum and `gg` that of squares.
    """

    even: Moments
    squared: Moments
    others: Floats
    g: Floats
    gg: Floats


def sums(judge: Floats, human: Floats, weight: Floats | None = None) -> Sums:
    """Of all rows (N,), `human` NaN where nobody answered; `weight` (N,) as of `drawn_weights`."""
    return _of(_addends(judge, human, weight).sum(axis=1)[:, None])


def resampled_sums(
    judge: Floats,
    human: Floats,
    unit: Ints,
    resamples: int,
    seed: int,
    weight: Floats | None = None,
    among: Ints | None = None,
) -> Sums:
    """Of resamples that draw whole units; `unit` (N,) is a code from 0.

    `among`: all codes to draw from, where these rows lack some; for other rows the same ones are then drawn.
    """
    return _of(resampled(_addends(judge, human, weight), unit, resamples, seed, among))


def drawn_weights(human: Floats, probability: Floats) -> Floats:
    """(N,) one over the `probability` of being answered by people, scaled to a mean of 1; 0 where nobody answered.

    Raises:
        InputError: naming the first answered row (from 1) whose probability isn't above 0 and at most 1.
    """
    known = ~np.isnan(human)
    wrong = known & ~((probability > 0) & (probability <= 1))
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        said = "none" if np.isnan(probability[row]) else f"{probability[row]:g}"
        raise InputError(
            f"Row {row + 1} has an answer of people, and {said} as its probability of being drawn for them.",
            "Give each row that people answered a probability above 0 and at most 1.",
        )
    weight = np.divide(1.0, probability, out=np.zeros(human.size), where=known)
    scaled: Floats = weight * (known.sum() / max(weight.sum(), 1.0))
    return scaled


def resampled(addends: Floats, unit: Ints, resamples: int, seed: int, among: Ints | None = None) -> Floats:
    """(K, B) sums of (K, N) addends over resamples that draw whole units with replacement, some at a time in memory."""
    pool = unit if among is None else among
    rng, units = np.random.default_rng(seed), int(pool.max()) + 1
    by_unit = np.stack([np.bincount(unit, weights=row, minlength=units) for row in addends])
    if resamples * units <= min(KEPT, CELLS) and np.bincount(pool).all():
        return by_unit @ _kept_draws(units, resamples, seed).T
    at_once = max(CELLS // units, 1)
    parts = [
        by_unit @ draw_counts(pool, units, min(at_once, resamples - done), rng).T
        for done in range(0, resamples, at_once)
    ]
    return np.concatenate(parts, axis=1) if parts else np.empty((len(addends), 0))


@lru_cache(maxsize=4)  # each question of a checklist, and both sides of a difference, draw the same documents
def _kept_draws(units: int, resamples: int, seed: int) -> Floats:
    """(B, units) counts where every unit has a row."""
    counts = draw_counts(np.arange(units), units, resamples, np.random.default_rng(seed))
    counts.flags.writeable = False
    return counts


def _addends(judge: Floats, human: Floats, weight: Floats | None) -> Floats:
    known = ~np.isnan(human)
    y, f, g = np.where(known, human, 0.0), np.where(known, judge, 0.0), np.where(known, 0.0, judge)
    even = np.stack([known, y, f, y * y, f * f, y * f]).astype(np.float64)
    weighed = [] if weight is None else [even * weight, even * weight**2]
    return np.concatenate([np.stack([~known, g, g * g]), even, *weighed])


def _of(rows: Floats) -> Sums:
    others, even, squared = rows[:3], rows[3:9], rows[-6:]
    weighed = even if len(rows) == 9 else rows[9:15]
    return Sums(*[*weighed, Moments(*even), Moments(*squared), *others])


def share(part: Floats, whole: Floats) -> Floats:
    """part / whole, NaN where there is no whole."""
    divided: Floats = np.divide(part, whole, out=np.full(np.shape(whole), np.nan), where=whole > 0)
    return divided
