"""Reasons why there is no figure, as sentences for a person."""

import numpy as np

from app.meta_evaluation.score_matrix import Floats

FEWEST = 3
"""Two points always lie on a line: a single coefficient over fewer than three says nothing."""
OTHER_SCALE = "The scores are not on the scale of the ratings, so how far the two are apart says nothing."
ONE_SOURCE = "Only one source has a coefficient, and an interval needs at least two to draw from."
TOO_CLOSE = "The scores differ by less than can be computed with."


def pool_reason(scores: Floats, human: Floats, unit: str) -> str:
    """For one coefficient over `unit` ("texts", "systems") of predictors (C, N) and ratings (N,); "" if it exists."""
    few = too_few(human.size, unit)
    if few:
        return few
    if np.ptp(human) == 0:
        return f"All {unit} have the same human rating, so there is no order to agree with."
    if np.any(np.ptp(scores, axis=1) == 0):
        return f"All {unit} have the same score, so there is no order to compare with people's."
    return ""


def group_reason(n: int, n_used: int, groups_constant: int, groups_small: int) -> str:
    """For a coefficient inside each source: `n` texts, `n_used` of them in sources that have one."""
    few = too_few(n, "texts")
    if few:
        return few
    if n_used >= FEWEST:
        return ""
    if n_used == 2:
        return "The only source with a coefficient has two texts, where it could only be +1 or -1."
    if groups_constant == 0:
        return "No source has two or more texts with a score and a rating, so nothing can be compared inside a source."
    if groups_small == 0:
        return "In every source the scores or the human ratings are all the same, so no source has a coefficient."
    return "Every source has constant scores, constant ratings or fewer than two texts, so none has a coefficient."


def too_few(count: int, unit: str) -> str:
    """Below FEWEST there is no coefficient."""
    if count == 0:
        return f"No {unit} have both a score and a human rating."
    if count == 1:
        return f"Only one of the {unit} has both a score and a human rating; a correlation needs at least three."
    if count == 2:
        return f"With only two {unit} a correlation could only be +1 or -1; it needs at least three."
    return ""
