"""What somebody did to a list of attributes, as the browser sends it: read with care, nothing in it is trusted."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from app.domain.storable_text import storable
from app.errors import InputError

MOST_ACTS, MOST_ATTRIBUTES = 1_000, 10_000
LONGEST_WORDING = 10_000  # characters
_LARGEST = 2**31 - 1


class ActKind(StrEnum):
    EXCLUDE = "exclude"
    RESTORE = "restore"
    MOVE = "move"
    MERGE = "merge"
    REWORD = "reword"
    UNDO = "undo"


_WITH_TARGET = (ActKind.MOVE, ActKind.MERGE)
_WITH_TEXT = (ActKind.EXCLUDE, ActKind.REWORD)


@dataclass(frozen=True, slots=True)
class AttributeAct:
    """One act on one or many attributes.

    `number` counts from 1 in the order they were done. `target`: where they are moved, or which attribute stands for
    them; 0 for none. `text`: the reason they are left out, or the new wording. Undo is about no attribute.
    """

    number: int
    kind: ActKind
    ids: tuple[int, ...] = ()
    target: int = 0
    text: str = ""


@dataclass(frozen=True, slots=True)
class ActMessage:
    """The acts that the server hasn't confirmed yet. `page` names the opened page that counts them."""

    page: str
    acts: tuple[AttributeAct, ...]


def read_acts(raw: object) -> ActMessage:
    """What the browser sent, if it has the form of a message. Raises InputError for anything else."""
    if not isinstance(raw, Mapping) or not isinstance(raw.get("acts"), list) or len(raw["acts"]) > MOST_ACTS:
        raise _odd()
    page = raw.get("page")
    if not isinstance(page, str) or not 0 < len(page) <= 100:
        raise _odd()
    return ActMessage(page, tuple(map(_act, raw["acts"])))


def _act(raw: object) -> AttributeAct:
    if not isinstance(raw, Mapping) or raw.get("kind") not in list(ActKind):
        raise _odd()
    kind, number = ActKind(raw["kind"]), _number(raw.get("number"))
    if kind is ActKind.UNDO:
        return AttributeAct(number, kind)
    ids = raw.get("ids")
    if not isinstance(ids, list) or not 0 < len(ids) <= MOST_ATTRIBUTES or (kind is ActKind.REWORD and len(ids) > 1):
        raise _odd()
    return AttributeAct(
        number,
        kind,
        tuple(map(_number, ids)),
        target=_number(raw.get("target")) if kind in _WITH_TARGET else 0,
        text=_text(raw.get("text")) if kind in _WITH_TEXT else "",
    )


def _number(raw: object) -> int:
    if not isinstance(raw, int) or isinstance(raw, bool) or not 0 < raw <= _LARGEST:
        raise _odd()
    return raw


def _text(raw: object) -> str:
    if not isinstance(raw, str):
        raise _odd()
    if len(raw) > LONGEST_WORDING:
        raise InputError("These words are too long to be kept.", f"Shorten them to {LONGEST_WORDING:,} characters.")
    return storable(raw)


def _odd() -> InputError:
    return InputError("The browser sent something that can't be done to attributes.", "Reload the page.")
