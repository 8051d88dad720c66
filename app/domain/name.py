"""Names that people give: to projects, dimensions, contributors and raters."""

import re

from app.domain.storable_text import check_storable
from app.errors import InputError

NAME_LIMIT = 200
"""Characters. Longer ones fit neither a screen nor an index of every database."""
# Line breaks, and what a terminal takes for a command.
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def quoted(name: str) -> str:
    """A name that somebody asked for, in a message: of a long one the beginning."""
    return f"“{name}”" if len(name) <= NAME_LIMIT else f"“{name[:60]}…”"


def checked_name(name: str, what: str, hint: str = "Give it one.") -> str:
    """The name without white space around it. what: such as "project".

    Raises InputError for an empty name, a long one, and one that holds line breaks or other control characters.
    """
    cleaned = name.strip()
    if not cleaned:
        raise InputError(f"The {what} has no name.", hint)
    if len(cleaned) > NAME_LIMIT:
        raise InputError(
            f"The name of the {what} has {len(cleaned):,} characters; {NAME_LIMIT} are the most.", "Shorten it."
        )
    check_storable(cleaned, f"The name of the {what}")
    if _CONTROLS.search(cleaned):
        raise InputError(
            f"The name of the {what} holds a line break or another control character.", "Leave it out of the name."
        )
    return cleaned
