"""YAML from elsewhere, as plain data. A few lines of it can stand for gigabytes or hours: those are refused unread."""

import re
from typing import Any

import yaml

from app.errors import FileFormatError
from app.limits import MB, YAML

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_MOST_ALIASES = 20
_DEEPEST = 50
_MOST_PARTS = 200_000
_LONG_NUMBER = re.compile(r"[-+0-9a-fA-FxXob_:.]{200,}")  # a number to the base of 60 takes quadratic time
# What its constructors raise for a day that no calendar has, or a tag that doesn't fit its value.
_CONSTRUCTORS = (ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError, RecursionError)


def read_yaml(content: str) -> Any:
    """Parse YAML into plain data. Raises FileFormatError for a document over the limits, yaml.YAMLError for a damaged
    one."""
    if len(content) > (YAML.size or 0):
        raise FileFormatError(f"YAML of more than {YAML.size // MB} MB is not read.", "Divide it, or save it as JSON.")
    try:
        _check(content)
        return yaml.load(content, Loader=_LOADER)  # noqa: S506 - both are safe loaders
    except _CONSTRUCTORS as error:
        raise yaml.YAMLError("a value that does not fit its kind") from error


def _check(content: str) -> None:
    aliases = depth = 0
    for number, event in enumerate(yaml.parse(content, Loader=_LOADER)):
        aliases += isinstance(event, yaml.AliasEvent)
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if aliases > _MOST_ALIASES:
            raise FileFormatError("The YAML repeats parts by aliases (*name).", "Write them out.")
        if depth > _DEEPEST:
            raise FileFormatError(f"The YAML is nested more than {_DEEPEST} deep.", "Use fewer levels.")
        if number > _MOST_PARTS:
            raise FileFormatError(f"The YAML has more than {_MOST_PARTS:,} parts.", "Divide it, or save it as JSON.")
        if isinstance(event, yaml.ScalarEvent) and len(event.value) > 200 and _LONG_NUMBER.fullmatch(event.value):
            raise FileFormatError(
                "The YAML holds a number of more than 200 digits.", "Write it in quotes, with a word."
            )
