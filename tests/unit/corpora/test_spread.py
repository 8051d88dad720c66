"""Texts are spread evenly over experts, and stay with whoever has begun on them."""

from collections import Counter
from collections.abc import Mapping

import numpy as np
import pytest

from app.corpora.draws import spread
from app.errors import InputError

TEXTS = tuple(range(1, 21))
FOUR = ("Ana", "Ben", "Cy", "Di")


def loads(found: Mapping[int, frozenset[str]]) -> Counter[str]:
    return Counter(name for those in found.values() for name in those)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("overlap", [1, 2, 3, 4])
@pytest.mark.parametrize("texts", [1, 2, 7, 20])
def test_each_text_has_so_many_experts_and_everybody_as_many_texts(texts: int, overlap: int, seed: int) -> None:
    found = spread(TEXTS[:texts], FOUR, overlap, np.random.default_rng(seed))
    assert {len(those) for those in found.values()} == {overlap}
    load = [loads(found)[name] for name in FOUR]
    assert sum(load) == texts * overlap
    assert max(load) - min(load) <= 1


def test_the_same_seed_spreads_alike_and_who_answers_with_whom_varies() -> None:
    found = spread(TEXTS, FOUR, 2, np.random.default_rng(1))
    assert spread(TEXTS, FOUR[::-1], 2, np.random.default_rng(1)) == found
    assert spread(TEXTS, FOUR, 2, np.random.default_rng(2)) != found
    assert len(set(found.values())) > 2


def test_what_was_begun_stays_when_experts_are_added_and_the_rest_is_level_again() -> None:
    before = spread(TEXTS, FOUR, 2, np.random.default_rng(1))
    begun = {text: those for text, those in before.items() if text <= 10}
    after = spread(TEXTS, (*FOUR, "Eve"), 2, np.random.default_rng(9), given=before, begun=begun)
    assert all(after[text] == before[text] for text in begun)
    load = [loads(after)[name] for name in (*FOUR, "Eve")]
    assert max(load) - min(load) <= 1
    moved = sum(len(before[text] - after[text]) for text in TEXTS)
    assert moved == loads(after)["Eve"] == 8  # no more move than Eve needs


def test_without_a_change_nothing_moves() -> None:
    before = spread(TEXTS, FOUR, 3, np.random.default_rng(1))
    assert spread(TEXTS, FOUR, 3, np.random.default_rng(2), given=before) == before


def test_more_or_fewer_experts_a_text_add_and_take_only_what_is_not_begun() -> None:
    before = spread(TEXTS, FOUR, 2, np.random.default_rng(1))
    begun = {text: those for text, those in before.items() if text <= 5}
    more = spread(TEXTS, FOUR, 3, np.random.default_rng(2), given=before, begun=begun)
    assert all(before[text] < more[text] and len(more[text]) == 3 for text in TEXTS)
    fewer = spread(TEXTS, FOUR, 1, np.random.default_rng(3), given=before, begun=begun)
    assert all(fewer[text] == before[text] for text in begun)
    assert all(len(fewer[text]) == 1 and fewer[text] < before[text] for text in TEXTS if text > 5)


def test_whoever_is_gone_keeps_what_they_answered_and_the_rest_goes_to_others() -> None:
    before = spread(TEXTS, FOUR, 2, np.random.default_rng(1))
    answered = next(text for text in TEXTS if "Di" in before[text])
    after = spread(TEXTS, FOUR[:3], 2, np.random.default_rng(2), given=before, begun={answered: ["Di"]})
    assert [text for text in TEXTS if "Di" in after[text]] == [answered]
    assert {len(those) for those in after.values()} == {2}


def test_whoever_has_begun_on_more_than_their_part_gets_no_more_than_that() -> None:
    begun = {text: ["Ana"] for text in TEXTS[:15]}
    found = spread(TEXTS, FOUR, 1, np.random.default_rng(1), begun=begun)
    assert sorted(loads(found).values()) == [1, 2, 2, 15]


@pytest.mark.parametrize(
    ("overlap", "experts", "said"),
    [
        (3, ("Ana", "Ben"), "can't be answered by 3 experts. There are 2 to choose from"),
        (2, ("Ana",), "There is 1 to choose from"),
        (1, (), "There are none yet"),
        (0, FOUR, "0 experts can't answer a text"),
    ],
)
def test_more_experts_than_there_are_is_a_sentence(overlap: int, experts: tuple[str, ...], said: str) -> None:
    with pytest.raises(InputError, match=said):
        spread(TEXTS, experts, overlap, np.random.default_rng(1))


def test_no_texts_are_spread_over_nobody_in_particular() -> None:
    assert spread((), FOUR, 2, np.random.default_rng(1)) == {}
