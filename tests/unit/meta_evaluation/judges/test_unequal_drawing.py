"""Estimates from rows that were drawn for people with unequal probabilities."""

from collections.abc import Sequence
from dataclasses import fields

import numpy as np
import pytest

from app.errors import InputError
from app.meta_evaluation.judges.estimate import CorrectedEstimate, estimate, estimate_cautions
from app.meta_evaluation.judges.powered_estimates import (
    Moments,
    Sums,
    Z,
    drawn_weights,
    is_shifted,
    powered_error,
    powered_mean,
    sums,
    tuned_weight,
)
from app.meta_evaluation.score_matrix import Floats

SHARE = 0.4
"""Of true yes among the texts that worlds are made of."""


def world(rng: np.random.Generator, documents: int, each: int) -> tuple[Floats, Floats, Floats]:
    """Judge, truth and probability of rows: the judge says yes too often to hard texts, and those are drawn most."""
    rows = documents * each
    hard = np.repeat(rng.random(documents), each)
    truth = (rng.random(rows) < SHARE).astype(np.float64)
    judge = np.where((truth == 0) & (rng.random(rows) < 0.6 * hard), 1.0, truth)
    return judge, truth, 0.03 + 0.25 * hard**2 * (0.6 + 0.4 * judge)


def answered(rng: np.random.Generator, truth: Floats, probability: Floats) -> Floats:
    return np.where(rng.random(truth.size) < probability, truth, np.nan)


def stacked(parts: list[Sums]) -> Sums:
    """Of several worlds as if they were resamples, so that all are computed at once."""
    even, squared = (Moments(*joined([getattr(s, name) for s in parts])) for name in ("even", "squared"))
    rest = (np.concatenate([getattr(s, name) for s in parts]) for name in ("others", "g", "gg"))
    return Sums(*joined(parts), even, squared, *rest)


def joined(parts: Sequence[Moments]) -> list[Floats]:
    return [np.concatenate([getattr(s, field.name) for s in parts]) for field in fields(Moments)]


def corrected(s: Sums) -> tuple[Floats, Floats]:
    weight = tuned_weight(s)
    return powered_mean(s, weight), powered_error(s, weight)


def held(value: Floats, error: Floats) -> float:
    return float((np.abs(value - SHARE) <= Z * error).mean())


def test_weights_bring_back_the_truth_that_a_chosen_draw_hides() -> None:
    rng, plain, weighted = np.random.default_rng(3), [], []
    for _ in range(800):
        judge, truth, probability = world(rng, 2400, 1)
        human = answered(rng, truth, probability)
        plain.append(sums(judge, human))
        weighted.append(sums(judge, human, drawn_weights(human, probability)))
    hidden, error = corrected(stacked(plain))
    assert hidden.mean() < SHARE - 0.02, "hard texts make the judge look worse than it is"
    assert held(hidden, error) < 0.9
    value, error = corrected(stacked(weighted))
    people, alone = powered_mean(stacked(weighted), none := np.zeros(800)), powered_error(stacked(weighted), none)
    for figure, its_error in ((value, error), (people, alone)):
        assert figure.mean() == pytest.approx(SHARE, abs=0.006)
        assert its_error.mean() == pytest.approx(figure.std(), rel=0.06)
        assert 0.93 <= held(figure, its_error) <= 0.97
    assert error.mean() < 0.8 * alone.mean()
    assert np.mean([is_shifted(each, None) for each in plain[:100]]) > 0.6
    assert np.mean([is_shifted(each, None) for each in weighted[:100]]) <= 0.03


@pytest.mark.long
def test_weights_hold_by_document_too() -> None:
    rng, found = np.random.default_rng(5), []
    documents = np.repeat(np.arange(60), 20)
    for _ in range(200):
        judge, truth, probability = world(rng, 60, 20)
        human = answered(rng, truth, probability)
        each = estimate(judge, human, group=documents, probability=probability, resamples=200).corrected
        found.append([each.value, each.low, each.high])
    value, low, high = np.array(found, dtype=np.float64).T
    assert value.mean() == pytest.approx(SHARE, abs=0.008)
    assert 0.92 <= np.mean((low <= SHARE) & (high >= SHARE)) <= 0.985


def figures(found: CorrectedEstimate) -> list[float | None]:
    kinds = (found.judge_only, found.human_only, found.corrected, found.sensitivity, found.specificity)
    return [part for kind in kinds if kind for part in (kind.value, kind.low, kind.high)]


@pytest.mark.parametrize("group", [None, np.repeat(np.arange(40), 30)])
def test_equal_probabilities_change_nothing(group: Floats | None) -> None:
    judge, truth, probability = world(rng := np.random.default_rng(8), 1200, 1)
    human = answered(rng, truth, probability)
    plain = estimate(judge, human, group=group)
    equal = estimate(judge, human, group=group, probability=np.where(np.isnan(human), np.nan, 0.03))
    assert figures(equal) == pytest.approx(figures(plain), abs=1e-9)
    assert (equal.weight, equal.even) == (pytest.approx(plain.weight), pytest.approx(plain.n_human))
    assert (equal.shifted, equal.worth, equal.weighted) == (plain.shifted, plain.worth, True)
    assert [each.alone for each in equal.forecast] == [each.alone for each in plain.forecast]


def test_weighted_figures_by_hand() -> None:
    """Rows drawn with 1 and 1/3 weigh 1 and 3: people (1 + 3 * 0 + 1 + 3) / 8."""
    judge = np.r_[1.0, 1, 1, 0, 1, 0, 0, 0]
    human = np.r_[1.0, 0, 1, 1, np.full(4, np.nan)]
    found = estimate(judge, human, probability=np.r_[1, 1 / 3, 1, 1 / 3, np.full(4, np.nan)])
    assert found.human_only.value == pytest.approx(5 / 8)
    error = np.sqrt((3 / 8) ** 2 + (3 * 5 / 8) ** 2 + (3 / 8) ** 2 + (3 * 3 / 8) ** 2) / 8
    assert found.human_only.high == pytest.approx(min(5 / 8 + Z * error, 1))
    assert found.sensitivity is not None
    assert found.sensitivity.value == pytest.approx(2 / 5)
    assert found.specificity is not None
    assert found.specificity.value == 0
    # the judge's mean is 4 / 8 on all rows and 5 / 8 on the weighted ones: lambda * 8 / 4 times the gap corrects
    assert found.corrected.value == pytest.approx(5 / 8 + found.weight * 2 * (4 / 8 - 5 / 8))
    assert found.judge_only.value == 0.5


def test_the_tuned_weight_is_the_best_one() -> None:
    """Over draws the corrected mean varies no more than with any one weight."""
    rng, drawn = np.random.default_rng(11), []
    for _ in range(600):
        judge, truth, probability = world(rng, 1200, 1)
        human = answered(rng, truth, probability)
        drawn.append(sums(judge, human, drawn_weights(human, probability)))
    s = stacked(drawn)
    fixed = [powered_mean(s, np.full(600, weight)).std() for weight in np.arange(0, 1.1, 0.1)]
    assert corrected(s)[0].std() <= 1.02 * min(fixed)
    assert min(fixed) < 0.9 * fixed[0]


@pytest.mark.parametrize(("probability", "says"), [(0.0, "and 0 as"), (1.5, "and 1.5 as"), (np.nan, "and none as")])
def test_an_answered_row_needs_its_probability(probability: float, says: str) -> None:
    given = np.r_[0.5, 0.5, probability, np.nan]
    with pytest.raises(InputError, match=f"Row 3 .* {says}"):
        estimate(np.r_[1.0, 0, 1, 0], np.r_[1.0, 0, 1, np.nan], probability=given)


def test_rogan_gladen_knows_no_draw() -> None:
    with pytest.raises(InputError, match="other sources"):
        estimate(np.r_[1.0, 0, 1], np.r_[1.0, 0, np.nan], probability=np.full(3, 0.5), method="rogan-gladen")


def test_what_weakens_weighted_figures_is_said() -> None:
    judge = np.tile([1.0, 0.0], 200)
    human = np.where(np.arange(400) < 60, judge, np.nan)
    uneven = np.where(np.arange(400) < 4, 0.005, 1.0)
    found = estimate(judge, human, probability=uneven)
    assert found.even < 10
    assert any("as much as" in said for said in estimate_cautions(found))
    chosen = np.where(judge[:200] == 1, 1.0, np.nan)
    found = estimate(judge, np.r_[chosen, np.full(200, np.nan)], probability=np.full(400, 0.5))
    assert found.shifted
    assert any("probabilities of the draw" in said for said in estimate_cautions(found))
    assert not any("rogan-gladen" in said for said in estimate_cautions(found))
