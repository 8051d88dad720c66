"""The scale of a column of ratings, judging by its values: typing errors don't stretch it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from app.corpora.own_score_tables import TableData
from app.corpora.rows import numbers_in

Scale = tuple[float, float]
USUAL_SCALES: tuple[Scale, ...] = ((1, 5), (0, 1), (1, 6), (1, 7), (1, 10))
_ERROR_SCALES: tuple[Scale, ...] = ((1, 5), (0, 1), (1, 10))
"""Only what lies off these can be a typing error: a few ratings of 7 beside 1 to 6 are none."""
PERCENT: Scale = (0, 100)
ALMOST_ALL = 0.99
_MOST_OF_PERCENT = 0.95
_ENOUGH_TO_TELL = 100
_MOST_POINTS = 21  # of a scale that people rate on: 0 to 10 in halves


@dataclass(frozen=True, slots=True)
class NumberColumn:
    """The numbers of a column: their range, their count, and the scale they seem to be on."""

    low: float
    high: float
    count: int
    scale: Scale


def proposed_scale(values: Sequence[float]) -> Scale:
    """Return the scale of the values without those that are certainly typing errors.

    - Of 100 values or more: `whole_scale` of those on the first of 1-5, 0-1 and 1-10 that holds 99 of 100.
    - Else `whole_scale` of the values without errors. There are errors only where values lie below 0 or above 10, and
      each lies farther off a scale than that scale is wide. The scale is the one of 1-5, 0-1, 1-10 and 0-100 that holds
      most values, more than half of them; if it finds no errors, the points that 19 of 20 values span (21 at most).
      Where 0-100 holds all values, a smaller scale must hold 19 of 20, and points end at 10.
    """
    for low, high in _ERROR_SCALES:
        held = [value for value in values if low <= value <= high]
        if len(values) >= _ENOUGH_TO_TELL and len(held) >= ALMOST_ALL * len(values):
            return whole_scale(held)
    fitting = list(values)
    while errors := _far_off(fitting):
        fitting = [value for value in fitting if value not in errors]
    return whole_scale(fitting)


def number_columns(table: TableData) -> dict[str, NumberColumn]:
    """Return the numbers found in each column; without the columns that hold no number."""
    numbers: dict[str, list[float]] = {column: [] for column in table.columns}
    for row in table.rows:
        for column in table.columns:
            numbers[column] += numbers_in((row[column],))
    return {
        column: NumberColumn(min(found), max(found), len(found), proposed_scale(found))
        for column, found in numbers.items()
        if found
    }


def whole_scale(values: Sequence[float]) -> Scale:
    """Return the scale that holds all values: the first that fits of 1-5, 0-1, 1-6, 1-7, 1-10, then 0-100 if any value
    is above 10.

    Otherwise the lowest and the highest value (0-5 stays 0-5); a single value v gives v to v + 1. No values give 1-5.
    """
    if not values:
        return USUAL_SCALES[0]
    low, high = min(values), max(values)
    for scale in (*USUAL_SCALES, *([PERCENT] if high > 10 else [])):
        if scale[0] <= low and high <= scale[1]:
            return scale
    return (low, high) if low < high else (low, low + 1)


def _far_off(values: Sequence[float]) -> set[float]:
    """Return the values that are certainly typing errors; none if the usual scales explain them all or too few."""
    if not values or (min(values) >= 0 and max(values) <= 10):
        return set()
    in_percent = _held(values, PERCENT) == len(values)
    scales = _ERROR_SCALES if in_percent else (*_ERROR_SCALES, PERCENT)
    scale = max(scales, key=lambda scale: _held(values, scale))
    held = _held(values, scale)
    if held < _MOST_OF_PERCENT * len(values) if in_percent else held <= len(values) / 2:
        return _off_points(values, PERCENT[0], _ERROR_SCALES[-1][1]) if in_percent else _off_points(values)
    return _off(values, scale) or (set() if in_percent else _off_points(values))


def _off_points(values: Sequence[float], lowest: float = -math.inf, highest: float = math.inf) -> set[float]:
    """Return the values, 1 in 20 at most, that are far from the scale points of all others, from lowest to highest."""
    middle = median(values)
    by_distance = sorted(values, key=lambda value: abs(value - middle))
    for kept in range(math.ceil(_MOST_OF_PERCENT * len(values)), len(values)):
        points = set(by_distance[:kept])
        scale = min(points), max(points)
        plausible = 1 < len(points) <= _MOST_POINTS and lowest <= scale[0] and scale[1] <= highest
        if plausible and (errors := _off(values, scale)):
            return errors
    return set()


def _off(values: Sequence[float], scale: Scale) -> set[float]:
    """Return the values off the scale; none if one of them is nearer to it than its width."""
    low, high = scale
    others = {value for value in values if not low <= value <= high}
    return others if all(max(low - value, value - high) > high - low for value in others) else set()


def _held(values: Sequence[float], scale: Scale) -> int:
    return sum(scale[0] <= value <= scale[1] for value in values)
