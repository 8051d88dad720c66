"""Draws of texts for people: the chances asked for are the ones that come true, also over several waves."""

from itertools import product

import numpy as np
import pytest

from app.meta_evaluation.judges.estimate import overall, pivotal_draw
from app.meta_evaluation.score_matrix import Floats


class Tosses(np.random.Generator):
    """Gives out what a test says, in its order."""

    def __init__(self, tosses: list[float]) -> None:
        super().__init__(np.random.PCG64(0))
        self.left = list(tosses)

    def random(self, size: int | None = None) -> Floats | float:  # type: ignore[override]
        taken = [self.left.pop(0) for _ in range(1 if size is None else size)]
        return taken[0] if size is None else np.array(taken)


def unequal(rng: np.random.Generator, texts: int, wanted: int) -> Floats:
    """(texts,) unequal chances below 1 that sum to `wanted`."""
    part = rng.random(texts) ** 2
    return 0.05 + part * (wanted - 0.05 * texts) / part.sum()


def frequencies(chances: Floats, draws: int, seed: int = 1) -> Floats:
    rng, found = np.random.default_rng(seed), np.zeros(chances.size)
    for _ in range(draws):
        found[list(pivotal_draw(chances, rng.permutation(chances.size), rng))] += 1
    return found / draws


def test_overall_of_two_waves_is_the_probability_in_any_of_them():
    before, chances = np.array([0.2, 0.5, 1.0]), np.array([0.5, 0.0, 0.0])
    assert overall([before, chances]) == pytest.approx([0.6, 0.5, 1.0])
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
    chances = unequal(np.random.default_rng(3), 12, 4)
    assert chances.max() < 1
    found = frequencies(chances, 4000)
    assert found.sum() == pytest.approx(4)
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
    """The second wave has other chances, and draws only from what the first left."""
    rng, texts, worlds = np.random.default_rng(5), 20, 4000
    first, second = unequal(rng, texts, 5), unequal(rng, texts, 6)
    after = overall([first, second])
    truth = np.argsort(np.argsort(after)) / texts
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
    assert np.mean(sizes) == pytest.approx(after.sum() - first.sum(), abs=0.1)
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
