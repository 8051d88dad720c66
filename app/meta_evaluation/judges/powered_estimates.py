"""Shares corrected by people's answers: prediction-powered and Rogan-Gladen estimates, with intervals."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist

import numpy as np

from app.errors import InputError
from app.meta_evaluation.bootstrap import draw_counts
from app.meta_evaluation.score_matrix import Correction, Floats, Ints

CELLS = 10_000_000
"""Most resamples times units in memory at once: 80 MB."""
KEPT = 2_000_000
"""Most resamples times units that are cached for the next estimate: 16 MB."""


@dataclass(frozen=True, slots=True, eq=False)
class Moments:
    """Weighted sums (B,) over the rows with both values, for B resamples or the data themselves.

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
    """Sums over rows weighted by one over the probability of being answered by people; the weights' mean is 1.

    `even` holds the same sums with each row counted once, `squared` with the squares of the weights; all three are
    equal if all rows were drawn alike. Of the `others`, which have the judge's value alone, `g` is the sum and `gg`
    that of squares.
    """

    even: Moments
    squared: Moments
    others: Floats
    g: Floats
    gg: Floats


def sums(judge: Floats, human: Floats, weight: Floats | None = None) -> Sums:
    """Return the sums over all rows (N,), `human` NaN where nobody answered; `weight` (N,) from `drawn_weights`."""
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
    """Return the sums of resamples that draw whole units; `unit` (N,) is a code from 0.

    `among`: all codes to draw from, if these rows lack some; other rows with the same codes then get the same draws.
    """
    return _of(resampled(_addends(judge, human, weight), unit, resamples, seed, among))


def drawn_weights(human: Floats, probability: Floats) -> Floats:
    """Return (N,) one over the `probability` of being answered by people, scaled to a mean of 1; 0 where nobody
    answered.

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
    """Return (K, B) sums of (K, N) addends over resamples that draw whole units with replacement, computed in parts."""
    pool = unit if among is None else among
    rng, units = np.random.default_rng(seed), int(pool.max()) + 1
    by_unit = np.stack([np.bincount(unit, weights=row, minlength=units) for row in addends])
    if resamples * units <= min(KEPT, CELLS) and np.bincount(pool).all():
        return by_unit @ _cached_draws(units, resamples, seed).T
    at_once = max(CELLS // units, 1)
    parts = [
        by_unit @ draw_counts(pool, units, min(at_once, resamples - done), rng).T
        for done in range(0, resamples, at_once)
    ]
    return np.concatenate(parts, axis=1) if parts else np.empty((len(addends), 0))


@lru_cache(maxsize=4)  # each question of a checklist, and both sides of a difference, draw the same documents
def _cached_draws(units: int, resamples: int, seed: int) -> Floats:
    """Return (B, units) counts, cached, of draws in which every unit has a row."""
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
    """Return part / whole, NaN where `whole` is 0."""
    divided: Floats = np.divide(part, whole, out=np.full(np.shape(whole), np.nan), where=whole > 0)
    return divided


def tuned_weight(s: Sums) -> Floats:
    """Return (B,) lambda from 0 to 1: 0 if every row has a human value, or the judge's values are all the same."""
    rows, f, ff = s.even.n + s.others, s.even.f + s.g, s.even.ff + s.gg
    variance = share(ff - share(f * f, rows), rows - 1)
    parts = _parts(s)
    ratio = share(share(parts.both, s.even.n) * s.others, variance * parts.spread * rows)
    return np.clip(np.nan_to_num(ratio), 0.0, 1.0)


def powered_mean(s: Sums, weight: Floats) -> Floats:
    """Return (B,) theta; NaN if no row has a human value. If every row has one it is the mean of people."""
    imputed = np.where(s.others > 0, weight * judged_rest(s), 0.0)
    weight = np.where(s.others > 0, weight, 0.0)
    return imputed + share(s.y - weight * s.f, s.n)


def judged_rest(s: Sums) -> Floats:
    """Return (B,) the judge's mean on the texts that nobody answered; NaN if there are none."""
    return share(s.g + (s.even.f - share(s.even.n, s.n) * s.f), s.others)


def powered_error(s: Sums, weight: Floats, more: int = 0) -> Floats:
    """Return (B,) the standard error of theta for texts drawn one by one (variances over n, as in ppi-python).

    If people answer `more` of the others, the variances are taken to stay the same.
    """
    others = s.others - more
    imputed = np.where(others > 0, _variance(s.gg, s.g, s.others) * share(weight**2, others), 0.0)
    weight = np.where(others > 0, weight, 0.0)
    parts = _parts(s)
    left = share(np.maximum(parts.people - 2 * weight * parts.both + weight**2 * parts.judge, 0.0), s.even.n)
    return np.sqrt(imputed + share(left, s.even.n + more))


def rest_error(s: Sums) -> Floats:
    """Return (B,) the standard error of the judge's mean on the answered rows less that on the rest."""
    return np.sqrt(share(_variance(s.gg, s.g, s.others), s.others) + share(_parts(s).judge, s.even.n**2))


def human_variance(s: Sums) -> Floats:
    """Return (B,) the variance of the human values, over n."""
    return _variance(s.yy, s.y, s.n)


def even_rows(s: Sums) -> Floats:
    """Return (B,) how many rows drawn alike would tell as much about people's mean as the answered ones."""
    told = share(human_variance(s) * s.even.n**2, _parts(s).people)
    return np.where(np.isnan(told), share(s.n**2, s.squared.n), told)


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """Sums (B,) over the answered rows of squares and products of what each row moves theta by, times n.

    A row of weight w moves theta by w / n times its human value (`people`), and by (all * w - n) / (others * n) times
    lambda times the judge's value (`judge`); `both` sums their products. `spread` is the variation of the judge's
    values, weighted as the products are, relative to that of rows drawn alike.
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
    """Return (B,) sums of squares of human values around `y`, of the judge's around `f`, and of their products."""
    return (
        of.yy - 2 * y * of.y + y * y * of.n,
        of.ff - 2 * f * of.f + f * f * of.n,
        of.yf - y * of.f - f * of.y + y * f * of.n,
    )


def _variance(squares: Floats, total: Floats, n: Floats) -> Floats:
    return np.maximum(share(squares, n) - share(total, n) ** 2, 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class Errors:
    """Shares (B,) of true yes that the judge calls yes and of true no that it calls no, with their numbers of rows."""

    sensitivity: Floats
    specificity: Floats
    yes: Floats
    no: Floats


def judge_errors(s: Sums) -> Errors:
    """Return the judge's errors from sums of values that are 0 or 1."""
    no = s.n - s.y
    return Errors(share(s.yf, s.y), share(no - (s.f - s.yf), no), s.y, no)


def judged_share(s: Sums) -> Floats:
    """Return (B,) q, the judge's share of yes on the rows without a human value; on all rows if each has one."""
    return np.where(s.others > 0, share(s.g, s.others), share(s.f, s.n))


def corrected_share(q: Floats, errors: Errors) -> Floats:
    """Return (B,) theta inside [0, 1]; NaN if the judge is no better than chance."""
    informed = errors.sensitivity + errors.specificity - 1
    with np.errstate(invalid="ignore", divide="ignore"):
        theta = np.where(informed > 0, (q + errors.specificity - 1) / informed, np.nan)
    return np.clip(theta, 0.0, 1.0)


def share_interval(q: Floats, rows: Floats, errors: Errors, z: float) -> tuple[Floats, Floats]:
    """Return (B,) ends inside [0, 1], for a q over `rows`; NaN if adjusted counts leave a judge no better than
    chance."""
    q_ = (rows * q + z * z / 2) / (rows + z * z)
    se = (errors.yes * errors.sensitivity + 1) / (errors.yes + 2)
    sp = (errors.no * errors.specificity + 1) / (errors.no + 2)
    informed = se + sp - 1
    with np.errstate(invalid="ignore", divide="ignore"):
        theta = (q_ + sp - 1) / informed
        of_yes, of_no = se * (1 - se) / (errors.yes + 2), sp * (1 - sp) / (errors.no + 2)
        middle = theta + 2 * z * z * (theta * of_yes - (1 - theta) * of_no)
        spread = np.sqrt(q_ * (1 - q_) / (rows + z * z) + (1 - theta) ** 2 * of_no + theta**2 * of_yes) / informed
    undefined = ~(informed > 0)
    low, high = (np.clip(middle + sign * z * spread, 0.0, 1.0) for sign in (-1, 1))
    return np.where(undefined, np.nan, low), np.where(undefined, np.nan, high)


Ends = tuple[float, float]
Z = NormalDist().inv_cdf(0.975)


def around(value: float, error: float) -> Ends:
    """Return the 95 % ends around `value` by the normal distribution."""
    return value - Z * error, value + Z * error


def wilson(count: float, rows: float) -> Ends:
    """Return the 95 % ends of the share `count` of `rows`, whole numbers or not (Wilson 1927): even 0 of 20 has a
    width."""
    rate, square = count / rows, Z * Z / rows
    middle, reach = rate + square / 2, np.sqrt(square * (rate * (1 - rate) + square / 4))
    low = 0.0 if count <= 0 else float((middle - reach) / (1 + square))
    high = 1.0 if count >= rows else float((middle + reach) / (1 + square))
    return low, high


def percentiles(values: Floats) -> Ends:
    """Return the 2.5 % and 97.5 % quantiles of resamples."""
    low, high = np.quantile(values, [0.025, 0.975])
    return float(low), float(high)


def by_document(value: float, values: Floats, documents: int) -> Ends | None:
    """Return 95 % ends: the resamples' standard error times Student's t with `documents` less one degrees of freedom.

    None with one document, which can't show how documents differ, or if more resamples lack the figure (NaN) than have
    it.
    """
    defined = values[~np.isnan(values)]
    if documents < 2 or defined.size * 2 < values.size or not defined.size:
        return None
    from scipy import stats  # noqa: PLC0415 - a second of every start that only draws texts for people

    reach = float(stats.t.ppf(0.975, documents - 1) * defined.std() * np.sqrt(documents / (documents - 1)))
    return value - reach, value + reach


@dataclass(frozen=True, slots=True)
class EstimatedFigure:
    """A mean or share with its 95 % interval; None where undefined."""

    value: float | None
    low: float | None = None
    high: float | None = None

    @property
    def width(self) -> float | None:
        return None if self.low is None or self.high is None else self.high - self.low

    @property
    def percent(self) -> str | None:
        """Return a share as a table's cell shows it: 55 % [34, 76]"""
        if self.value is None:
            return None
        ends = "" if self.low is None or self.high is None else f" [{100 * self.low:.0f}, {100 * self.high:.0f}]"
        return f"{100 * self.value:.0f} %{ends}"


@dataclass(frozen=True, slots=True)
class Quantity:
    """An estimated quantity: functions from sums to its value (B,), and to its ends for texts drawn one by one.

    `rows` (B,) is the number of rows that a share is of; None if the ends already allow for a share of 0 that may not
    be 0.
    """

    value: Callable[[Sums], Floats]
    ends: Callable[[Sums], Ends | None]
    rows: Callable[[Sums], Floats] | None = None


def figure(quantity: Quantity, *, s: Sums, drawn: Sums | None, documents: int | None, bounded: bool) -> EstimatedFigure:
    """Return the quantity of the data's sums `s`, with its interval from resamples `drawn` of `documents`, if given.

    `bounded` quantities are shares: they are cut to 0 to 1 (a correction may overshoot), and one of exactly 0 or 1 has
    Wilson's interval, since neither variances nor resamples show answers too rare to be seen.
    """
    value = float(quantity.value(s)[0])
    if np.isnan(value):
        return EstimatedFigure(None)
    if bounded and value in (0, 1) and quantity.rows:
        ends: Ends | None = _of_rows(np.array([value]), quantity.rows(s))
    elif drawn is None or documents is None:
        ends = quantity.ends(s)
    else:
        ends = by_document(value, quantity.value(drawn), documents)
    low, high = ends or (None, None)
    if bounded:
        return EstimatedFigure(_inside(value), _inside(low), _inside(high))
    return EstimatedFigure(value, low, high)


def is_shifted(s: Sums, drawn: Sums | None) -> bool:
    """Return whether the judge's means on rows with a human value and on the others differ by more than chance."""
    if not s.others[0]:
        return False
    error = np.nanstd(_apart(drawn)) if drawn is not None and drawn.n.size else rest_error(s)[0]
    return bool(abs(_apart(s)[0]) > NormalDist().inv_cdf(0.995) * error)


def _apart(s: Sums) -> Floats:
    return share(s.f, s.n) - judged_rest(s)


def _inside(part: float | None) -> float | None:
    return None if part is None else min(max(part, 0.0), 1.0)


def _judge_ends(s: Sums) -> Ends:
    n, total, squares = s.even.n + s.others, s.even.f + s.g, s.even.ff + s.gg
    return _around(total / n, np.sqrt(np.maximum(squares / n - (total / n) ** 2, 0.0) / n))


def _powered_ends(s: Sums) -> Ends:
    weight = tuned_weight(s)
    return _around(powered_mean(s, weight), powered_error(s, weight))


def _rogan_gladen_ends(s: Sums) -> Ends | None:
    low, high = share_interval(judged_share(s), np.where(s.others > 0, s.others, s.n), judge_errors(s), Z)
    return None if np.isnan(low[0]) else (float(low[0]), float(high[0]))


def _around(value: Floats, error: Floats) -> Ends:
    return around(float(value[0]), float(error[0]))


def _even_yes(s: Sums) -> Floats:
    """Return how many rows of equal weight on which people say yes would tell as much (Kish 1965)."""
    return share(s.y**2, s.squared.y)


def _even_no(s: Sums) -> Floats:
    return share((s.n - s.y) ** 2, s.squared.n - s.squared.y)


def _of_rows(rate: Floats, rows: Floats) -> Ends:
    return wilson(float(rate[0] * rows[0]), float(rows[0]))


JUDGE = Quantity(lambda s: share(s.even.f + s.g, s.even.n + s.others), _judge_ends, lambda s: s.even.n + s.others)
PEOPLE = Quantity(lambda s: share(s.y, s.n), lambda s: _around(s.y / s.n, powered_error(s, np.zeros(1))), even_rows)
CORRECTED: dict[Correction, Quantity] = {
    "ppi": Quantity(lambda s: powered_mean(s, tuned_weight(s)), _powered_ends, even_rows),
    "rogan-gladen": Quantity(lambda s: corrected_share(judged_share(s), judge_errors(s)), _rogan_gladen_ends),
}
SENSITIVITY = Quantity(
    lambda s: judge_errors(s).sensitivity, lambda s: _of_rows(judge_errors(s).sensitivity, _even_yes(s)), _even_yes
)
SPECIFICITY = Quantity(
    lambda s: judge_errors(s).specificity, lambda s: _of_rows(judge_errors(s).specificity, _even_no(s)), _even_no
)
