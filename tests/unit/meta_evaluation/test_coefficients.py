"""The weighted formulas against SciPy on the texts repeated as often as their weight says."""

import numpy as np
import pytest
from scipy import stats

from app.meta_evaluation import correlation
from app.meta_evaluation.correlation import crosswise, rowwise, single
from app.meta_evaluation.score_matrix import Floats


def scipy_of(x: Floats, y: Floats) -> list[float]:
    if x.size < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return [np.nan] * 3
    return [stats.spearmanr(x, y).statistic, stats.kendalltau(x, y).statistic, stats.pearsonr(x, y).statistic]


def repeated(values: Floats, weights: Floats) -> Floats:
    return np.repeat(values, weights.astype(int))


def test_hand_derived_values_with_a_tie() -> None:
    # ranks of x: 1, 2.5, 2.5, 4; of y: 1, 3, 2, 4. Concordant 5 pairs, discordant 0, one tied in x.
    rho, tau, r = single(np.array([1.0, 2, 2, 4]), np.array([1.0, 3, 2, 4]))
    assert rho == pytest.approx(4.5 / np.sqrt(4.5 * 5))
    assert tau == pytest.approx(5 / np.sqrt(5 * 6))
    assert r == pytest.approx(4.5 / np.sqrt(4.75 * 5))


def test_constant_sides_and_single_texts_have_no_coefficient() -> None:
    assert np.isnan(single(np.ones(3), np.arange(3.0))).all()
    assert np.isnan(single(np.arange(3.0), np.ones(3))).all()
    assert np.isnan(single(np.ones(1), np.ones(1))).all()


@pytest.mark.parametrize("levels", [3, 1000])
def test_crosswise_equals_scipy_on_repeated_texts(levels: int) -> None:
    rng = np.random.default_rng(levels)
    x, y = rng.integers(0, levels, (2, 9, 6)).astype(float)
    present = rng.random((9, 6)) > 0.25
    weights = rng.multinomial(6, np.full(6, 1 / 6), size=7).astype(float)
    found = crosswise(x, y, present, weights)
    for draw in range(7):
        for group in range(9):
            times = weights[draw] * present[group]
            expected = scipy_of(repeated(x[group], times), repeated(y[group], times))
            np.testing.assert_allclose(found[:, draw, group], expected, atol=1e-12)


def test_rowwise_equals_scipy_on_repeated_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    x, y = rng.integers(0, 4, (2, 20, 7)).astype(float)
    weights = rng.integers(0, 3, (20, 7)).astype(float)
    expected = np.array([scipy_of(repeated(a, w), repeated(b, w)) for a, b, w in zip(x, y, weights, strict=True)]).T
    np.testing.assert_allclose(rowwise(x, y, weights), expected, atol=1e-12)
    monkeypatch.setattr(correlation, "CHUNK", 100)
    np.testing.assert_allclose(rowwise(x, y, weights), expected, atol=1e-12)
    monkeypatch.setattr(correlation, "WIDEST", 3)
    np.testing.assert_allclose(rowwise(x, y, weights), expected, atol=1e-12)


@pytest.mark.parametrize("limit", ["", "BLOCK", "CACHED", "TOO_MANY"])
@pytest.mark.parametrize("levels", [4, 10_000])
def test_pooled_equals_scipy_on_repeated_texts(levels: int, limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if limit:
        monkeypatch.setattr(correlation, limit, 13)
    rng = np.random.default_rng(levels)
    x, y = rng.integers(0, levels, (2, 60)).astype(float)
    weights = rng.multinomial(60, np.full(60, 1 / 60), size=15).astype(float)
    found = correlation.pooled(x, y, weights)
    for draw, times in enumerate(weights):
        np.testing.assert_allclose(found[:, draw], scipy_of(repeated(x, times), repeated(y, times)), atol=1e-12)


@pytest.mark.parametrize("limit", ["", "CACHED", "TOO_MANY"])
def test_texts_that_are_drawn_together_count_as_if_each_had_its_own_weight(
    limit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if limit:
        monkeypatch.setattr(correlation, limit, 13)
    rng = np.random.default_rng(4)
    x, y = rng.integers(0, 5, (2, 60)).astype(float)
    unit = rng.permutation(np.arange(60) % 12)
    drawn = rng.multinomial(13, np.full(13, 1 / 13), size=15).astype(float)  # the last has no text
    np.testing.assert_array_equal(correlation.pooled(x, y, drawn, unit), correlation.pooled(x, y, drawn[:, unit]))


def test_a_resample_that_draws_one_value_is_undefined() -> None:
    weights = np.array([[3.0, 0, 0], [1, 1, 1]])
    found = correlation.pooled(np.array([1.0, 2, 3]), np.array([1.0, 2, 4]), weights)
    assert np.isnan(found[:, 0]).all()
    assert not np.isnan(found[:, 1]).any()


def test_extreme_magnitudes_neither_overflow_nor_vanish() -> None:
    y = np.array([1.0, 2, 3])
    for scale in (1e300, 1e-300):
        np.testing.assert_allclose(single(np.array([1.0, 2, 4]) * scale, y), single(np.array([1.0, 2, 4]), y))
