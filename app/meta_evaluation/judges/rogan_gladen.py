"""The share of yes behind a judge that errs, from how often it errs each way (Rogan and Gladen 1978).

theta = (q + specificity - 1) / (sensitivity + specificity - 1), q the judge's share of yes among the texts that nobody
answered. It stays right where those differ from the answered ones in how often yes is true, as long as the judge errs
alike on both. Interval: Lang and Reiczigel 2014, for judges Lee et al. 2025 (arXiv 2511.21140): the variance of all
three shares, with counts moved towards the middle.
"""

from dataclasses import dataclass

import numpy as np

from app.meta_evaluation.judges.sums import Sums, share
from app.meta_evaluation.score_matrix import Floats


@dataclass(frozen=True, slots=True, eq=False)
class Errors:
    """(B,) shares: of true yes that the judge calls yes, of true no that it calls no; with their numbers of rows."""

    sensitivity: Floats
    specificity: Floats
    yes: Floats
    no: Floats


def judge_errors(s: Sums) -> Errors:
    """`s` of values that are 0 or 1."""
    no = s.n - s.y
    return Errors(share(s.yf, s.y), share(no - (s.f - s.yf), no), s.y, no)


def judged_share(s: Sums) -> Floats:
    """(B,) q: of the rows without a human value, of all where none is left over."""
    return np.where(s.others > 0, share(s.g, s.others), share(s.f, s.n))


def corrected_share(q: Floats, errors: Errors) -> Floats:
    """(B,) theta inside [0, 1]; NaN where the judge is no better than chance."""
    informed = errors.sensitivity + errors.specificity - 1
    with np.errstate(invalid="ignore", divide="ignore"):
        theta = np.where(informed > 0, (q + errors.specificity - 1) / informed, np.nan)
    return np.clip(theta, 0.0, 1.0)


def share_interval(q: Floats, rows: Floats, errors: Errors, z: float) -> tuple[Floats, Floats]:
    """(B,) ends inside [0, 1], for a q over `rows`; NaN where the moved counts leave a judge no better than chance."""
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
