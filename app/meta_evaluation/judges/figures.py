"""Figures of an estimate with their 95 % intervals: of the sums at hand, and of resamples of documents.

Where rows name their document, whole documents are drawn anew (a bootstrap): answers about one document are alike and
tell less than as many about different ones. The interval is the resamples' standard error times Student's t, whose
degrees of freedom are the documents with an answer of people less one. Percentiles are too narrow where people answered
few documents (75 to 94 % of them hold the truth with 2 to 9 documents of 58; these 96 to 97 %).
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import stats

from app.meta_evaluation.choices import Correction
from app.meta_evaluation.judges.intervals import Ends, Z, around, by_document, wilson
from app.meta_evaluation.judges.prediction_powered import (
    even_rows,
    judged_rest,
    powered_error,
    powered_mean,
    rest_error,
    tuned_weight,
)
from app.meta_evaluation.judges.rogan_gladen import corrected_share, judge_errors, judged_share, share_interval
from app.meta_evaluation.judges.sums import Sums, share
from app.meta_evaluation.score_matrix import Floats


@dataclass(frozen=True, slots=True)
class EstimatedFigure:
    """A mean or share with its 95 % interval; None where it is undefined."""

    value: float | None
    low: float | None = None
    high: float | None = None

    @property
    def width(self) -> float | None:
        return None if self.low is None or self.high is None else self.high - self.low

    @property
    def percent(self) -> str | None:
        """A share as a cell of a table holds it: 55 % [34, 76]"""
        if self.value is None:
            return None
        ends = "" if self.low is None or self.high is None else f" [{100 * self.low:.0f}, {100 * self.high:.0f}]"
        return f"{100 * self.value:.0f} %{ends}"


@dataclass(frozen=True, slots=True)
class Quantity:
    """What is estimated: its value from sums, (B,), its ends where texts were drawn one by one.

    `rows` (B,) is what a share is of; None where the ends know themselves that a share of 0 may be none.
    """

    value: Callable[[Sums], Floats]
    ends: Callable[[Sums], Ends | None]
    rows: Callable[[Sums], Floats] | None = None


def figure(quantity: Quantity, *, s: Sums, drawn: Sums | None, documents: int | None, bounded: bool) -> EstimatedFigure:
    """Of the data's own sums `s`; from resamples `drawn` of `documents` where there are such.

    `bounded` quantities are shares: nothing lies outside 0 to 1 (a correction may overshoot), and one of exactly 0 or
    1 has Wilson's interval, since neither variances nor resamples know that a rarer answer may not have been met.
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
    """Whether the judge's mean on the rows with a human value lies farther from that on the others than chance."""
    if not s.others[0]:
        return False
    error = np.nanstd(_apart(drawn)) if drawn is not None and drawn.n.size else rest_error(s)[0]
    return bool(abs(_apart(s)[0]) > stats.norm.ppf(0.995) * error)


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
    """As many rows of equal weight on which people say yes would tell as much (Kish 1965)."""
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
