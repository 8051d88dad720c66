"""Decisions about the validator's changes, worked out by hand."""

import pytest

from app.construction.validation import ValidationChange, decided, open_changes
from app.domain.build import ChangeKind
from app.domain.checklist import Question

FLOW = Question("Does it flow?", "Order", attributes=(1,), id=1)
SMOOTH = Question("Is it smooth?", "Order", attributes=(2,), id=2)
NAMES = Question("Are names right?", "Facts", attributes=(3,), id=3)
FONT = Question("Is the font nice?", "Facts", attributes=(4,), id=4)
BOTH = Question("Does it read smoothly?", "Order", attributes=(1, 2), id=1)

CHANGES = (
    ValidationChange(ChangeKind.MERGED, (FLOW, SMOOTH), BOTH, "the same"),
    ValidationChange(ChangeKind.KEPT, (NAMES,), NAMES, ""),
    ValidationChange(ChangeKind.DROPPED, (FONT,), None, "irrelevant"),
)


def texts(questions: tuple[Question, ...]) -> list[str]:
    return [question.text for question in questions]


def test_only_changes_have_to_be_decided():
    assert [number for number, _ in open_changes(CHANGES)] == [0, 2]


@pytest.mark.parametrize(
    ("refused", "left"),
    [
        ((), [BOTH.text, NAMES.text]),
        ((0,), [FLOW.text, SMOOTH.text, NAMES.text]),
        ((2,), [BOTH.text, NAMES.text, FONT.text]),
        ((0, 2), [FLOW.text, SMOOTH.text, NAMES.text, FONT.text]),
    ],
)
def test_a_refused_change_brings_its_questions_back_in_its_place(refused: tuple[int, ...], left: list[str]):
    found = decided(CHANGES, refused)
    assert texts(found) == left
    assert [question.position for question in found] == list(range(len(left)))


def test_questions_that_come_back_keep_their_own_attributes():
    assert [q.attributes for q in decided(CHANGES, {0})] == [(1,), (2,), (3,)]
    assert decided(CHANGES, ())[0].attributes == (1, 2)


def test_a_question_that_two_refused_changes_started_from_comes_back_once():
    split = (
        ValidationChange(ChangeKind.REWORDED, (FLOW,), SMOOTH, "one half"),
        ValidationChange(ChangeKind.REWORDED, (FLOW,), NAMES, "the other"),
    )
    assert texts(decided(split, {0, 1})) == [FLOW.text]


def test_an_unknown_number_is_a_mistake_of_the_caller():
    with pytest.raises(IndexError, match="no change 3"):
        decided(CHANGES, {3})
