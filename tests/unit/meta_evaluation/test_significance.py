import math

import pytest

from app.meta_evaluation.permutation import fisher_z, holm, williams


def test_williams_agrees_with_the_worked_example() -> None:
    """Steiger's (1980) setting n = 103, r12 = .4, r13 = .5, r23 = .1, for which R's psych package prints t = -0.89."""
    test = williams(0.4, 0.5, 0.1, 103)
    assert test.statistic == pytest.approx(-0.89, abs=0.005)
    assert test.p == pytest.approx(0.37, abs=0.01)


def test_williams_of_few_texts_by_hand() -> None:
    # determinant .47, 2 (19/17) .47 + .55**2 .6**3 = 1.115928, t = .1 sqrt(19 * 1.4 / 1.115928)
    assert williams(0.6, 0.5, 0.4, 20).statistic == pytest.approx(0.488228, abs=1e-6)


def test_williams_of_four_texts_has_one_degree_of_freedom() -> None:
    test = williams(0.6, 0.5, 0.4, 4)
    assert test.statistic == pytest.approx(0.120650, abs=1e-6)
    assert test.p == pytest.approx(1 - 2 / math.pi * math.atan(0.120650), abs=1e-6)  # Student's t of one is Cauchy's


def test_fisher_by_hand() -> None:
    # atanh(.5) = .549306, atanh(.3) = .309520, standard error sqrt(2 / 97) = .143592
    test = fisher_z(0.5, 0.3, 100, 100)
    assert test.statistic == pytest.approx(0.239786 / 0.143592, abs=1e-4)
    assert test.p == pytest.approx(0.09494, abs=1e-4)


@pytest.mark.parametrize(("difference", "stars"), [(0.02, ""), (0.17, "*"), (0.20, "**"), (0.25, "***")])
def test_stars(difference: float, stars: str) -> None:
    assert fisher_z(0.3 + difference, 0.3, 250, 250).stars == stars


def test_pairing_makes_williams_sharper_than_fisher() -> None:
    paired, unpaired = williams(0.6, 0.5, 0.9, 150), fisher_z(0.6, 0.5, 150, 150)
    assert paired.p is not None
    assert unpaired.p is not None
    assert paired.p < 0.01
    assert unpaired.p > 0.1


def test_what_cannot_be_tested_says_why() -> None:
    assert "at least four" in williams(0.5, 0.4, 0.3, 3).reason
    assert "at least four" in fisher_z(0.5, 0.4, 3, 3).reason
    assert "infinite" in fisher_z(1.0, 0.4, 30, 30).reason
    assert "determine each other" in williams(1.0, -1.0, -1.0, 30).reason
    assert williams(0.5, 0.5, 1.0, 30).p == 1.0
    assert fisher_z(1.0, 1.0, 30, 30).p == 1.0


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx((0.03, 0.06, 0.06))
    assert holm([0.5, 0.9]) == pytest.approx((1.0, 1.0))
    assert holm([None, 0.01]) == (None, 0.01)
    assert holm([]) == ()
