"""Significance of a difference between correlations: two tests from the coefficients alone, and Holm's correction.

Both tests were made for Pearson's r of independent texts. Used on ranks, or on a mean over sources, they are
approximations; the permutation test and the paired bootstrap need neither assumption.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from scipy import stats

FISHER_CAVEAT = "Fisher's z treats the two correlations as if they came from different texts, so it misses differences."


@dataclass(frozen=True, slots=True)
class DifferenceTest:
    """A two-sided test. `statistic` and `p` are None, for `reason`, where the test can't be made.

    `n_undefined` counts permutations without a figure; `seed` is None where nothing was drawn.
    """

    method: str
    n: int
    statistic: float | None
    p: float | None
    n_undefined: int = 0
    seed: int | None = None
    reason: str = ""

    @property
    def stars(self) -> str:
        """* .05, ** .01, *** .001, as in Table 11 of the InteractEval paper."""
        return stars(self.p)


def stars(p: float | None) -> str:
    """* below .05, ** below .01, *** below .001."""
    return "" if p is None else "*" * sum(p < limit for limit in (0.05, 0.01, 0.001))


def untestable(method: str, n: int, reason: str) -> DifferenceTest:
    """A test that can't be made, and why."""
    return DifferenceTest(method, n, None, None, reason=reason)


def williams(r_a: float, r_b: float, r_ab: float, n: int) -> DifferenceTest:
    """Williams' t of two correlations that share the human ratings, n - 3 degrees of freedom (Steiger 1980, eq. 7).

    `r_a` and `r_b` are the predictors' correlations with people, `r_ab` with each other, over `n` units.
    """
    method = "Williams' t"
    if n < 4:
        return untestable(method, n, f"Williams' test needs at least four, not {n}.")
    if math.isclose(r_a, r_b, abs_tol=1e-12):
        return DifferenceTest(method, n, 0.0, 1.0)
    determinant = max(0.0, 1 - r_a**2 - r_b**2 - r_ab**2 + 2 * r_a * r_b * r_ab)
    spread = 2 * (n - 1) / (n - 3) * determinant + (r_a + r_b) ** 2 / 4 * (1 - r_ab) ** 3
    if spread <= 0:
        return untestable(method, n, "The scores determine each other, so nothing varies.")
    t = (r_a - r_b) * math.sqrt((n - 1) * (1 + r_ab) / spread)
    return DifferenceTest(method, n, t, float(2 * stats.t.sf(abs(t), n - 3)))


def fisher_z(r_a: float, r_b: float, n_a: int, n_b: int) -> DifferenceTest:
    """Fisher's z of two correlations as if independent (Table 11 of the InteractEval paper; see FISHER_CAVEAT)."""
    method = "Fisher's z"
    n = min(n_a, n_b)
    if n < 4:
        return untestable(method, n, f"Fisher's test needs at least four, not {n}.")
    if math.isclose(r_a, r_b, abs_tol=1e-12):
        return DifferenceTest(method, n, 0.0, 1.0)
    if max(abs(r_a), abs(r_b)) >= 1:
        return untestable(method, n, "Fisher's z of a perfect correlation is infinite.")
    z = (math.atanh(r_a) - math.atanh(r_b)) / math.sqrt(1 / (n_a - 3) + 1 / (n_b - 3))
    return DifferenceTest(method, n, z, float(2 * stats.norm.sf(abs(z))))


def holm(p_values: Sequence[float | None]) -> tuple[float | None, ...]:
    """Adjusted p-values that bound the chance of any false alarm among many comparisons (Holm 1979).

    Tests that couldn't be made (None) stay None and don't count as comparisons.
    """
    made = sorted((p, index) for index, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    highest = 0.0
    for rank, (p, index) in enumerate(made):
        highest = max(highest, min(1.0, p * (len(made) - rank)))
        adjusted[index] = highest
    return tuple(adjusted)
