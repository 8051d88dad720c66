"""Changes of attributes, one or many in one go: reworded, left out, taken back in, moved, merged, and taken back.

Every function gives what it changed, which `take_back` undoes in one go. Those that are gone, or withdrawn by their
author, are counted as missing and the others changed; `dimension_id`, where it is given, is the dimension that whoever
acts was looking at: attributes that are about another one by now are missing too.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from app.domain.attribute import AttributeChange, AttributeStanding, AttributeStatus
from app.domain.people.actor import Right
from app.errors import ConflictError, InputError, NotFoundError
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench
from db.unit_of_work import UnitOfWork

SAME = "says the same"


@use_case(Right.TAKE_PART, act="reworded an attribute")
def edit_attribute(
    workbench: Workbench, attribute_id: int, text: str, dimension_id: int | None = None, who: str = ""
) -> AttributeChange:
    """Another wording, by its author or a facilitator; what was first said stays on record.

    who: rewords it. Raises InputError for no wording, NotFoundError for an attribute that is missing.
    """
    new = text.strip()

    def reworded(old: AttributeStanding) -> AttributeStanding:
        return old if old.text == new else replace(old, text=new, reworded_by=who)

    edited = _change(workbench, [attribute_id], dimension_id, reworded)
    if edited.missing:
        raise NotFoundError("This attribute is no longer there.", "Reload the page.")
    return edited


@use_case(Right.FACILITATE, act="left attributes out", about="reason")
def exclude_attributes(
    workbench: Workbench, ids: Sequence[int], reason: str = "", dimension_id: int | None = None
) -> AttributeChange:
    """Leave them out of checklists; they stay on record, with the reason where one is given."""
    said = reason.strip()

    def excluded(old: AttributeStanding) -> AttributeStanding:
        if old.status is AttributeStatus.EXCLUDED and not said:
            return old  # the reason that was given stays
        return replace(old, status=AttributeStatus.EXCLUDED, reason=said, merged_into=None)

    return _change(workbench, ids, dimension_id, excluded)


@use_case(Right.FACILITATE, act="took attributes back in")
def restore_attributes(workbench: Workbench, ids: Sequence[int], dimension_id: int | None = None) -> AttributeChange:
    """Take back in what was excluded or merged."""
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
    """To another dimension of their project; where they were first said stays on record.

    Raises InputError for a dimension of another project.
    """
    return _change(workbench, ids, dimension_id, lambda old: replace(old, dimension=target))


@use_case(Right.FACILITATE, act="merged attributes", about="reason")
def merge_attributes(
    workbench: Workbench, kept: int, ids: Sequence[int], reason: str = SAME, dimension_id: int | None = None
) -> AttributeChange:
    """One stands for all of them from now on. The others keep their wording and contributor, and what stands for them.

    Raises InputError where it is to stand for none, for itself or for one about another dimension, ConflictError where
    one of them is no longer in use.
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


@use_case(Right.FACILITATE, act="took an edit of attributes back")
def take_back(workbench: Workbench, change: AttributeChange) -> None:
    """Put all of them back as they stood before.

    Raises ConflictError, changing nothing, where one was changed since.
    """
    with workbench.database.write() as work:
        now = work.think_aloud.standing([one.id for one in change.after])
        if any(now.get(one.id) != one for one in change.after):
            raise ConflictError("This was changed again meanwhile, so it can't be taken back.", "Look at it again.")
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
