"""Pairwise accuracy and Bradley-Terry strengths, beside computations of their own."""

from itertools import combinations

import numpy as np
import pytest
from scipy import optimize

from app.domain.expert_answer import Winner
from app.meta_evaluation.preferences import (
    FEWEST_COMPARISONS,
    ComparedSystems,
    ScoredPair,
    pairwise_accuracy,
    system_strengths,
)

A, B, TIE = Winner.A, Winner.B, Winner.TIE


def test_accuracy_counts_ties_of_scores_half_and_leaves_out_people_s() -> None:
    pairs = [
        ScoredPair("s1", 3.0, 2.0, A),
        ScoredPair("s1", 3.0, 2.0, B),
        ScoredPair("s2", 0.1 + 0.2, 0.3, A),
        ScoredPair("s2", 1.0, 2.0, B),
        ScoredPair("s3", 1.0, 2.0, TIE),
        ScoredPair("s3", None, 2.0, A),
    ]
    found = pairwise_accuracy(pairs)
    assert (found.n, found.sources, found.value) == (4, 2, 0.625)
    assert (found.score_ties, found.people_ties, found.without_score) == (1, 1, 1)
    assert found.low is not None and found.high is not None and found.low <= 0.625 <= found.high


def test_interval_draws_whole_sources() -> None:
    """Fifty pairs of a source that agree with each other are no fifty observations."""
    rng = np.random.default_rng(1)
    right = rng.random(40) < 0.7
    once = [ScoredPair(f"s{n}", 1.0, 0.0, A if ok else B) for n, ok in enumerate(right)]
    alone, many = pairwise_accuracy(once), pairwise_accuracy(once * 50)
    assert (many.n, many.sources) == (2000, 40)
    assert (many.value, many.low, many.high) == pytest.approx((alone.value, alone.low, alone.high))


@pytest.mark.parametrize(
    ("pairs", "value"),
    [
        ([], None),
        ([ScoredPair("s", 1, 2, TIE)], None),
        ([ScoredPair("s", 1, 2, A), ScoredPair("s", 1, 2, B)], 0.5),
        ([ScoredPair(f"s{n}", 1, 2, B) for n in range(9)], 1.0),
    ],
)
def test_figures_without_a_base_have_no_interval_and_say_why(pairs: list[ScoredPair], value: float | None) -> None:
    found = pairwise_accuracy(pairs)
    assert (found.value, found.low, found.high) == (value, None, None)
    assert found.reason


def compared(strengths: dict[str, float], seed: int, sources: int = 60) -> list[ComparedSystems]:
    """Every two systems once in each source; every tenth comparison is a tie."""
    rng = np.random.default_rng(seed)
    pairs = []
    for source in range(sources):
        for (a, of_a), (b, of_b) in combinations(strengths.items(), 2):
            wins = rng.random() < 1 / (1 + np.exp(of_b - of_a))
            winner = TIE if rng.random() < 0.1 else A if wins else B
            pairs.append(ComparedSystems(f"s{source}", a, b, winner))
    return pairs


def likeliest(pairs: list[ComparedSystems], names: list[str]) -> list[float]:
    """By direct maximisation of the log-likelihood."""

    def loss(free: np.ndarray) -> float:
        logs = dict(zip(names, free, strict=True))
        total = 0.0
        for pair in pairs:
            share = {A: 1.0, B: 0.0, TIE: 0.5}[pair.winner]
            gap = logs[pair.a] - logs[pair.b]
            total += share * np.logaddexp(0, -gap) + (1 - share) * np.logaddexp(0, gap)
        return total + float(free.sum()) ** 2

    return list(optimize.minimize(loss, np.zeros(len(names)), method="BFGS", options={"gtol": 1e-8}).x)


def test_strengths_equal_direct_maximisation_of_the_likelihood() -> None:
    truth = {"a": 1.2, "b": 0.3, "c": -0.5, "d": -1.0}
    pairs = compared(truth, 3)
    found = {each.system: each for each in system_strengths(pairs).systems}
    assert [found[name].strength for name in truth] == pytest.approx(likeliest(pairs, list(truth)), abs=1e-3)
    assert sum(each.strength for each in found.values()) == pytest.approx(0, abs=1e-6)
    assert all(each.low < each.strength < each.high for each in found.values() if each.low and each.high)
    assert found["a"].comparisons == 180


def test_two_systems_differ_by_the_log_odds_of_their_wins() -> None:
    pairs = [ComparedSystems(f"s{n}", "x", "y", A if n % 4 else B) for n in range(40)]
    first, second = system_strengths(pairs).systems
    assert (first.system, first.wins, second.wins) == ("x", 30, 10)
    assert first.strength - second.strength == pytest.approx(np.log(3), abs=1e-6)


def test_strengths_need_a_connected_graph() -> None:
    apart = [ComparedSystems(f"s{n}", *pair, A if n % 2 else B) for n in range(20) for pair in (("a", "b"), ("c", "d"))]
    unbeaten = [ComparedSystems(f"s{n}", "best", "other", A) for n in range(20)]
    for pairs, named in ((apart, "a, b"), (unbeaten, "best")):
        found = system_strengths(pairs)
        assert not found.systems
        assert found.reason.endswith(f"{named}.")


def test_rare_systems_and_pairs_of_one_system_are_left_out_and_counted() -> None:
    pairs = [ComparedSystems(f"s{n}", "x", "y", A if n % 2 else B) for n in range(FEWEST_COMPARISONS)]
    rare = [ComparedSystems("s1", "x", "z", A)]
    other = [ComparedSystems("s1", "x", "x", A), ComparedSystems("s1", "", "x", A)]
    found = system_strengths([*pairs, *rare, *other])
    assert [each.system for each in found.systems] == ["x", "y"]
    assert (found.left_out, found.same_or_unnamed) == ((("z", 1),), 2)
    assert not system_strengths(pairs[1:]).systems


def test_strengths_are_the_same_each_time() -> None:
    pairs = compared({"a": 0.5, "b": 0.0, "c": -0.5}, 5)
    assert system_strengths(pairs) == system_strengths(pairs)
