"""Coverage of themes: formulas against values by hand, intervals against simulated experts."""

from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from app.attribute_analysis.coverage import (
    SeenThemes,
    covered_without,
    expected_themes,
    sample_coverage,
    seen_themes,
    theme_coverage,
    unseen_themes,
)
from app.attribute_analysis.pool import pool_attributes
from app.attribute_analysis.similarity import pair_matrices
from app.domain.attribute import ContributorKind

Floats = NDArray[np.float64]
SAID = np.array([[1, 1, 1, 0, 0], [1, 1, 0, 1, 0], [1, 0, 0, 0, 1], [1, 0, 0, 0, 0]], dtype=bool)


def test_seen_themes_counts_those_of_one_and_of_two_experts():
    assert seen_themes(SAID) == SeenThemes(units=4, mentions=9, once=3, twice=1)


def test_seen_themes_that_others_have_are_never_single():
    elsewhere = np.array([False, True, True, False, False])
    assert seen_themes(SAID, elsewhere) == SeenThemes(units=4, mentions=9, once=2, twice=0)


def test_coverage_and_unseen_themes_by_hand():
    seen = SeenThemes(units=4, mentions=9, once=3, twice=1)
    # 3/9 * (3 * 3) / (3 * 3 + 2) = 3/11; Chao2: 3/4 * 9 / 2.
    assert sample_coverage(seen).value == pytest.approx(1 - 3 / 11)
    assert unseen_themes(seen) == pytest.approx(3.375)
    # One more unit by Chao et al. (2014): f0 Q1 / (T f0 + Q1), the same as mentions / T * (1 - coverage).
    assert pytest.approx(3.375 * 3 / (4 * 3.375 + 3)) == 9 / 4 * (3 / 11)


def test_coverage_without_pairs_takes_the_form_without_them():
    seen = SeenThemes(units=4, mentions=9, once=3, twice=0)
    assert sample_coverage(seen).value == pytest.approx(1 - 3 / 9 * (3 * 2) / (3 * 2 + 2))
    assert unseen_themes(seen) == pytest.approx(3 / 4 * 3 * 2 / 2)


def test_coverage_without_single_themes_has_an_interval():
    found = sample_coverage(SeenThemes(units=4, mentions=20, once=0, twice=2))
    assert (found.value, found.high) == (1.0, 1.0)
    assert 0.6 < found.low < 0.95


def test_interval_by_hand():
    found = sample_coverage(SeenThemes(units=4, mentions=30, once=6, twice=3))
    # K = 3 * 6 + 2 * 3 = 24, slopes 3 * 6 * (24 + 6) / 24^2 and 2 * 3 * 36 / 24^2, unseen 2 * 4 * 3 / 25.
    error = np.sqrt((540 / 576) ** 2 * 6 + ((216 / 576) ** 2 + 24 / 25) * 3) / 30
    assert found.value == pytest.approx(1 - 6 / 30 * 18 / 24)
    assert found.low == pytest.approx(0.85 - 1.959964 * error, abs=1e-6)
    assert found.high == 1.0


def test_expected_themes_is_the_mean_over_all_choices():
    experts = [4, 2, 1, 1, 1]
    assert expected_themes(experts, 4) == pytest.approx((9 / 4, 1 + 5 / 6 + 3 / 2, 1 + 1 + 9 / 4, 5))


def test_theme_coverage_takes_people_as_units_and_llms_as_said():
    kinds = {"Ana": ContributorKind.HUMAN, "Ben": ContributorKind.HUMAN, "model": ContributorKind.LLM}
    said = {
        "Ana": ["every sentence follows", "names are spelt right"],
        "Ben": ["every sentence follows", "jokes land"],
        "model": ["names are spelt right"],
    }
    pool = pool_attributes(said, kinds)
    found = theme_coverage(pool, pair_matrices(pool.texts), [0, 2, 1, 3, 4], 0.5, 0.5)
    assert (found.attributes, found.themes, found.experts, found.people) == (5, 3, ("Ana", "Ben"), True)
    assert found.labels == (0, 1, 0, 2, 1)
    # "jokes land" is one expert's alone, "every sentence follows" both people's: 1/4 * 1 / (1 + 2).
    assert found.coverage is not None
    assert found.coverage.value == pytest.approx(1 - 1 / 12)
    assert found.next_expert == pytest.approx(4 / 2 / 12)
    assert {name: (one.covered, one.of) for name, one in found.leave_one_out.items()} == {"Ana": (2, 2), "Ben": (1, 2)}
    assert [(one.contributor, one.themes) for one in found.in_order] == [("Ana", 2), ("Ben", 3), ("model", 3)]
    assert (found.last_expert, found.last_expert_added, found.last_attributes_added) == ("Ben", 1, 3)


def test_theme_coverage_of_one_contributor_estimates_nothing():
    pool = pool_attributes({"Ana": ["every sentence follows", "jokes land"]}, {"Ana": ContributorKind.HUMAN})
    found = theme_coverage(pool, pair_matrices(pool.texts), [0, 1], 0.5, 0.5)
    assert (found.themes, found.coverage, found.unseen_themes, found.next_expert) == (2, None, None, None)
    assert found.to_json()["coverage"] == {"value": None, "low": None, "high": None}


def _shares(themes: int) -> Iterator[Floats]:
    """Themes of which some are said far oftener than others: Zipf's law, log-normal, and falling by 7 % each."""
    for weights in (
        1 / np.arange(1, themes + 1),
        np.exp(np.random.default_rng(5).normal(size=themes)),
        0.93 ** np.arange(themes),
    ):
        yield weights / weights.sum()


def _held(share: Floats, experts: int, attributes: int, spread: float, runs: int, rng: np.random.Generator) -> float:
    """Of so many runs, the share in which the interval holds the true coverage. An expert says Poisson many attributes
    on each theme; how many in all varies between experts (gamma) by `spread`, their coefficient of variation."""
    wordy = rng.gamma(1 / spread**2, spread**2, (runs, experts)) if spread else np.ones((runs, experts))
    said = rng.poisson(attributes * wordy[:, :, None] * share) > 0
    if spread:
        chance = 1 - (1 + attributes * spread**2 * share) ** (-1 / spread**2)
    else:
        chance = 1 - np.exp(-attributes * share)
    held = 0
    for each in said:
        truth = float(chance[each.any(axis=0)].sum() / chance.sum())
        found = sample_coverage(seen_themes(each))
        held += found.low <= truth <= found.high
    return held / runs


SETTINGS = list(product((20, 40, 60), (4, 6, 8, 12), (8, 15), (0.0, 0.4)))


@pytest.mark.long
def test_interval_holds_the_coverage_in_93_to_97_percent():
    rng = np.random.default_rng(20)
    held = np.array(
        [
            _held(share, experts, attributes, spread, 1500, rng)
            for themes, experts, attributes, spread in SETTINGS
            for share in _shares(themes)
        ]
    )
    assert 0.945 <= held.mean() <= 0.965
    assert held.min() >= 0.925 and held.max() <= 0.98  # 1,500 runs alone spread by 0.006
    assert np.mean((held >= 0.93) & (held <= 0.97)) >= 0.95


def test_interval_holds_the_coverage_of_six_experts():
    rng = np.random.default_rng(3)
    held = [_held(share, 6, 10, 0.4, 400, rng) for share in _shares(40)]
    assert 0.92 <= np.mean(held) <= 0.98


def test_covered_without_takes_out_questions_only_the_expert_led_to() -> None:
    near = np.array([[1, 0, 0], [0, 1, 0], [1, 1, 1]], dtype=bool)
    owners, behind = ["Ana", "Ana", "Ben"], [frozenset({"Ana"}), frozenset({"Ana", "Ben"}), frozenset[str]()]
    left, covered = covered_without(near, owners, behind, "Ana")
    assert (left, covered.tolist()) == (2, [False, True])
    left, covered = covered_without(near, owners, behind, "Ben")
    assert (left, covered.tolist()) == (3, [True])


def test_covered_without_any_question_left_is_nothing() -> None:
    left, covered = covered_without(np.array([[True]]), ["Ana"], [frozenset({"Ana"})], "Ana")
    assert (left, covered.tolist()) == (0, [False])
