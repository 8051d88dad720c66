"""Looks at a judge: p-values by exchanging answerings, checked against counting every exchange by hand."""

from itertools import product

import numpy as np
import pytest

from app.meta_evaluation.judges.drift import (
    LEVEL,
    LIMIT,
    RepeatedAnchorAnswers,
    capital,
    findable_rate,
    look_p,
    look_power,
    look_shares,
    upper_bound,
)
from app.meta_evaluation.score_matrix import Ints
from tests.benchmarks import drift as bench


def _everywhere(codes: Ints) -> RepeatedAnchorAnswers:
    return RepeatedAnchorAnswers(codes, np.ones(codes.shape[:-1], dtype=np.bool_))


def test_three_anchors_that_alone_differ_now_are_one_in_sixty_four() -> None:
    codes = np.zeros((3, 4, 2), dtype=np.int64)
    codes[:, -1, 0] = 1
    assert look_p(_everywhere(codes)) == pytest.approx(1 / 64)


def test_a_judge_that_never_wavers_and_never_changes_has_a_p_of_one() -> None:
    assert look_p(_everywhere(np.ones((5, 4, 3), dtype=np.int64))) == pytest.approx(1)


def test_p_is_the_share_of_all_exchanges_that_stand_apart_as_much() -> None:
    codes = np.random.default_rng(3).integers(0, 3, (4, 5, 3))

    def surprise(anchor: int, place: int) -> int:
        same = (codes[anchor] == codes[anchor, place]).sum(axis=0)
        return sum(int(np.rint(8 * np.log2(5 / count))) for count in same)

    seen = sum(surprise(anchor, 4) for anchor in range(4))
    sums = [sum(surprise(a, place) for a, place in enumerate(places)) for places in product(range(5), repeat=4)]
    expected = sum(total >= seen for total in sums) / len(sums)
    assert 0 < expected < 1
    assert look_p(_everywhere(codes)) == pytest.approx(expected)


def test_an_anchor_without_a_newest_answer_tells_nothing() -> None:
    codes = np.zeros((3, 4, 1), dtype=np.int64)
    codes[:, -1] = 1
    present = np.ones((3, 4), dtype=np.bool_)
    present[2, -1] = False
    assert look_p(RepeatedAnchorAnswers(codes, present)) == pytest.approx(1 / 16)
    present[:, -1] = False
    assert look_p(RepeatedAnchorAnswers(codes, present)) == pytest.approx(1)


def test_an_answering_that_failed_is_no_answering() -> None:
    codes = np.zeros((2, 4, 1), dtype=np.int64)
    codes[:, -1] = 1
    present = np.ones((2, 4), dtype=np.bool_)
    present[:, 1] = False
    codes[:, 1] = 1  # what stands there was never said
    assert look_p(RepeatedAnchorAnswers(codes, present)) == pytest.approx(1 / 9)


def test_shares_of_the_stake_never_exceed_it() -> None:
    assert look_shares(4).tolist() == pytest.approx([1 / 2, 1 / 6, 1 / 12, 1 / 20])
    assert look_shares(2, 10).tolist() == pytest.approx([1 / 11, 10 / 132])
    assert max(look_shares(10_000, patience).sum() for patience in (1, 10)) < 1


def test_capital_by_hand() -> None:
    """At once: half the stake on the first look, so p = .015 reaches .75 * 20 and leaves the half for later."""
    gain = (1 - 0.015 + 0.015 * np.log(0.015)) / (0.015 * np.log(0.015) ** 2)
    assert capital(np.array([0.015]))[0] == pytest.approx(0.75 * (20 / 0.75 + 0.5) + 0.25 * (gain / 11 + 10 / 11))
    assert capital(np.array([0.019]))[0] < LIMIT  # .05 * .75 / 2 is .01875
    assert capital(np.array([1.0]))[0] == pytest.approx(0.75 * 0.5 + 0.25 * (0.5 / 11 + 10 / 11), rel=1e-5)


def test_a_weak_change_adds_up_over_looks() -> None:
    grown = capital(np.full(12, 0.02))
    assert grown[0] < LIMIT <= grown[-1]


def test_what_was_found_stays_found() -> None:
    later = capital(np.concatenate([[1e-6], np.ones(50)]))
    assert (later >= LIMIT).all()


def test_bets_are_fair_when_p_is_uniform() -> None:
    ps = np.random.default_rng(5).random((4000, 30))
    accused = (capital(ps) >= LIMIT).any(axis=1).mean()
    assert accused <= LEVEL
    assert accused > 0.01  # a test that never says anything would pass as well


@pytest.mark.parametrize("noise", bench.NOISES.values(), ids=list(bench.NOISES))
def test_an_unchanged_judge_is_seldom_accused(noise: float) -> None:
    assert bench.false_alarms(noise, simulations=200, looks=25) <= LEVEL


def test_few_anchors_find_a_tenth_of_flips() -> None:
    assert bench.found_at_first_look(7, 10, 0.0, simulations=400) >= 0.9
    assert bench.found_at_first_look(3, 10, 0.0, simulations=400) < 0.5


def test_looks_share_their_reference_and_their_p_values_are_independent_all_the_same() -> None:
    answers = bench.judges(np.random.default_rng(2), 2000, 4, 3, 0.3, 2)
    ps = bench.look_ps(answers)
    assert abs(np.corrcoef(ps.T)[0, 1]) < 0.06
    assert ((ps <= 0.1).mean(axis=0) <= 0.12).all()  # ties count against a change


def test_the_rate_that_anchors_can_show_falls_with_their_number() -> None:
    none = np.empty(0)
    few, many = (findable_rate(_everywhere(np.zeros((anchors, 3, 10), dtype=np.int64)), none) for anchors in (4, 20))
    assert few is not None
    assert many is not None
    assert many < 0.1 <= few
    one = _everywhere(np.zeros((1, 3, 10), dtype=np.int64))
    assert findable_rate(one, none) is None
    assert look_power(one, none, 0.5, np.random.default_rng(0)) == 0


@pytest.mark.long
def test_upper_bound_holds_the_mean() -> None:
    rng = np.random.default_rng(8)
    means = rng.beta(1, 9, 40)
    bounds = [upper_bound((rng.random((2, 40)) < means).ravel().astype(np.float64)) for _ in range(200)]
    assert np.mean([bound >= means.mean() for bound in bounds]) >= 0.95


def test_upper_bound_narrows() -> None:
    assert upper_bound(np.zeros(20)) > upper_bound(np.zeros(200)) > 0
    assert upper_bound(np.zeros(20)) < 0.25  # 1 - .05 ** (1 / 20) is .139 with the best bet known
    assert upper_bound(np.empty(0)) == 1
