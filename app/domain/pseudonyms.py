"""Pseudonyms, and the replacement of a person's name in texts and in JSON."""

import re
from collections.abc import Collection
from typing import Any

from app.domain.condition import renamed

_FIRST = "Expert"


def free_pseudonym(taken: Collection[str]) -> str:
    """Return the first of “Expert 1”, “Expert 2” ... that isn't taken, ignoring case."""
    known = {name.casefold() for name in taken}
    names = (f"{_FIRST} {number}" for number in range(1, len(known) + 2))
    return next(name for name in names if name.casefold() not in known)


def is_said_in(text: str, name: str) -> bool:
    """Return whether the name occurs in the text as whole words."""
    return _words(name).search(text) is not None


def replace_name_in_text(text: str, name: str, pseudonym: str) -> str:
    """Replace each whole-word occurrence of the name in the text by the pseudonym."""
    return _words(name).sub(lambda _: pseudonym, text)


def replace_name_in_json(value: Any, name: str, pseudonym: str) -> Any:
    """Replace the name by the pseudonym in a JSON value: in strings that equal the name or are a condition's code with
    it."""
    match value:
        case str():
            return pseudonym if value == name else renamed(value, name, pseudonym)
        case dict():
            return {key: replace_name_in_json(one, name, pseudonym) for key, one in value.items()}
        case list():
            return [replace_name_in_json(one, name, pseudonym) for one in value]
        case _:
            return value


def _words(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
