"""Shapes of JSON documents: what stands where, told from documents as they were printed.

A shape is a word (“text”, “whole number”), a set of words for what may be one or the other, a list with the shape of
its entries, or names with a shape each. A name that not every entry has ends in “?”; names that are data stand as one,
<name>.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

LINE = 100  # what is longer than so many letters stands on several lines
FIGURE = {"value", "low", "high", "n", "n_undefined", "method", "seed", "signature", "reason"}
_NAME = re.compile(r"[a-z][a-z0-9_]*")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d.*")


@dataclass(frozen=True)
class Shape:
    """`words`: the plain values it may be; `inside`: of a list's entries; `names`: of an object's, with those that
    always stand there in `always`."""

    words: frozenset[str] = frozenset()
    inside: "Shape | None" = None
    names: "Mapping[str, Shape] | None" = None
    always: frozenset[str] = frozenset()

    def beside(self, other: "Shape") -> "Shape":
        """What is either this or the other."""
        inside = self.inside.beside(other.inside) if self.inside and other.inside else self.inside or other.inside
        if NOTHING in (self, other):
            return other if self == NOTHING else self
        if self.names is None or other.names is None:
            known = self if self.names is not None else other
            return Shape(self.words | other.words, inside, known.names, known.always)
        names = {
            name: self.names[name].beside(other.names[name])
            if name in self.names and name in other.names
            else self.names.get(name) or other.names[name]
            for name in dict.fromkeys([*self.names, *other.names])
        }
        return Shape(self.words | other.words, inside, names, self.always & other.always)


NOTHING = Shape()


def shape_of(value: Any, data: frozenset[str] = frozenset()) -> Shape:
    """`data`: names that are somebody's, such as those of dimensions, wherever they stand as a key."""
    if isinstance(value, Mapping):
        if set(value) == FIGURE:
            return Shape(frozenset({"figure"}))
        if value and all(key in data or not _NAME.fullmatch(key) for key in value):
            return Shape(names={"<name>": _all(shape_of(each, data) for each in value.values())})
        return Shape(names={key: shape_of(each, data) for key, each in value.items()}, always=frozenset(value))
    if isinstance(value, Sequence) and not isinstance(value, str):
        return Shape(inside=_all(shape_of(each, data) for each in value))
    return Shape(frozenset({_word(value)}))


def _all(shapes: Iterable[Shape]) -> Shape:
    return reduce(Shape.beside, shapes, NOTHING)


def _word(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true or false"
        case int():
            return "whole number"
        case float():
            return "number"
        case str():
            return "time" if _TIME.fullmatch(value) else "text"
    raise TypeError(f"{type(value).__name__} has no place in a document")


def written(shape: Shape, depth: int = 0) -> str:
    """As it stands on a page, indented by two spaces a level."""
    kinds = []
    if shape.names is not None:
        kinds.append(_object(shape, depth))
    if shape.inside is not None:
        kinds.append("[]" if shape.inside == NOTHING else f"[{written(shape.inside, depth)}]")
    words = set(shape.words)
    if "number" in words:
        words -= {"whole number"}
    kinds += sorted(words - {"null"}) + sorted(words & {"null"})
    return " or ".join(kinds) or "..."


def _object(shape: Shape, depth: int) -> str:
    rows = [
        f"{name}{'' if name in shape.always or name == '<name>' else '?'}: {written(inside, depth + 1)}"
        for name, inside in (shape.names or {}).items()
    ]
    if not rows:
        return "{}"
    line = "{" + ", ".join(rows) + "}"
    if "\n" not in line and len(line) <= LINE - 2 * depth:
        return line
    return "{\n" + "".join(f"{'  ' * (depth + 1)}{row}\n" for row in rows) + "  " * depth + "}"
