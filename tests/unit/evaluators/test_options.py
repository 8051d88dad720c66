"""Options of methods: read from what was written, and shown in words."""

from dataclasses import dataclass, field
from typing import Any, Literal

import pytest

from app.errors import InputError
from app.evaluators.method import described, read_options, shown, unused_option
from app.evaluators.registry import METHODS


@dataclass(frozen=True, slots=True)
class Brew:
    cups: int = 2
    strong: bool = field(default=False, metadata=shown("Strong", "Twice the leaves."))
    leaf: Literal["green", "black"] = field(default="green", metadata=shown("Leaf", "Which.", {"green": "young"}))
    minutes: Literal[3, 5] = 3
    pot: str = ""


def test_what_is_written_is_read_as_its_type() -> None:
    written = {"cups": "3", "strong": "YES", "leaf": "black", "minutes": "5", "pot": "clay"}
    assert read_options("brew", Brew, written) == Brew(3, True, "black", 5, "clay")
    assert read_options("brew", Brew, {"cups": 4, "strong": False}) == Brew(4)
    assert read_options("brew", Brew, {}) == Brew()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"cups": "0"}, "a whole number of at least 1"),
        ({"cups": "many"}, "a whole number of at least 1"),
        ({"cups": True}, "a whole number of at least 1"),
        ({"strong": "perhaps"}, "yes, no"),
        ({"leaf": "white"}, "green, black"),
        ({"minutes": "4"}, "3, 5"),
        ({"pot": 7}, "some text"),
        ({"sugar": "1"}, "It has: cups, strong, leaf, minutes, pot."),
    ],
)
def test_what_does_not_fit_is_said(given: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError) as error:
        read_options("brew", Brew, given)
    assert said in error.value.hint


def test_options_are_described_in_words() -> None:
    cups, strong, leaf, minutes, pot = described(Brew)
    assert (cups.label, cups.kind, cups.default, cups.choices) == ("Cups", int, 2, {})
    assert (strong.label, strong.help, strong.kind) == ("Strong", "Twice the leaves.", bool)
    assert (leaf.kind, leaf.choices) == (str, {"green": "young", "black": "black"})
    assert (minutes.kind, minutes.choices, pot.kind) == (int, {3: "3", 5: "5"}, str)


@pytest.mark.parametrize("name", METHODS)
def test_every_option_of_every_method_says_what_it_does(name: str) -> None:
    for option in described(METHODS[name].options):
        assert option.label
        assert option.help.endswith(".")
        assert not option.choices or option.default in option.choices


@pytest.mark.parametrize("name", METHODS)
def test_what_an_option_depends_on_is_an_option_of_the_method(name: str) -> None:
    known = {option.name: option for option in described(METHODS[name].options)}
    for option in known.values():
        for other, values in option.only.items():
            allowed = {True, False} if known[other].kind is bool else set(known[other].choices)
            assert set(values) <= allowed, (option.name, other)
    assert unused_option(name, METHODS[name].options()) == ""
