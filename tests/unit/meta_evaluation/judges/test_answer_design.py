"""Draws of texts for people: the chances asked for are the ones that come true, also over several waves."""

from itertools import product

import numpy as np
import pytest

from app.meta_evaluation.judges.answer_design import (
    chances_by_uncertainty,
    overall,
    pivotal_draw,
    probabilities,
    variance_ratio,
    wave_chances,
)
from app.meta_evaluation.score_matrix import Floats

NONE = np.zeros(4)
UNSURE = np.array([0.0, 0.1, 0.3, 0.6])


class Tosses(np.random.Generator):
    """Gives out what a test says, in its order."""

    def __init__(self, tosses: list[float]) -> None:
        super().__init__(np.random.PCG64(0))
        self.left = list(tosses)

    def random(self, size: int | None = None) -> Floats | float:  # type: ignore[override]
        taken = [self.left.pop(0) for _ in range(1 if size is None else size)]
        return taken[0] if size is None else np.array(taken)


def frequencies(chances: Floats, draws: int, seed: int = 1) -> Floats:
    rng, found = np.random.default_rng(seed), np.zeros(chances.size)
    for _ in range(draws):
        found[list(pivotal_draw(chances, rng.permutation(chances.size), rng))] += 1
    return found / draws


def test_the_chances_mix_uncertainty_with_equal_parts_and_are_equal_without_any():
    assert chances_by_uncertainty(UNSURE, 0.5) == pytest.approx([0.125, 0.175, 0.275, 0.425])
    assert chances_by_uncertainty(NONE) == pytest.approx([0.25] * 4)


def test_no_chance_exceeds_one_and_together_they_are_the_number_wanted():
    # 3 of 4 with parts .1, .1, .2, .6: the last is certain, the others share 2 as 1 : 1 : 2, which makes the third
    # certain too
    found = probabilities(np.array([0.1, 0.1, 0.2, 0.6]), 3, NONE)
    assert found == pytest.approx([0.5, 0.5, 1, 1])
    assert probabilities(np.full(4, 0.25), 9, NONE) == pytest.approx([1] * 4)


def test_a_later_wave_takes_no_probability_back():
    # .6 + 1 wanted over parts of .25: all would be at .4, but the last is at .6 already, so the others share 1
    found = probabilities(np.full(4, 0.25), 1, np.array([0.0, 0.0, 0.0, 0.6]))
    assert found == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0.6])


def test_waves_of_texts_not_drawn_yet_lead_to_the_probability_wanted():
    before, after = np.array([0.2, 0.5, 1.0]), np.array([0.6, 0.5, 1.0])
    chances = wave_chances(before, after)
    assert chances == pytest.approx([0.5, 0, 0])
    assert overall([before, chances]) == pytest.approx(after)
    # half of the first wave answered, all of the second: .2 / 2 + .8 * .5
    assert overall([before, chances], [0.5, 1.0]) == pytest.approx([0.5, 0.25, 0.5])


def test_each_toss_of_the_pivotal_draw_follows_the_published_rule():
    # .6 meets .7: together 1.3, so one is drawn and the other keeps .3; the first with 1 - .7 in .7. Then .3 meets .7.
    chances = np.array([0.6, 0.7, 0.7])
    order = np.arange(3)
    assert pivotal_draw(chances, order, Tosses([0, 0.42, 0.29])) == (0, 1)
    assert pivotal_draw(chances, order, Tosses([0, 0.42, 0.31])) == (0, 2)
    assert pivotal_draw(chances, order, Tosses([0, 0.44, 0.31])) == (1, 2)


def test_texts_are_drawn_with_exactly_their_chances_and_as_many_as_wanted():
    chances = probabilities(chances_by_uncertainty(np.random.default_rng(3).random(12) ** 2, 0.8), 5, np.zeros(12))
    found = frequencies(chances, 4000)
    assert found.sum() == pytest.approx(5)
    assert np.abs(found - chances).max() < 4 * 0.5 / np.sqrt(4000)
    assert all(len(pivotal_draw(np.full(100, 0.6), np.arange(100), np.random.default_rng(n))) == 60 for n in range(5))


def test_a_draw_in_order_of_score_takes_about_one_of_each_stretch():
    for seed in range(20):
        drawn = pivotal_draw(np.full(100, 0.1), np.arange(100), np.random.default_rng(seed))
        assert all(abs(sum(place < end for place in drawn) - end / 10) <= 1 for end in range(10, 101, 10))


def test_chances_that_make_no_whole_number_draw_one_more_or_one_less():
    rng = np.random.default_rng(1)
    counts = {len(pivotal_draw(np.full(5, 0.5), np.arange(5), rng)) for _ in range(50)}
    assert counts == {2, 3}


def test_over_two_waves_every_texts_frequency_is_its_probability_and_the_weighted_mean_is_unbiased():
    """The second wave is planned by other uncertainties, and draws only from what the first left."""
    rng, texts, worlds = np.random.default_rng(5), 20, 4000
    first = probabilities(chances_by_uncertainty(rng.random(texts) ** 3, 0.75), 5, np.zeros(texts))
    after = probabilities(chances_by_uncertainty(rng.random(texts) ** 3, 0.75), 6, first)
    second, truth = wave_chances(first, after), np.argsort(np.argsort(after)) / texts
    assert overall([first, second]) == pytest.approx(after)
    found, totals, sizes = np.zeros(texts), [], []
    for _ in range(worlds):
        one = list(pivotal_draw(first, rng.permutation(texts), rng))
        rest = np.setdiff1d(np.arange(texts), one)
        two = rest[list(pivotal_draw(second[rest], rng.permutation(rest.size), rng))]
        drawn = [*one, *two]
        found[drawn] += 1 / worlds
        totals.append((truth[drawn] / after[drawn]).sum())
        sizes.append(len(two))
    error = np.std(totals) / np.sqrt(worlds)
    assert np.abs(found - after).max() < 4 * 0.5 / np.sqrt(worlds)
    assert abs(np.mean(totals) - truth.sum()) < 3 * error
    assert np.mean(sizes) == pytest.approx(6, abs=0.1)
    assert (found * truth).sum() / found.sum() > truth.mean() + 0.1, "without the weights it would be off"


@pytest.mark.parametrize("floor", [0.0, 0.3])
def test_enumerated_draws_of_two_of_three(floor: float):
    """All ways of three texts through the duel, each with its probability, against the chances."""
    chances = np.array([0.9, 0.7 - floor, 0.4 + floor])
    found, total = np.zeros(3), 0.0
    grid = (np.arange(60) + 0.5) / 60
    for tosses in product(grid, repeat=2):
        drawn = pivotal_draw(chances, np.arange(3), Tosses([0, *tosses, 0]))
        found[list(drawn)] += 1
        total += 1
    assert found / total == pytest.approx(chances, abs=0.02)


def test_a_plan_that_asks_where_people_and_judge_differ_leaves_less_variance():
    # Squares 1, 0, 4: under the plan 1 / .5 + 4 / 1 = 6, by chance (1 + 4) / .5 = 10.
    residual = np.array([[1.0, np.nan], [0.0, 0.0], [0.0, 2.0]])
    plan, chance = np.array([0.5, 0.25, 1.0]), np.full(3, 0.5)
    ends = variance_ratio(residual, np.ones(3), plan, chance)
    assert ends is not None
    assert sum(ends) / 2 == pytest.approx(0.6)
    # What each text adds beyond .6 of its share by chance: 2 - 1.2, 0, 4 - 4.8
    assert ends[1] - ends[0] == pytest.approx(2 * 1.96 * np.sqrt(2 * 0.64) / 10, rel=1e-3)
    weighed = variance_ratio(residual, np.array([1.0, 1.0, 0.25]), plan, chance)
    assert weighed is not None
    assert sum(weighed) / 2 == pytest.approx(3 / 4)
    assert variance_ratio(np.zeros((3, 1)), np.ones(3), plan, chance) is None
