"""Limits on prompts, so that no wording keeps the program busy for long or fills its memory.

A prompt shows its variables and repeats something for each entry of a list. Names for what it has made (`set`, macros)
could double a text with every line, and loops inside loops multiply: neither is needed. What is left multiplies texts
with the length of a wording or of a list, so that what comes out is counted while it is written.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from jinja2 import TemplateError, nodes

MAX_CHARACTERS = 50_000
MAX_RENDERED = 5_000_000
"""Characters; more than any model reads at once."""
MAX_JOINED = 100
_ARITHMETIC: dict[type[nodes.Node], str] = {
    nodes.Mul: "*",
    nodes.Pow: "**",
    nodes.Mod: "%",
    nodes.Div: "/",
    nodes.FloorDiv: "//",
}
_BLOCKS = (nodes.Output, nodes.If, nodes.For, nodes.FilterBlock)


def refusal(section: str, tree: nodes.Template) -> str:
    """Why this section can't be part of a prompt, to follow its name in a sentence; "" where it can."""
    if len(section) > MAX_CHARACTERS:
        return f"is longer than {MAX_CHARACTERS:,} characters"
    for operation in tree.find_all(tuple(_ARITHMETIC)):
        return f"calculates with {_ARITHMETIC[type(operation)]} (line {operation.lineno} of its section)"
    for block in tree.find_all(nodes.Stmt):
        if not isinstance(block, _BLOCKS):
            return f"has a block that isn't for, if or filter (line {block.lineno} of its section)"
    if (
        sum(len(joined.nodes) for joined in tree.find_all(nodes.Concat)) + len(list(tree.find_all(nodes.Add)))
        > MAX_JOINED
    ):
        return f"joins more than {MAX_JOINED} pieces with ~ or +"
    for outer in tree.find_all(nodes.For):
        for inner in outer.find_all(nodes.For):
            if not _goes_through_a_part(inner, outer):
                return f"has a loop in a loop that isn't over a part of its entry (line {inner.lineno} of its section)"
    return ""


def _goes_through_a_part(inner: nodes.For, outer: nodes.For) -> bool:
    whole = inner.iter.node if isinstance(inner.iter, nodes.Getattr) else None
    return isinstance(whole, nodes.Name) and isinstance(outer.target, nodes.Name) and whole.name == outer.target.name


class TooLongToRenderError(TemplateError):
    """What comes out is longer than MAX_RENDERED."""


_written: ContextVar[int | None] = ContextVar("characters written", default=None)


@contextmanager
def counted() -> Iterator[None]:
    """Inside the block, `count` adds up."""
    token = _written.set(0)
    try:
        yield
    finally:
        _written.reset(token)


def count(value: Any) -> Any:
    """The value, before it is written as text: its length is added up. Raises TooLongToRenderError."""
    so_far = _written.get()
    if so_far is not None:
        _written.set(_checked(so_far + _length(value)))
    return value


def joined(parts: Iterable[str]) -> str:
    """All parts as one text, never longer than MAX_RENDERED. Raises TooLongToRenderError."""
    pieces, length = [], 0
    for part in parts:
        length = _checked(length + len(part))
        pieces.append(part)
    return "".join(pieces)


def bounded(text: str) -> str:
    """The same text. Raises TooLongToRenderError."""
    _checked(len(text))
    return text


def _length(value: Any) -> int:
    """Of a value's text, at least: a list may hold the same long text many times."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, Mapping):
        return sum(_length(key) + _length(entry) for key, entry in value.items())
    return sum(map(_length, value)) if isinstance(value, list | tuple) else 1


def _checked(length: int) -> int:
    if length > MAX_RENDERED:
        raise TooLongToRenderError(f"it becomes longer than {MAX_RENDERED:,} characters")
    return length
