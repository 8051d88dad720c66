"""Changes of attributes: editing, excluding, restoring, moving, merging and undo."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from app.domain.attribute import (
    LONGEST_WORDS,
    AttributeChange,
    AttributeStanding,
    AttributeStatus,
)
from app.domain.roles_and_rights import Right
from app.domain.storable_text import storable
from app.errors import ConflictError, InputError, NotFoundError
from app.services.runtime.workbench import Workbench, use_case
from db.unit_of_work import UnitOfWork

SAME = "says the same"


@use_case(Right.TAKE_PART, act="reworded an attribute")
def edit_attribute(
    workbench: Workbench, attribute_id: int, text: str, dimension_id: int | None = None, who: str = ""
) -> AttributeChange:
    """Reword an attribute; the first wording stays on record.

    who: the author of the new wording. Raises InputError for an empty wording, NotFoundError for a missing attribute.
    """
    new = text.strip()

    def reworded(old: AttributeStanding) -> AttributeStanding:
        return old if old.text == new else replace(old, text=new, reworded_by=who)

    edited = _change(workbench, [attribute_id], dimension_id, reworded)
    if edited.missing:
        raise NotFoundError("This attribute is no longer there.", "Reload the page.")
    return edited


@use_case(Right.FACILITATE, act="excluded attributes", about="reason")
def exclude_attributes(
    workbench: Workbench, ids: Sequence[int], reason: str = "", dimension_id: int | None = None
) -> AttributeChange:
    """Exclude attributes from checklists; they stay on record, with the reason if one is given."""
    said = reason.strip()

    def excluded(old: AttributeStanding) -> AttributeStanding:
        if old.status is AttributeStatus.EXCLUDED and not said:
            return old  # the reason that was given stays
        return replace(old, status=AttributeStatus.EXCLUDED, reason=said, merged_into=None)

    return _change(workbench, ids, dimension_id, excluded)


@use_case(Right.FACILITATE, act="included attributes again")
def restore_attributes(workbench: Workbench, ids: Sequence[int], dimension_id: int | None = None) -> AttributeChange:
    """Restore attributes that were excluded or merged."""
    return _change(
        workbench,
        ids,
        dimension_id,
        lambda old: replace(old, status=AttributeStatus.ACTIVE, reason="", merged_into=None),
    )


@use_case(Right.FACILITATE, act="moved attributes")
def move_attributes(
    workbench: Workbench, ids: Sequence[int], target: int, dimension_id: int | None = None
) -> AttributeChange:
    """Move attributes to another dimension of their project; the original dimension stays on record.

    Raises InputError for a dimension of another project.
    """
    return _change(workbench, ids, dimension_id, lambda old: replace(old, dimension=target))


@use_case(Right.FACILITATE, act="merged attributes", about="reason")
def merge_attributes(
    workbench: Workbench, kept: int, ids: Sequence[int], reason: str = SAME, dimension_id: int | None = None
) -> AttributeChange:
    """Merge the attributes `ids` into `kept`. They keep their wording and contributor, and record `kept` as their
    replacement.

    Raises InputError without `ids`, if `kept` is among them or is about another dimension, ConflictError if one of them
    is no longer in use.
    """
    if not ids:
        raise InputError("There is nothing to merge it with.", "Choose at least two attributes.")
    if kept in ids:
        raise InputError("An attribute can't be merged with itself.", "Choose another.")
    with workbench.database.write() as work:
        found = work.think_aloud.standing([kept, *ids])
        if any(id_ not in found or found[id_].status is not AttributeStatus.ACTIVE for id_ in (kept, *ids)):
            raise ConflictError("One of them is no longer in use.", "Look at them again.")
        about = {one.dimension for one in found.values()}
        if len(about) > 1:
            raise InputError("These attributes are about two dimensions.", "Move one of them first.")
        if dimension_id is not None and about != {dimension_id}:
            raise ConflictError("They are about another dimension by now.", "Look for them there.")
        before = [found[id_] for id_ in dict.fromkeys(ids)]
        after = [replace(old, status=AttributeStatus.MERGED, reason=reason.strip(), merged_into=kept) for old in before]
        _keep(work, before, after)
    return AttributeChange(tuple(before), tuple(after))


@use_case(Right.FACILITATE, act="undid an edit of attributes")
def undo_change(workbench: Workbench, change: AttributeChange) -> None:
    """Undo a change of attributes as a whole. Raises ConflictError, changing nothing, if one of them was changed
    since."""
    with workbench.database.write() as work:
        now = work.think_aloud.standing([one.id for one in change.after])
        if any(now.get(one.id) != one for one in change.after):
            raise ConflictError(
                "Somebody has changed these attributes since, so this edit can't be undone.", "Reload the page."
            )
        _keep(work, change.after, change.before)


def _change(
    workbench: Workbench,
    ids: Sequence[int],
    dimension_id: int | None,
    changed: Callable[[AttributeStanding], AttributeStanding],
) -> AttributeChange:
    wanted = list(dict.fromkeys(ids))
    with workbench.database.write() as work:
        found = work.think_aloud.standing(wanted)
        there = [found[id_] for id_ in wanted if id_ in found and _is_there(found[id_], dimension_id)]
        pairs = [(old, new) for old in there if (new := changed(old)) != old]
        before, after = (tuple(side) for side in zip(*pairs, strict=True)) if pairs else ((), ())
        _keep(work, before, after)
    return AttributeChange(before, after, len(wanted) - len(there))


def _is_there(standing: AttributeStanding, dimension_id: int | None) -> bool:
    return standing.status is not AttributeStatus.WITHDRAWN and dimension_id in (None, standing.dimension)


def _keep(work: UnitOfWork, before: Sequence[AttributeStanding], after: Sequence[AttributeStanding]) -> None:
    for old, new in zip(before, after, strict=True):
        if new.text != old.text:
            work.think_aloud.edit_attribute(new.id, new.text, new.reworded_by)
        if new.dimension != old.dimension:
            work.think_aloud.move(new.id, new.dimension)
        work.think_aloud.set_status(new.id, new.status, new.reason, new.merged_into)


MOST_ACTS, MOST_ATTRIBUTES = 1_000, 10_000
_LARGEST = 2**31 - 1


class ActKind(StrEnum):
    EXCLUDE = "exclude"
    RESTORE = "restore"
    MOVE = "move"
    MERGE = "merge"
    REWORD = "reword"
    UNDO = "undo"


@dataclass(frozen=True, slots=True)
class AttributeAct:
    """One act on one or more attributes.

    `number` counts acts from 1 in order. `target`: the dimension they move to, or the attribute they are merged into; 0
    for none. `text`: the reason for excluding them, or the new wording. Undo has no ids.
    """

    number: int
    kind: ActKind
    ids: tuple[int, ...] = ()
    target: int = 0
    text: str = ""


@dataclass(frozen=True, slots=True)
class ActMessage:
    """Acts that the server hasn't confirmed yet. `page` is the id of the browser page that numbers them."""

    page: str
    acts: tuple[AttributeAct, ...]


def read_acts(raw: object) -> ActMessage:
    """Return the message that the browser sent. Raises InputError for a value of another form."""
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
        target=_number(raw.get("target")) if kind in (ActKind.MOVE, ActKind.MERGE) else 0,
        text=_text(raw.get("text")) if kind in (ActKind.EXCLUDE, ActKind.REWORD) else "",
    )


def _number(raw: object) -> int:
    if not isinstance(raw, int) or isinstance(raw, bool) or not 0 < raw <= _LARGEST:
        raise _odd()
    return raw


def _text(raw: object) -> str:
    if not isinstance(raw, str):
        raise _odd()
    if len(raw) > LONGEST_WORDS:
        raise InputError("These words are too long to be kept.", f"Shorten them to {LONGEST_WORDS:,} characters.")
    return storable(raw)


def _odd() -> InputError:
    return InputError("The browser sent something that can't be done to attributes.", "Reload the page.")
