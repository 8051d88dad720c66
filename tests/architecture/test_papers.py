"""The guide's page on the papers: each item says where it is, and each place that it names is there."""

import re
import shlex
from typing import NamedTuple

import pytest

from app.corpora.recipes.recipe import load_recipe, recipe_names
from app.evaluators.method import described
from app.evaluators.registry import METHODS
from app.prompting import load_prompt
from tests.support.command_lines import spans_in, unknown_words
from tests.support.guide.markdown import words_in_bold
from tests.support.repository import ROOT

PAGE = (ROOT / "docs" / "guide" / "papers.md").read_text(encoding="utf-8")


class Item(NamedTuple):
    name: str
    where: str
    how: str


ITEMS = [
    Item(*(cell.strip() for cell in line.strip("|").split(" | ")))
    for line in PAGE.splitlines()
    if line.startswith("| ") and not line.startswith(("| item |", "| --- |"))
]


def test_an_item_names_places_that_exist(subtests: pytest.Subtests) -> None:
    for item in ITEMS:
        with subtests.test(item.name):
            assert re.match(r"(as in the paper|differs: )", item.how), item
            spans = spans_in(item.where)
            assert [found for span in spans for found in unknown_places(span)] == []
            assert spans or words_in_bold(item.where) or (item.where, item.how[:7]) == ("–", "missing")


def unknown_places(span: str) -> list[str]:
    """Of a command with its options, a method with its options, a recipe's table or a prompt's name: what isn't one."""
    words = shlex.split(span)
    if words[0] in METHODS and all("=" in word for word in words[1:]):
        method = METHODS[words[0]]
        given = dict(word.split("=", 1) for word in words[1:])
        method.read_options(given)  # raises for a value that it doesn't take
        return sorted(given.keys() - {option.name for option in described(method.options)})
    named = {"reproduce": _no_table, "prompts": _no_prompt}.get(words[0])
    return [*unknown_words(f"interacteval {span}"), *(named(words[1:]) if named else ())]


def _no_table(words: list[str]) -> list[str]:
    paper, table = words
    return [] if table in load_recipe(paper).tables else [table]


def _no_prompt(words: list[str]) -> list[str]:
    return [] if words[0] != "show" or load_prompt(words[1]) else words


def test_every_paper_has_its_items_and_every_recipe_is_named() -> None:
    assert len(ITEMS) >= 141
    named = {tuple(span.split()[1:]) for item in ITEMS for span in spans_in(item.where) if "reproduce " in span}
    assert {(paper, table) for paper in recipe_names() for table in load_recipe(paper).tables} <= named
