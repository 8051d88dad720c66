"""Permutation test: if A and B were equally good, it would not matter which of them scored which text.

Each permutation swaps the two scores of a random half of the texts (Deutsch, Dror and Roth 2021, PERM-BOTH) and asks
how often the difference is then at least as large as the observed one. Swapping needs a common scale: scores become
ranks among all texts for Spearman and Kendall, and standard scores for Pearson and for system means. Among all texts
also per source: ranks inside a small source depend on each other, and swapping them one by one finds too many
differences where there are none.

With s_i = +1 where a text keeps its scores and -1 where they are swapped, both permuted coefficients come from the
same few products: what is even in s is shared by A' and B', what is odd changes its sign.
"""

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from app.meta_evaluation.choices import Constant, Level
from app.meta_evaluation.coefficients import ratio, rowwise
from app.meta_evaluation.correlation import settle, steady
from app.meta_evaluation.pooled import BLOCK, mid_ranks, rows_by
from app.meta_evaluation.score_matrix import Floats, Ints, ScoreTable
from app.meta_evaluation.significance import DifferenceTest

CHUNK = 1_500_000
"""Permutations times texts that are in memory at once."""
ROUNDING = 1e-9
"""Differences closer than this are the same difference, computed in another order."""

Signs = NDArray[np.float64]


def permutation_tests(
    table: ScoreTable, level: Level, observed: Floats, *, constant: Constant, permutations: int, seed: int
) -> tuple[DifferenceTest, ...]:
    """One test a coefficient of the differences `observed` (3,); `table` holds predictors A and B.

    p is (1 + as large) / (1 + permutations with a figure): never 0, and exact for the permutations drawn.
    """
    differences = permuted_differences(table, level, constant, permutations, np.random.default_rng(seed))
    return tests_of(differences, observed, table.n, seed)


def tests_of(differences: Floats, observed: Floats, n: int, seed: int) -> tuple[DifferenceTest, ...]:
    """One test a coefficient, given the differences under permutation (3, P) and the observed ones (3,)."""
    return tuple(_test(found, seen, n, seed) for found, seen in zip(differences, observed, strict=True))


def permuted_differences(
    table: ScoreTable, level: Level, constant: Constant, permutations: int, rng: np.random.Generator
) -> Floats:
    """(3, P) coefficient of A' less that of B', NaN where a permutation has none."""
    step = max(1, CHUNK // max(table.n, 1))
    parts = []
    for start in range(0, permutations, step):
        size = (min(step, permutations - start), table.n)
        signs = rng.integers(0, 2, size=size, dtype=np.int8).astype(np.float64) * 2 - 1
        parts.append(_differences(table, level, constant, signs))
    return np.concatenate(parts, axis=1) if parts else np.empty((3, 0))


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
    """(3, P) coefficients of A' and of B' in one pool of texts, given both predictors' ranks and standard scores."""
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
    """A pool counts for all coefficients or for none, as everywhere else."""
    return np.where(np.isnan(values).any(axis=0), np.nan, values)


def _kendall(a: Ints, b: Ints, human: Floats, signs: Signs, counts: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
    """With Q_uv = sign(human_i - human_j) * sign(u_i - v_j), concordance is even in s through Q_aa + Q_bb - 2 Q_ab
    (a quadratic form) and odd through row sums (a linear one). Small whole numbers: exact in float32."""
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
    """`chosen` (2N, P) is 1 for the scores, of A then of B, that belong to A'; `counts` (classes, P) how many of each
    value A' and B' have. The people's ranks never move: their sums by class are all that the cross term needs."""
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
    """A' = mean + s * half, B' = mean - s * half, so every moment is a constant plus or minus a linear form."""
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
    human: Floats = np.broadcast_to(steady(table.human @ belongs / size), moved.shape)
    ones = np.ones(moved.shape)
    left = rowwise(steady((mean + moved) / size), human, ones)
    right = rowwise(steady((mean - moved) / size), human, ones)
    return _all_or_none(left - right)


def _standard(values: Floats) -> Floats:
    """Mean 0 and standard deviation 1; zeros where constant."""
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
