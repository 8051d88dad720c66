"""Themes only one side speaks about, on sets whose themes are known."""

import pytest

from app.attribute_analysis.pool import AttributePool, pool_attributes
from app.attribute_analysis.similarity import OneSidedTheme, one_sided_themes, pair_matrices
from app.domain.attribute import ContributorKind
from app.errors import InputError

HUMAN, LLM = ContributorKind.HUMAN, ContributorKind.LLM
SHARED = "sentences follow logical order"
SAID = {
    "Ada": ["jokes land quickly", "jokes amuse readers quickly", SHARED, "zebra"],
    "model": [f"{SHARED} throughout", "grammar mistakes occur rarely", "grammar mistakes occur seldom"],
}


def themes(said: dict[str, list[str]], threshold: float = 0.2) -> tuple[AttributePool, tuple[OneSidedTheme, ...]]:
    kinds = {name: HUMAN if name == "Ada" else LLM for name in said}
    pool = pool_attributes(said, kinds)
    return pool, one_sided_themes(pool, pair_matrices(pool.texts), threshold)


def texts(said: dict[str, list[str]]) -> set[tuple[str, frozenset[str]]]:
    pool, found = themes(said)
    return {(theme.kind, frozenset(pool.texts[i] for i in theme.attributes)) for theme in found}


def test_each_sides_own_theme_is_found_and_the_shared_one_is_not():
    assert texts(SAID) == {
        ("human", frozenset(SAID["Ada"][:2])),
        ("llm", frozenset(SAID["model"][1:])),
    }


def test_a_theme_is_named_by_the_words_that_mark_it_out():
    _, found = themes(SAID)
    by_kind = {theme.kind: theme.words for theme in found}
    assert by_kind["human"][:2] == ("jokes", "quickly")
    assert by_kind["llm"][:3] == ("grammar", "mistakes", "occur")


def test_another_order_gives_the_same_themes():
    assert texts({name: said[::-1] for name, said in reversed(SAID.items())}) == texts(SAID)


def test_nothing_is_one_sided_without_another_side():
    assert themes({"Ada": SAID["Ada"]})[1] == ()


def test_attributes_without_words_make_no_theme():
    assert texts({"Ada": ["the", "of"], "model": ["is", "and"]}) == set()


def test_a_threshold_out_of_range_is_refused():
    with pytest.raises(InputError):
        themes(SAID, 1.5)
