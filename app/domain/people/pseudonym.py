"""Pseudonyms: another name in the place of somebody's own, wherever it stands."""

import re
from collections.abc import Collection
from typing import Any

from app.domain.condition import renamed

_FIRST = "Expert"


def free_pseudonym(taken: Collection[str]) -> str:
    """The first of “Expert 1”, “Expert 2” ... that nobody has, however it is spelt."""
    known = {name.casefold() for name in taken}
    names = (f"{_FIRST} {number}" for number in range(1, len(known) + 2))
    return next(name for name in names if name.casefold() not in known)


def is_said_in(text: str, name: str) -> bool:
    """Whether the name stands there as words of their own."""
    return _words(name).search(text) is not None


def put_in_words(text: str, name: str, pseudonym: str) -> str:
    """The text with the pseudonym wherever the name stood as words of their own."""
    return _words(name).sub(lambda _: pseudonym, text)


def put_in_values(value: Any, name: str, pseudonym: str) -> Any:
    """What is kept as JSON, with the pseudonym for each string that is the name or a condition about it."""
    match value:
        case str():
            return pseudonym if value == name else renamed(value, name, pseudonym)
        case dict():
            return {key: put_in_values(one, name, pseudonym) for key, one in value.items()}
        case list():
            return [put_in_values(one, name, pseudonym) for one in value]
        case _:
            return value


def _words(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
