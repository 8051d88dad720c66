"""Text that any database can store, valid names, and cells that no spreadsheet runs as a formula."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any

from app.errors import InputError

REPLACEMENT = "\ufffd"
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


def is_storable(text: str) -> bool:
    return (text.isascii() and "\0" not in text) or _UNSTORABLE.search(text) is None  # mostly ASCII, told at once


def storable(text: str) -> str:
    """Return the text with U+FFFD for each character that can't be stored."""
    if is_storable(text):
        return text
    joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return joined.replace("\0", REPLACEMENT)


def storable_value(value: Any) -> Any:
    """Return the value (strings, numbers, lists, mappings) with every string in it, keys too, made storable."""
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, Mapping):
        return {storable_value(key): storable_value(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [storable_value(entry) for entry in value]
    return value


def check_storable(text: str, what: str) -> None:
    """Raise InputError, without quoting the text, if it can't be stored. what: subject of the message, such as "The
    project's name"."""
    if not is_storable(text):
        raise InputError(
            f"{what} holds a damaged character (half of one, or NUL).", "Type it again, or save it as UTF-8."
        )


NAME_LIMIT = 200
"""Characters. Longer ones fit neither a screen nor an index of every database."""
# Line breaks, and what a terminal takes for a command.
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")


# Marks that turn the direction of what follows, or that nobody sees.
_UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\u3164\ufeff]"
)
_DIRECTIONS = re.compile("[\u202a-\u202e\u2066-\u2069]")
_SHOWN_DIRECTION = re.compile("⟨U\\+(202[A-E]|206[6-9])⟩")
# Letters of other scripts that look like a Latin one (the commonest of Unicode's confusables, UTS 39).
_LOOKS = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u04bb\u0501\u051b\u051d\u043a\u043c\u0442\u043d\u0432"
    "\u03b1\u03bf\u03c1\u03bd\u03b9\u03ba\u03c5\u03c7\u03c4\u0131\u03f2",
    "aeopcyxijshdqwkmthbaopvikuxtic",
)


def shown_directions(text: str) -> str:
    """Return the text with marks that change its direction written out, as in ⟨U+202E⟩."""
    return text if text.isascii() else _DIRECTIONS.sub(lambda mark: f"⟨U+{ord(mark[0]):04X}⟩", text)


def shown_value(value: Any) -> Any:
    """Apply `shown_directions` to plain text. Other values, such as markup, are returned as they are."""
    return shown_directions(value) if type(value) is str else value


def read_directions(text: str) -> str:
    """Undo `shown_directions`."""
    return _SHOWN_DIRECTION.sub(lambda mark: chr(int(mark[1], 16)), text) if "⟨U+" in text else text


def lookalike_form(name: str) -> str:
    """Return a normal form of a name; names with equal forms look alike to a reader."""
    plain = unicodedata.normalize("NFKC", _UNSEEN.sub("", name)).casefold()
    return " ".join(unicodedata.normalize("NFKC", plain.translate(_LOOKS)).split())


def suspicious_characters(name: str, others: Iterable[str] = ()) -> list[str]:
    """Return sentences on what is odd about a name: invisible letters, mixed scripts, or a look like one of the
    others."""
    found = []
    if _UNSEEN.search(name):
        found.append(f"The name “{shown_directions(name)}” has characters that nobody sees.")
    scripts = {unicodedata.name(letter, "").split(" ")[0] for letter in name if letter.isalpha()}
    mixed = sorted(scripts & {"LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE"})
    if len(mixed) > 1:
        named = " and ".join(script.capitalize() for script in mixed)
        found.append(f"The name “{shown_directions(name)}” mixes letters of several scripts: {named}.")
    alike = sorted(other for other in set(others) if other != name and lookalike_form(other) == lookalike_form(name))
    if alike:
        found.append(f"The name “{shown_directions(name)}” looks like “{shown_directions(alike[0])}”, who is another.")
    return found


def quoted(name: str) -> str:
    """Return a name in quotation marks for a message, shortened if long."""
    return f"“{name}”" if len(name) <= NAME_LIMIT else f"“{name[:60]}…”"


def checked_name(name: str, what: str, hint: str = "Give it one.") -> str:
    """Return the name without white space around it. what: the kind of thing named, such as "project".

    Raises InputError for an empty or a long name, and for line breaks or other control characters.
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


# A cell that starts like this is a formula to a spreadsheet, also in the wide forms of East Asian keyboards; a signed
# number is only a number. Apostrophes before it were there already: one more keeps the mark apart from them.
_FORMULA = re.compile(r"'*(?:[=@＝＠＋－\t\r\n]|[-+](?!\d+([.,]\d+)?$))")


def harmless(value: object) -> object:
    """Return a cell that no spreadsheet runs as a formula, with marks that change direction written out."""
    if not isinstance(value, str):
        return value
    shown = shown_directions(value)
    return f"'{shown}" if _FORMULA.match(shown) else shown


def restored(cell: str) -> str:
    """Return a cell as it was before `harmless`."""
    return read_directions(cell[1:] if cell.startswith("'") and _FORMULA.match(cell[1:]) else cell)
