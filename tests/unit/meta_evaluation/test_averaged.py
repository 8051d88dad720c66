"""Means over score sets: the single case is the known one, and copies of a set change nothing."""

import numpy as np
import pytest
from scipy import stats

from app.errors import InputError
from app.meta_evaluation.bootstrap import AgreementDesign
from app.meta_evaluation.comparison import averaged, averaged_cautions, compare_averaged, compare_scores
from app.meta_evaluation.evaluation import evaluate

SOURCES, SYSTEMS = 30, 5
RNG = np.random.default_rng(4)
HUMAN = RNG.integers(1, 6, SOURCES * SYSTEMS).astype(float)
GROUP = np.repeat(np.arange(SOURCES), SYSTEMS)
SYSTEM = np.tile(np.arange(SYSTEMS), SOURCES)
CLOSE = [HUMAN + RNG.normal(0, 0.5, HUMAN.size) for _ in range(3)]
FAR = [HUMAN + RNG.normal(0, 3, HUMAN.size) for _ in range(3)]


def on(**choices: object) -> AgreementDesign:
    return AgreementDesign(GROUP, SYSTEM, **{"resamples": 300, **choices})  # type: ignore[arg-type]


@pytest.mark.parametrize("level", ["per-source", "dataset", "system"])
def test_one_set_is_evaluated_as_ever(level: str) -> None:
    alone = evaluate(CLOSE[0], HUMAN, AgreementDesign(group=GROUP, system=SYSTEM, level=level, resamples=300))  # type: ignore[arg-type]
    assert averaged(CLOSE[:1], HUMAN, on(level=level)) == {**alone.figures, "mae": alone.mae}


def test_the_mean_is_that_of_scipys_coefficients() -> None:
    by_hand = np.mean(
        [np.mean([stats.spearmanr(s[g == GROUP], HUMAN[g == GROUP]).statistic for g in range(SOURCES)]) for s in FAR]
    )
    found = averaged(FAR, HUMAN, on())["spearman"]
    assert found.value == pytest.approx(by_hand)
    assert found.low is not None
    assert found.high is not None
    assert found.low < by_hand < found.high


def test_copies_of_a_set_are_no_more_certain_than_the_set() -> None:
    """A mean over independent data would have a narrower interval; these share texts and ratings."""
    once, thrice = averaged(FAR[:1], HUMAN, on())["kendall"], averaged(FAR[:1] * 3, HUMAN, on())["kendall"]
    assert (thrice.value, thrice.low, thrice.high) == pytest.approx((once.value, once.low, once.high))


def test_copies_compare_as_the_pair_itself() -> None:
    pair = compare_scores(
        CLOSE[0], FAR[0], HUMAN, AgreementDesign(group=GROUP, system=SYSTEM, resamples=300), permutations=200
    )
    same = compare_averaged(CLOSE[:1], FAR[:1], HUMAN, on(), 200)
    copies = compare_averaged(CLOSE[:1] * 2, FAR[:1] * 2, HUMAN, on(), 200)
    assert same == pair.differences
    for name, tested in pair.differences.items():
        assert copies[name].figure.difference == pytest.approx(tested.figure.difference)
        assert (copies[name].figure.low, copies[name].figure.high) == pytest.approx(
            (tested.figure.low, tested.figure.high)
        )
        assert copies[name].permutation.p == tested.permutation.p
        assert copies[name].fisher.statistic == pytest.approx(tested.fisher.statistic)


def test_means_that_differ_are_told_apart_and_equal_ones_are_not() -> None:
    apart = compare_averaged(CLOSE, FAR, HUMAN, on(), 500)["spearman"]
    assert apart.figure.low is not None
    assert apart.figure.low > 0
    assert apart.permutation.p == pytest.approx(1 / 501)
    assert apart.williams.p is None
    assert "several checklists" in apart.williams.reason
    alike = compare_averaged(FAR[:2], FAR[1:], HUMAN, on(), 500)["spearman"]
    assert alike.figure.low is not None
    assert alike.figure.high is not None
    assert alike.figure.low < 0 < alike.figure.high
    assert alike.permutation.p is not None
    assert alike.permutation.p > 0.05


@pytest.mark.long
def test_false_alarms_of_the_permutation_test_are_as_rare_as_promised() -> None:
    """Sets of one quality: over 200 data sets, p below .05 in no more than 5 % and what chance adds (2.5 sd)."""
    rng, alarms = np.random.default_rng(11), 0
    for _ in range(200):
        sets = [HUMAN + rng.normal(0, 2, HUMAN.size) for _ in range(3)]
        tested = compare_averaged(sets[:2], sets[2:], HUMAN, on(resamples=0), 99)["spearman"]
        alarms += (tested.permutation.p or 1) <= 0.05
    assert alarms <= 200 * 0.05 + 2.5 * np.sqrt(200 * 0.05 * 0.95)


def test_a_set_without_a_coefficient_leaves_no_mean_and_says_why() -> None:
    flat = np.full(HUMAN.size, 3.0)
    found = averaged([CLOSE[0], flat], HUMAN, on())["spearman"]
    assert found.value is None
    assert "all the same" in found.reason
    tested = compare_averaged([CLOSE[0], flat], FAR, HUMAN, on(), 50)["spearman"]
    assert tested.figure.difference is None
    assert "all the same" in tested.figure.reason
    assert (tested.permutation.p, tested.fisher.p) == (None, None)


def test_sets_that_lack_different_texts_are_refused() -> None:
    with_gap = CLOSE[0].copy()
    with_gap[3] = np.nan
    with pytest.raises(InputError, match="lack different texts"):
        averaged([with_gap, CLOSE[1]], HUMAN, on())
    with pytest.raises(InputError, match="no score set"):
        averaged([], HUMAN, on())


@pytest.mark.parametrize("level", ["per-source", "dataset", "system"])
@pytest.mark.parametrize("sources", [4, SOURCES])
def test_a_set_gets_every_caution_that_it_gets_alone(level: str, sources: int) -> None:
    few = sources > GROUP
    for scores in (CLOSE[0], -CLOSE[0], np.where(few, CLOSE[0], 3.0)):
        alone = evaluate(
            scores, HUMAN, AgreementDesign(group=GROUP, system=SYSTEM, level=level, resamples=300), on_scale=True
        )  # type: ignore[arg-type]
        by = on(level=level)
        assert averaged_cautions([scores], HUMAN, by, averaged([scores], HUMAN, by)) == (alone.cautions,)


def test_two_texts_a_source_are_said_to_give_coarse_coefficients() -> None:
    two = SYSTEM < 2
    by = AgreementDesign(GROUP[two], SYSTEM[two], resamples=100)
    said = averaged_cautions([CLOSE[0][two]], HUMAN[two], by, averaged([CLOSE[0][two]], HUMAN[two], by))
    assert any("A source has 2.0 texts on average" in caution for caution in said[0])
