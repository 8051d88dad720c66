"""Ties: how many of the compared pairs of texts are tied, counted without forming the pairs."""

from dataclasses import dataclass

import numpy as np

from app.meta_evaluation.score_matrix import Floats


@dataclass(frozen=True, slots=True)
class TieCounts:
    """`pairs` were compared; of them `either` are tied on at least one side, `pred` (a predictor each) and `human`
    on that side."""

    pairs: int
    either: int
    pred: tuple[int, ...]
    human: int


def tie_counts(scores: Floats, human: Floats, group: Floats | None = None) -> TieCounts:
    """Of predictors (C, N) and ratings (N,); only pairs of the same `group` (N,) are compared, all without one."""
    within = np.zeros(human.size) if group is None else group
    sides = [*scores, human]
    either = 0
    for selection in range(1, 2 ** len(sides)):  # inclusion and exclusion over the sets of sides
        subset = [side for index, side in enumerate(sides) if selection >> index & 1]
        either += (-1) ** (len(subset) + 1) * _equal_pairs(within, *subset)
    return TieCounts(
        pairs=_equal_pairs(within),
        either=either,
        pred=tuple(_equal_pairs(within, score) for score in scores),
        human=_equal_pairs(within, human),
    )


def _equal_pairs(*keys: Floats) -> int:
    """Pairs of texts that are equal in every key."""
    code = np.zeros(keys[0].size, dtype=np.int64)
    for key in keys:  # one after the other: sorting numbers is far faster than sorting rows of them
        _, found = np.unique(key, return_inverse=True)
        _, code = np.unique(code * (found.max(initial=0) + 1) + found, return_inverse=True)
    counts = np.bincount(code)
    return int((counts * (counts - 1) // 2).sum())
