"""Shapes of documents, as the reference writes them."""

import pytest

from tests.support.guide.shapes import shape_of, written


@pytest.mark.parametrize(
    ("document", "shown"),
    [
        ({"run": 3, "judge": "rules", "cost": None}, "{run: whole number, judge: text, cost: null}"),
        ([], "[]"),
        ([1, 2.5], "[number]"),
        ([{"a": 1}, {"a": None, "b": True}], "[{a: whole number or null, b?: true or false}]"),
        ({"at": "2026-11-23T10:00:00+00:00", "on": "2026"}, "{at: time, on: text}"),
        ({"tone": {"n": 1}, "order": {"n": 2}}, "{<name>: {n: whole number}}"),
        ({"two words": 1, "7": 2}, "{<name>: whole number}"),
        ({}, "{}"),
        ([[], [1]], "[[whole number]]"),
    ],
)
def test_a_shape_says_what_stands_where(document: object, shown: str) -> None:
    assert written(shape_of(document, frozenset({"tone", "order"}))) == shown


def test_what_is_long_stands_on_lines_of_its_own() -> None:
    document = {"first": {f"name_{n}": "" for n in range(12)}, "second": 1}
    lines = written(shape_of(document)).splitlines()
    assert lines[:3] == ["{", "  first: {", "    name_0: text"]
    assert lines[-3:] == ["  }", "  second: whole number", "}"]


def test_two_documents_of_one_command_are_one_shape() -> None:
    together = shape_of({"a": 1, "seconds": 2}).beside(shape_of({"a": "x"}))
    assert written(together) == "{a: text or whole number, seconds?: whole number}"


def test_what_no_document_holds_is_refused() -> None:
    with pytest.raises(TypeError, match="set has no place"):
        shape_of({"a": {1}})
