"""Text that every database, file and message can hold.

A surrogate that stands alone is no character, so UTF-8 has no bytes for it; NUL ends a text in C, and PostgreSQL
refuses it. Both come in through JSON ("\\ud83d", "\\u0000"), through bytes that were decoded leniently, or through
arguments. Halves that stand side by side are joined to the character they mean; of the others each becomes U+FFFD,
which readers know as the sign for something that was lost.
"""

import re
from collections.abc import Mapping
from typing import Any

from app.errors import InputError

REPLACEMENT = "\ufffd"
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


def is_storable(text: str) -> bool:
    return (text.isascii() and "\0" not in text) or _UNSTORABLE.search(text) is None  # mostly ASCII, told at once


def storable(text: str) -> str:
    """The same text, with U+FFFD for what can't be stored."""
    if is_storable(text):
        return text
    joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return joined.replace("\0", REPLACEMENT)


def storable_value(value: Any) -> Any:
    """The same value of strings, numbers, lists and mappings, with every text in it, keys too, made storable."""
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, Mapping):
        return {storable_value(key): storable_value(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [storable_value(entry) for entry in value]
    return value


def check_storable(text: str, what: str) -> None:
    """Raises InputError, without the text itself. what: begins the sentence, such as "The project's name"."""
    if not is_storable(text):
        raise InputError(
            f"{what} holds a damaged character (half of one, or NUL).", "Type it again, or save it as UTF-8."
        )
