"""Stability, alignment and consensus of fits."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from app.attribute_analysis.topics.stability import (
    UNPLACED,
    TopicStability,
    agreement_of,
    align_topics,
    co_assignment,
    find_consensus,
    measure_stability,
)

TOPICS = np.array([[0.8, 0.2, 0.0, 0.0], [0.0, 0.1, 0.9, 0.0], [0.0, 0.0, 0.2, 0.8]])


def test_permuted_topics_are_put_back() -> None:
    orders = [[0, 1, 2], [2, 0, 1], [1, 2, 0]]
    aligned = align_topics(np.stack([TOPICS[order] for order in orders]))
    for fit, order in enumerate(orders):
        assert np.array_equal(TOPICS[order][aligned.order[fit]], TOPICS[orders[aligned.reference]])
    assert np.allclose(aligned.match, 1)


def test_the_medoid_is_the_typical_fit() -> None:
    odd = np.array([[0.25, 0.25, 0.25, 0.25]] * 3)
    assert align_topics(np.stack([odd, TOPICS, TOPICS[[1, 0, 2]]])).reference == 1


def test_agreement_by_hand() -> None:
    # Contingency [[2, 0], [1, 1]]: index 1, expected 3 * 2 / 6, maximum 2.5, so ARI = 0.
    first, second = np.array([0, 0, 1, 1]), np.array([0, 0, 0, 1])
    assert agreement_of(first, second) == pytest.approx(0.0)
    assert agreement_of(first, 1 - first) == 1
    assert agreement_of(np.append(first, UNPLACED), np.append(first, 0)) == 1


def test_agreement_is_scikit_learns_to_the_last_digit() -> None:
    rng = np.random.default_rng(0)
    for texts, groups in rng.integers(1, [[60, 9]] * 300):
        first, second = rng.integers(UNPLACED, groups, (2, texts))
        if rng.random() < 0.3:  # fits that agree on most texts
            second = np.where(rng.random(texts) < 0.8, first, second)
        both = (first != UNPLACED) & (second != UNPLACED)
        assert agreement_of(first, second) == adjusted_rand_score(first[both], second[both])


def test_median_and_low_over_pairs() -> None:
    same, other = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    words = [[frozenset("ab"), frozenset("cd")]] * 2 + [[frozenset("ac"), frozenset("cd")]]
    found = measure_stability([same, same, other], words)
    assert found.ari_median == found.ari_low == pytest.approx(agreement_of(same, other))
    assert found.word_overlap == pytest.approx((1 + 1 + 1 / 3 + 1 + 1 / 3 + 1) / 6)


def test_one_fit_has_no_agreement() -> None:
    found = measure_stability([np.array([0, 1])], [[frozenset("a")]])
    assert found.ari_median is None
    assert found.grade == "unknown"


@pytest.mark.parametrize(("value", "grade"), [(0.02, "chance"), (0.5, "partly"), (0.65, "steady")])
def test_grades(value: float, grade: str) -> None:
    assert TopicStability(20, value, value, 0.5).grade == grade


def test_agreement_counts_above_what_nothing_to_find_reaches() -> None:
    found = TopicStability(20, 0.6, 0.5, 0.5, baseline=0.5)
    assert found.above_baseline == pytest.approx(0.2)
    assert TopicStability(20, 0.45, 0.4, 0.5, baseline=0.5).grade == "chance"
    assert TopicStability(20, 1.0, 1.0, 0.5, baseline=1.0).grade == "unknown"


def test_co_assignment_counts_only_fits_that_placed_both() -> None:
    shared = co_assignment([np.array([0, 0, 1]), np.array([0, 1, UNPLACED])])
    assert shared[0, 1] == 0.5
    assert shared[0, 2] == 0
    assert shared[2, 2] == 1


def test_consensus_finds_what_most_fits_agree_on() -> None:
    fits = [np.array([0, 0, 0, 1, 1]), np.array([1, 1, 1, 0, 0]), np.array([0, 0, 1, 1, 1])]
    found = find_consensus(fits, 2)
    assert found.labels == (0, 0, 0, 1, 1)
    assert found.together == pytest.approx((1 + 2 / 3 + 2 / 3 + 1) / 4)
    assert found.apart == pytest.approx((1 / 3 + 1 / 3) / 6)


def test_consensus_leaves_out_what_no_fit_placed() -> None:
    found = find_consensus([np.array([0, UNPLACED, 0]), np.array([UNPLACED, UNPLACED, 1])], 2)
    assert found.labels[1] == UNPLACED
    assert find_consensus([np.array([0])], 2).together is None
