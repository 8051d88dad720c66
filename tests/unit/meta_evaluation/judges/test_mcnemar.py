"""Paired shares of right answers: the exact test, Tango's interval, and what so many items can show."""

import numpy as np
import pytest
from scipy import optimize, stats

from app.meta_evaluation.judges.improvement_proof import (
    exact_mcnemar,
    paired_difference,
    smallest_shown,
    tango_interval,
)


@pytest.mark.parametrize(
    ("gained", "lost", "p"),
    [(6, 0, 2 / 64), (5, 0, 2 / 32), (0, 6, 2 / 64), (9, 1, 2 * 11 / 1024), (3, 3, 1.0), (0, 0, 1.0)],
)
def test_the_exact_test_by_hand(gained: int, lost: int, p: float) -> None:
    """Of ten changes one or none for the worse: (1 + 10) / 1024, twice."""
    assert exact_mcnemar(gained, lost) == pytest.approx(p)


def test_the_published_example_of_paired_shares() -> None:
    """Airway hyper-responsiveness, 21 children: 1, 1, 7 and 12 (Fagerland, Lydersen and Laake 2014, table 5)."""
    found = paired_difference(both=1, gained=1, lost=7, neither=12)
    assert (found.difference, found.low, found.high) == pytest.approx((-6 / 21, -0.517, -0.026), abs=5e-4)
    assert found.p == pytest.approx(2 * 9 / 256)
    assert not found.is_significant
    assert (found.before, found.after) == (8 / 21, 2 / 21)


def refused(difference: float, gained: int, lost: int, n: int) -> float:
    """The score statistic with the likelihood maximised numerically, by none of the formulas of the module."""
    stays = n - gained - lost

    def unlikely(share_lost: float) -> float:
        shares = np.array([share_lost + difference, share_lost, 1 - 2 * share_lost - difference])
        return -float(np.sum(np.array([gained, lost, stays]) * np.log(np.maximum(shares, 1e-300))))

    least, most = max(0.0, -difference), (1 - difference) / 2
    share = optimize.minimize_scalar(unlikely, bounds=(least, most), method="bounded", options={"xatol": 1e-12}).x
    error = np.sqrt(n * (2 * share + difference - difference**2))
    return float((gained - lost - n * difference) / error)


@pytest.mark.parametrize(("gained", "lost", "n"), [(8, 3, 40), (3, 8, 40), (12, 1, 30), (5, 5, 60), (2, 1, 35)])
def test_the_ends_are_where_the_score_test_begins_to_refuse(gained: int, lost: int, n: int) -> None:
    z = stats.norm.ppf(0.975)
    low, high = tango_interval(gained, lost, n)
    assert refused(low, gained, lost, n) == pytest.approx(z, abs=1e-4)
    assert refused(high, gained, lost, n) == pytest.approx(-z, abs=1e-4)


def test_nothing_changed_still_leaves_room_for_a_difference() -> None:
    """z² / (n + z²), as Wilson's end of 0 of n."""
    square = stats.norm.ppf(0.975) ** 2
    assert tango_interval(0, 0, 30) == pytest.approx((-square / (30 + square), square / (30 + square)))
    assert tango_interval(30, 0, 30) == (pytest.approx((30 - square) / (30 + square)), 1.0)
    assert tango_interval(0, 30, 30) == (-1.0, pytest.approx((square - 30) / (30 + square)))


def test_the_interval_holds_its_level_with_few_items() -> None:
    """Drawn from shares that are known: about 95 of 100 intervals hold the true difference."""
    rng = np.random.default_rng(3)
    drawn = rng.multinomial(30, [0.25, 0.1, 0.65], size=600)
    known = {(gained, lost): tango_interval(gained, lost, 30) for gained, lost, _ in {tuple(row) for row in drawn}}
    held = np.mean([low <= 0.15 <= high for low, high in (known[row[0], row[1]] for row in drawn)])
    assert 0.92 < held < 0.98


def test_what_so_many_items_can_show() -> None:
    assert smallest_shown(30) == 6 / 30
    assert smallest_shown(5) is None
    assert smallest_shown(30, lost=1) == 7 / 30  # 8 against 1: 20 / 512
    assert smallest_shown(8, lost=1) is None
    assert paired_difference(0, 0, 0, 0).p is None


@pytest.mark.long
def test_a_wording_no_better_is_rarely_told_apart() -> None:
    """Under no difference the exact test refuses at most 5 of 100, and so at most 2.5 for the better."""
    rng = np.random.default_rng(11)
    changed = rng.binomial(40, 0.4, size=2000)
    gained = rng.binomial(changed, 0.5)
    told = [exact_mcnemar(won, all_ - won) <= 0.05 < 2 * won - all_ for won, all_ in zip(gained, changed, strict=True)]
    assert 0 < np.mean(told) < 0.025
