"""Single values of a data file: what counts as a text, a name, a number, or nothing."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import date, datetime, time
from typing import Any

from app.domain.storable_text import is_storable, storable

_BLANK_WORDS = frozenset({"", "na", "n/a", "null", "none"})
_DECIMAL_COMMA = re.compile(r"[+-]?\d{1,3},\d+")


class BadCellError(ValueError):
    """A value that can't be what its place asks for; the message is the reason a person reads."""


class OffScaleError(BadCellError):
    """A number that lies outside its scale: what else stands in the row is sound."""


def is_blank(value: object) -> bool:
    """Nothing given: no value, or a string that is empty or says so (NA, N/A, null, none)."""
    return value is None or (isinstance(value, str) and value.strip().lower() in _BLANK_WORDS)


def prose(value: object, what: str) -> str:
    """A text without outer white space; "" for no value. Raises BadCellError for lists, objects and damaged text."""
    if value is None:
        return ""
    if isinstance(value, Mapping | list | tuple):
        raise BadCellError(f"The {what} is a nested structure, not a text.")
    if not isinstance(value, str):
        return identifier(value)
    if not is_storable(value):
        raise BadCellError(f"The {what} holds damaged characters.")
    return value.strip()


def identifier(value: object) -> str:
    """An identifier as a string: 3, 3.0 and "3" are the same one; "" for no value. Raises BadCellError."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value) if isinstance(value, int | float) else prose(value, "identifier")


def proses(value: object, what: str) -> tuple[str, ...]:
    """One text or a list of texts, without the empty ones."""
    values = value if isinstance(value, list | tuple) else [value]
    return tuple(text for text in (prose(entry, what) for entry in values) if text)


def number(value: object) -> float:
    """A finite number. A decimal comma is understood. Raises BadCellError saying what stands there instead."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise BadCellError("is not a number")
    if isinstance(value, str) and _DECIMAL_COMMA.fullmatch(value.strip()):
        value = value.replace(",", ".")
    try:
        result = float(value)
    except ValueError:
        raise BadCellError(f"is not a number ({shortened(str(value))!r})") from None
    except OverflowError:
        raise BadCellError("is not a finite number") from None
    if not math.isfinite(result):
        raise BadCellError("is not a finite number")
    return result


def one_line(text: str) -> str:
    """Without line breaks and characters that don't print, so that it can be a name or stand in a message."""
    return " ".join("".join(character if character.isprintable() else " " for character in text).split())


def listed(names: Sequence[str], limit: int = 30) -> str:
    """Names for a message; of many, the first ones and how many more there are."""
    more = f" and {len(names) - limit} more" if len(names) > limit else ""
    return ", ".join(shortened(one_line(name)) for name in names[:limit]) + more


def shortened(text: str, limit: int = 30) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"


def json_safe(value: Any) -> Any:
    """The same value in terms that strict JSON can store: NaN and infinities become None, dates ISO strings."""
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, Mapping):
        return {json_safe(str(key)): json_safe(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [json_safe(entry) for entry in value]
    return value.isoformat() if isinstance(value, datetime | date | time) else json_safe(str(value))


def numbers_in(cells: Iterable[object]) -> list[float]:
    """The numbers in a column; a list in a cell holds several."""
    found: list[float] = []
    for cell in cells:
        for value in cell if isinstance(cell, list) else [cell]:
            if not is_blank(value):
                with suppress(BadCellError):
                    found.append(number(value))
    return found
