"""The closed formulas of the permutation test against swapping scores one text at a time."""

import itertools

import numpy as np
import pytest
from scipy import stats

from app.meta_evaluation import permutation
from app.meta_evaluation.bootstrap import Design
from app.meta_evaluation.correlation import estimate
from app.meta_evaluation.permutation import permutation_tests, permuted_differences
from app.meta_evaluation.score_matrix import Floats, Level, Resampling, ScoreTable, score_table


def table_of(seed: int, noise: tuple[float, float] = (0.5, 2.0), sources: int = 6, systems: int = 5) -> ScoreTable:
    rng = np.random.default_rng(seed)
    source, system = (axis.ravel() for axis in np.indices((sources, systems)))
    human = rng.integers(1, 6, source.size).astype(float)
    preds = [np.round(human + rng.normal(scale=scale, size=human.size), 1) * (1 + i) for i, scale in enumerate(noise)]
    return score_table(preds, human, group=source, system=system)


def swapped(a: Floats, b: Floats, keep: Floats) -> tuple[Floats, Floats]:
    return np.where(keep > 0, a, b), np.where(keep > 0, b, a)


def standard(values: Floats) -> Floats:
    return (values - values.mean()) / values.std()


def one_by_one(table: ScoreTable, level: Level, keep: Floats) -> Floats:
    """(3,) the difference after swapping: ranks or standard scores among all texts, then the estimate as usual."""
    out = []
    for index, transform in enumerate((stats.rankdata, stats.rankdata, standard)):
        a, b = (standard(score) if level == "system" else transform(score) for score in table.scores)
        made = score_table(swapped(a, b, keep), table.human, group=table.source, system=table.system)
        values = estimate(made, level).values
        out.append(values[0, index] - values[1, index])
    return np.array(out)


def design_of(level: Level, swapped: Resampling, seed: int = 3) -> Design:
    return Design(level, "once", "skip", swapped, 0, seed)


def swaps(table: ScoreTable, swapped: Resampling, count: int, draws: np.random.Generator) -> Floats:
    """(P, N) 1 where a text keeps its scores: each unit's texts alike; with both, each unit swaps once more."""

    def drawn(units: np.ndarray) -> Floats:
        return draws.integers(0, 2, (count, units.max() + 1), dtype=np.int8)[:, units]

    if swapped == "texts":
        return drawn(np.arange(table.n))
    assert table.source is not None
    assert table.system is not None
    if swapped == "both":
        return (drawn(table.source) == drawn(table.system)).astype(int)
    return drawn(table.source if swapped == "sources" else table.system)


@pytest.mark.parametrize(
    ("level", "swapped"),
    [
        ("per-source", "sources"),
        ("per-source", "both"),
        ("dataset", "texts"),
        ("dataset", "sources"),
        ("system", "systems"),
        ("system", "both"),
    ],
)
@pytest.mark.parametrize("chunk", [60, 10**6])
def test_equals_swapping_one_by_one(
    level: Level, swapped: Resampling, chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(permutation, "CHUNK", chunk)
    monkeypatch.setattr(permutation, "BLOCK", 11)
    table = table_of(1)
    found = permuted_differences(table, design_of(level, swapped), 20)
    draws = np.random.default_rng(3)
    step = max(1, chunk // table.n)
    keeps = np.concatenate([swaps(table, swapped, min(step, 20 - i), draws) for i in range(0, 20, step)])
    for b, keep in enumerate(keeps):
        np.testing.assert_allclose(found[:, b], one_by_one(table, level, keep), atol=1e-9)


def test_p_is_the_two_sided_share_of_all_exchanges() -> None:
    table = table_of(6, (1.0, 1.5), sources=3, systems=2)
    every = np.array(list(itertools.product((0, 1), repeat=table.n)))
    values = estimate(table, "dataset").values
    observed = values[0, :3] - values[1, :3]
    differences = np.array([one_by_one(table, "dataset", keep) for keep in every])
    exact = (np.abs(differences) >= np.abs(observed) - 1e-9).mean(axis=0)
    assert p_values_of(table, "dataset", "texts") == pytest.approx(exact, abs=0.03)
    assert exact.min() > 0.1  # half of it, a one-sided p, is further off


UNITS: dict[Level, Resampling] = {"per-source": "sources", "dataset": "sources", "system": "systems"}


def p_values_of(
    table: ScoreTable, level: Level = "per-source", swapped: Resampling | None = None, permutations: int = 2000
) -> list[float | None]:
    values = estimate(table, level).values
    observed = values[0, :3] - values[1, :3]
    design = design_of(level, swapped or UNITS[level], seed=1)
    return [test.p for test in permutation_tests(table, design, observed, permutations=permutations)]


@pytest.mark.parametrize("level", ["per-source", "dataset", "system"])
def test_a_clear_difference_is_found_and_none_in_equal_scores(level: Level) -> None:
    clear = table_of(5, (0.2, 8.0), sources=40, systems=8)
    assert all(p is not None and p < 0.05 for p in p_values_of(clear, level, permutations=500))
    same = score_table([clear.scores[0], clear.scores[0]], clear.human, group=clear.source, system=clear.system)
    assert p_values_of(same, level, permutations=50) == [1.0, 1.0, 1.0]


def test_the_scale_of_a_predictor_does_not_matter() -> None:
    table = table_of(8)
    a, b = table.scores
    other = score_table([a * 100 - 7, b / 3], table.human, group=table.source, system=table.system)
    assert p_values_of(table, permutations=300) == p_values_of(other, permutations=300)


def alike(seed: int, by: str, sources: int = 12, systems: int = 12) -> ScoreTable:
    """Two predictors that are equally good; each one's errors are mostly shared by the texts of a source or system."""
    rng = np.random.default_rng(seed)
    source, system = (axis.ravel() for axis in np.indices((sources, systems)))
    unit = source if by == "source" else system
    human = rng.normal(size=source.size) + rng.normal(size=systems)[system]
    preds = [human + rng.normal(size=unit.max() + 1)[unit] + rng.normal(scale=0.3, size=human.size) for _ in range(2)]
    return score_table(preds, human, group=source, system=system)


@pytest.mark.parametrize(("level", "by"), [("dataset", "source"), ("system", "system")])
def test_errors_that_texts_share_are_no_difference(level: Level, by: str) -> None:
    """A tenth of the p-values should be below .1. That more than 14 of 60 are comes up once in 1,000 times."""
    found = np.array([p_values_of(alike(seed, by), level, permutations=99) for seed in range(60)], dtype=float)
    assert np.all((found <= 0.1).sum(axis=0) <= 14), (found <= 0.1).sum(axis=0)
    one_by_one = np.array([p_values_of(alike(seed, by), level, "texts", 99) for seed in range(60)], dtype=float)
    assert np.all((one_by_one <= 0.1).sum(axis=0) > 14), "swapped text by text"


@pytest.mark.long
@pytest.mark.parametrize("level", ["per-source", "dataset", "system"])
def test_p_values_are_uniform_when_there_is_no_difference(level: Level) -> None:
    """Over 300 data sets without a difference about a tenth of the p-values are below .1 (standard error 1.7 %)."""
    found = [p_values_of(table_of(s, (1.0, 1.0), sources=10, systems=10), level, permutations=99) for s in range(300)]
    share = (np.array(found, dtype=float) <= 0.1).mean(axis=0)
    assert np.all((share > 0.04) & (share < 0.16)), share
