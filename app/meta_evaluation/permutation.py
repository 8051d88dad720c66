"""Paired tests of two methods, with Holm's correction."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from app.meta_evaluation.bootstrap import Design, unit_codes
from app.meta_evaluation.correlation import BLOCK, mid_ranks, ratio, rounded_means, rows_by, rowwise, settle
from app.meta_evaluation.score_matrix import Constant, Floats, Ints, Level, Resampling, ScoreTable

FISHER_CAVEAT = "Fisher's z treats the two correlations as if they came from different texts, so it misses differences."


@dataclass(frozen=True, slots=True)
class DifferenceTest:
    """A two-sided test of a difference. `statistic` and `p` are None, for `reason`, if the test can't be made.

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
        """Return * below .05, ** below .01, *** below .001, as in Table 11 of the InteractEval paper."""
        return stars(self.p)


def stars(p: float | None) -> str:
    """Return * for p below .05, ** below .01, *** below .001; "" otherwise."""
    return "" if p is None else "*" * sum(p < limit for limit in (0.05, 0.01, 0.001))


def untestable(method: str, n: int, reason: str) -> DifferenceTest:
    """Return a test without figures, for the `reason` that it can't be made."""
    return DifferenceTest(method, n, None, None, reason=reason)


def williams(r_a: float, r_b: float, r_ab: float, n: int) -> DifferenceTest:
    """Return Williams' test of two correlations that share the human ratings, n - 3 degrees of freedom (Steiger 1980,
    eq. 7).

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
    """Return Fisher's z test of two correlations as if independent (InteractEval, Table 11; see FISHER_CAVEAT)."""
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
    """Return adjusted p-values that bound the chance of any false alarm among many comparisons (Holm 1979).

    Tests that couldn't be made (None) stay None and don't count as comparisons.
    """
    made = sorted((p, index) for index, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    highest = 0.0
    for rank, (p, index) in enumerate(made):
        highest = max(highest, min(1.0, p * (len(made) - rank)))
        adjusted[index] = highest
    return tuple(adjusted)


CHUNK = 1_500_000
"""Most permutations times texts in memory at once."""
ROUNDING = 1e-9
"""Differences closer than this are the same difference, computed in another order."""

Signs = NDArray[np.float64]


def permutation_tests(
    table: ScoreTable, design: Design, observed: Floats, *, permutations: int
) -> tuple[DifferenceTest, ...]:
    """Return one test a coefficient of the differences `observed` (3,); `table` holds predictors A and B.

    p is (1 + permutations at least as extreme) / (1 + permutations with a figure): never 0, and exact for the
    permutations drawn.
    """
    differences = permuted_differences(table, design, permutations)
    return tests_of(differences, observed, table.n, design.seed)


def tests_of(differences: Floats, observed: Floats, n: int, seed: int) -> tuple[DifferenceTest, ...]:
    """Return one test a coefficient, from the differences under permutation (3, P) and the observed ones (3,)."""
    return tuple(_test(found, seen, n, seed) for found, seen in zip(differences, observed, strict=True))


def permuted_differences(table: ScoreTable, design: Design, permutations: int) -> Floats:
    """Return (3, P) coefficients of A' less those of B', whose scores are swapped at random; NaN where undefined.

    All texts of a unit that the design resamples are swapped together, as their errors may be alike: swapped one by
    one, texts of the same system or source would count as independent (Deutsch, Dror and Roth 2021: PERM-SYS,
    PERM-INPUT and PERM-BOTH).
    """
    rng = np.random.default_rng(design.seed)
    step = max(1, CHUNK // max(table.n, 1))
    parts = []
    for start in range(0, permutations, step):
        signs = _signs(table, design.resampling, min(step, permutations - start), rng)
        parts.append(_differences(table, design.level, design.constant, signs))
    return np.concatenate(parts, axis=1) if parts else np.empty((3, 0))


def _signs(table: ScoreTable, swapped: Resampling, permutations: int, rng: np.random.Generator) -> Signs:
    """Return (P, N) signs of the texts, -1 where A and B are swapped: one draw for each unit, their product for
    "both"."""
    signs = np.ones((permutations, table.n))
    for unit in unit_codes(table, swapped):
        drawn = rng.integers(0, 2, size=(permutations, int(unit.max(initial=-1)) + 1), dtype=np.int8)
        signs *= drawn[:, unit] * 2.0 - 1
    return signs


def _differences(table: ScoreTable, level: Level, constant: Constant, signs: Signs) -> Floats:
    if level == "system":
        return _system(table, signs)
    ranks = np.stack([stats.rankdata(score) for score in table.scores])
    standard = np.stack([_standard(score) for score in table.scores])
    if level == "dataset":
        left, right = _permuted(ranks, standard, table.human, signs)
        return left - right
    assert table.source is not None
    sums, count = np.zeros((3, signs.shape[0])), np.zeros(signs.shape[0])
    for source in np.unique(table.source):
        texts = np.flatnonzero(table.source == source)
        if texts.size < 2:
            continue
        pair = np.stack(_permuted(ranks[:, texts], standard[:, texts], table.human[texts], signs[:, texts]))
        values, used = settle(pair, np.array(texts.size, dtype=np.float64), constant)
        sums += np.where(used, values[0] - values[1], 0.0)
        count += used
    return np.where(count > 0, sums / np.maximum(count, 1), np.nan)


def _permuted(ranks: Floats, standard: Floats, human: Floats, signs: Signs) -> tuple[Floats, Floats]:
    """Return (3, P) coefficients of A' and of B' in one pool of texts, from predictors' ranks and standard scores."""
    values, code = np.unique(ranks.ravel(), return_inverse=True)
    a_code, b_code = code[: human.size], code[human.size :]
    chosen = np.vstack([1 + signs.T, 1 - signs.T]) / 2
    count_a = rows_by(code, values.size, chosen)
    counts = count_a, np.bincount(code)[:, None] - count_a
    tau = _kendall(a_code, b_code, human, signs, counts)
    rho = _spearman(code, human, chosen, counts)
    pearson = _pearson(standard[0], standard[1], human, signs)
    left, right = (np.stack(side) for side in zip(rho, tau, pearson, strict=True))
    return _all_or_none(left), _all_or_none(right)


def _all_or_none(values: Floats) -> Floats:
    """Return the coefficients, all NaN where any is: a pool counts for all coefficients or for none."""
    return np.where(np.isnan(values).any(axis=0), np.nan, values)


def _kendall(a: Ints, b: Ints, human: Floats, signs: Signs, counts: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
    """Return Kendall's tau of A' and of B'. With Q_uv = sign(human_i - human_j) * sign(u_i - v_j), concordance is even
    in s through Q_aa + Q_bb - 2 Q_ab (a quadratic form) and odd through row sums (a linear one). Whole numbers, exact
    in float32."""
    n = a.size
    light = signs.astype(np.float32)
    order = np.unique(human, return_inverse=True)[1].astype(np.int32)
    small_a, small_b = a.astype(np.int32), b.astype(np.int32)
    level, even, odd = 0.0, np.zeros(signs.shape[0]), np.zeros(n)
    for start in range(0, n, BLOCK):
        rows = slice(start, start + BLOCK)
        people = np.sign(order[rows, None] - order)
        aa, bb = (people * np.sign(code[rows, None] - code) for code in (small_a, small_b))
        ab = people * np.sign(small_a[rows, None] - small_b)
        ba = people * np.sign(small_b[rows, None] - small_a)
        level += float(aa.sum(dtype=np.int64) + bb.sum(dtype=np.int64) + ab.sum(dtype=np.int64) * 2) / 2
        quadratic = (aa + bb - ab - ba).astype(np.float32)
        even += np.einsum("pi,pi->p", light @ quadratic.T, light[:, rows], dtype=np.float64) / 2
        odd[rows] = (aa - bb + ab - ba).sum(axis=1, dtype=np.int64)
    half = signs @ odd / 2
    shared = (level + even) / 2
    people_pairs = np.array(float(n * n - (np.bincount(order).astype(np.int64) ** 2).sum()))
    left, right = (n * n - np.einsum("up,up->p", count, count) for count in counts)
    return ratio(shared + half, left, people_pairs), ratio(shared - half, right, people_pairs)


def _spearman(code: Ints, human: Floats, chosen: Floats, counts: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
    """Return Spearman of A' and of B'. `chosen` (2N, P) is 1 for the scores, of A then of B, that belong to A';
    `counts` (classes, P) each value's number in A' and B'. The cross term needs only the sums by class of people's
    constant ranks."""
    people = stats.rankdata(human) - (human.size + 1) / 2
    total = np.array(people @ people)
    twice = np.concatenate([people, people])
    in_a = rows_by(code, counts[0].shape[0], chosen * twice[:, None])
    in_b = np.bincount(code, weights=twice)[:, None] - in_a

    def rho(count: Floats, people_in: Floats) -> Floats:
        rank = mid_ranks(count)
        return ratio(np.einsum("up,up->p", rank, people_in), np.einsum("up,up,up->p", count, rank, rank), total)

    return rho(counts[0], in_a), rho(counts[1], in_b)


def _pearson(a: Floats, b: Floats, human: Floats, signs: Signs) -> tuple[Floats, Floats]:
    """Return Pearson's r of A' = mean + s * half and B' = mean - s * half: each moment is a constant plus or minus a
    linear form."""
    n = human.size
    mean, half = (a + b) / 2, (a - b) / 2
    people = _standard(human)
    moments = signs @ np.stack([half, half * people, 2 * mean * half], axis=1)
    fixed = np.array([mean.sum(), mean @ people, mean @ mean + half @ half])

    def r(sums: Floats) -> Floats:
        total, cross, square = sums.T
        spread = square - total**2 / n
        return ratio(cross, np.where(spread > ROUNDING, spread, 0.0), np.array(people @ people))

    return r(fixed + moments), r(fixed - moments)


def _system(table: ScoreTable, signs: Signs) -> Floats:
    assert table.system is not None
    a, b = (_standard(score) for score in table.scores)
    belongs = np.eye(table.systems)[table.system]
    belongs = belongs[:, belongs.any(axis=0)]
    size = belongs.sum(axis=0)
    mean = (a + b) / 2 @ belongs
    moved: Floats = signs @ (belongs * ((a - b) / 2)[:, None])
    human: Floats = np.broadcast_to(rounded_means(table.human @ belongs / size), moved.shape)
    ones = np.ones(moved.shape)
    left = rowwise(rounded_means((mean + moved) / size), human, ones)
    right = rowwise(rounded_means((mean - moved) / size), human, ones)
    return _all_or_none(left - right)


def _standard(values: Floats) -> Floats:
    """Return the values with mean 0 and standard deviation 1; zeros if constant."""
    spread = values.std() if np.ptp(values) > 0 else 0.0
    return (values - values.mean()) / spread if spread > 0 else np.zeros_like(values)


def _test(differences: Floats, observed: float, n: int, seed: int) -> DifferenceTest:
    method = "permutation test"
    undefined = int(np.isnan(differences).sum())
    defined = differences[~np.isnan(differences)]
    if np.isnan(observed):
        return DifferenceTest(method, n, None, None, undefined, seed, "There is no observed difference to test.")
    if defined.size == 0:
        return DifferenceTest(method, n, None, None, undefined, seed, "No permutation has a figure.")
    as_large = int((np.abs(defined) >= abs(observed) - ROUNDING).sum())
    return DifferenceTest(method, n, float(observed), (1 + as_large) / (1 + defined.size), undefined, seed)
