"""The validator's changes decided one by one: what the questions become when a person refuses some of them."""

from collections.abc import Collection, Sequence

from app.construction.sub_questions import join_repeated
from app.construction.validation import ValidationChange
from app.domain.build import ChangeKind
from app.domain.checklist import Question


def open_changes(changes: Sequence[ValidationChange]) -> list[tuple[int, ValidationChange]]:
    """What there is to decide, each with its number in `changes`; questions kept as they were need no decision."""
    return [(number, change) for number, change in enumerate(changes) if change.kind is not ChangeKind.KEPT]


def decided(changes: Sequence[ValidationChange], refused: Collection[int]) -> tuple[Question, ...]:
    """The questions with every change carried out but the refused ones, given by their numbers in `changes`.

    The questions of a refused change come back as they were, in its place; one that several changes started from comes
    back once. Raises IndexError for a number that no change has.
    """
    unknown = [number for number in refused if not 0 <= number < len(changes)]
    if unknown:
        raise IndexError(f"there is no change {unknown[0]}")
    kept: list[Question] = []
    for number, change in enumerate(changes):
        if number in refused:
            kept += change.before
        elif change.after is not None:
            kept.append(change.after)
    return join_repeated(kept)
