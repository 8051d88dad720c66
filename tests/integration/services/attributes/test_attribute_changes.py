"""Attributes are reworded, left out, moved and merged, one or many in one go, and each change is taken back in one."""

import pytest

from app.domain.attribute import Attribute, AttributeStatus, ContributorKind
from app.domain.condition import of_condition
from app.domain.project import Dimension, Task
from app.errors import ConflictError, InputError, NotFoundError
from app.services.attributes.attribute_changes import (
    edit_attribute,
    exclude_attributes,
    merge_attributes,
    move_attributes,
    restore_attributes,
    undo_change,
)
from app.services.attributes.attributes import add_attributes, attributes_of
from app.services.runtime.workbench import Workbench
from app.services.think_aloud.independence import add_own_attribute, remove_own_attribute
from tests.support.projects import ready_to_score

GONE = 99_999


@pytest.fixture
def bench(workbench: Workbench) -> Workbench:
    ready_to_score(workbench)
    add_attributes(workbench, 1, "Ada", ContributorKind.HUMAN, [f"Point {n}." for n in range(1, 11)])
    return workbench


@pytest.fixture
def fluency(bench: Workbench) -> int:
    with bench.database.write() as work:
        return work.projects.add_dimension(1, Dimension("fluency")).id


def pool(bench: Workbench) -> list[Attribute]:
    return attributes_of(bench, 1)


def ids(bench: Workbench) -> list[int]:
    return [attribute.id for attribute in pool(bench)]


def test_ten_are_left_out_in_one_go_and_come_back_in_one(bench: Workbench) -> None:
    before = pool(bench)
    change = exclude_attributes(bench, ids(bench))
    assert {(a.status, a.reason) for a in pool(bench)} == {(AttributeStatus.EXCLUDED, "")}
    assert (len(change.before), change.missing) == (10, 0)
    undo_change(bench, change)
    assert pool(bench) == before


def test_a_reason_can_be_given_afterwards_and_is_not_lost_by_leaving_out_again(bench: Workbench) -> None:
    first, *others = ids(bench)
    exclude_attributes(bench, [first])
    exclude_attributes(bench, [first], " too vague ")
    assert pool(bench)[0].reason == "too vague"
    change = exclude_attributes(bench, [first, *others])
    assert [one.id for one in change.after] == others
    assert pool(bench)[0].reason == "too vague"


def test_what_was_left_out_is_restored_together(bench: Workbench) -> None:
    before, (first, second, third, *_) = pool(bench), ids(bench)
    exclude_attributes(bench, [first], "too vague")
    merge_attributes(bench, third, [second])
    change = restore_attributes(bench, [first, second, third])
    assert pool(bench) == before
    undo_change(bench, change)
    assert [a.status.value for a in pool(bench)[:3]] == ["excluded", "merged", "active"]
    assert pool(bench)[1].merged_into == third


def test_three_become_one_which_stands_for_the_others(bench: Workbench) -> None:
    first, second, third, *_ = before = pool(bench)
    change = merge_attributes(bench, first.id, [second.id, third.id])
    merged = pool(bench)[1]
    assert (merged.status, merged.merged_into, merged.text) == (AttributeStatus.MERGED, first.id, second.text)
    assert not {second.id, third.id} & {a.id for a in of_condition(pool(bench), "comb")}
    with pytest.raises(ConflictError):
        merge_attributes(bench, second.id, [first.id])
    with pytest.raises(ConflictError):
        merge_attributes(bench, first.id, [GONE])
    for odd in ([first.id], []):
        with pytest.raises(InputError):
            merge_attributes(bench, first.id, odd)
    undo_change(bench, change)
    assert pool(bench) == before


def test_two_dimensions_are_not_merged(bench: Workbench, fluency: int) -> None:
    first, second, *_ = ids(bench)
    move_attributes(bench, [second], fluency)
    with pytest.raises(InputError, match="two dimensions"):
        merge_attributes(bench, first, [second])
    move_attributes(bench, [first], fluency)
    with pytest.raises(ConflictError, match="another dimension"):
        merge_attributes(bench, first, [second], dimension_id=1)


def test_moved_attributes_remember_where_they_were_said(bench: Workbench, fluency: int) -> None:
    before = pool(bench)
    change = move_attributes(bench, [a.id for a in before[:4]], fluency)
    moved = [a for a in pool(bench) if a.dimension == "fluency"]
    assert [(a.id, a.original_dimension) for a in moved] == [(a.id, "coherence") for a in before[:4]]
    undo_change(bench, change)
    assert pool(bench) == before


def test_a_dimension_of_another_project_takes_none(bench: Workbench) -> None:
    with bench.database.write() as work:
        elsewhere = work.projects.add_dimension(work.projects.add("Other", Task()).id, Dimension("x")).id
    before = pool(bench)
    with pytest.raises(InputError):
        move_attributes(bench, ids(bench), elsewhere)
    assert pool(bench) == before


def test_what_is_gone_or_elsewhere_is_counted_and_the_others_are_changed(bench: Workbench, fluency: int) -> None:
    first, second, third, *_ = ids(bench)
    move_attributes(bench, [second], fluency)
    change = exclude_attributes(bench, [first, second, third, third, GONE], "too vague", dimension_id=1)
    assert ([one.id for one in change.after], change.missing) == ([first, third], 2)
    with pytest.raises(NotFoundError):
        edit_attribute(bench, second, "In other words.", dimension_id=1)
    assert restore_attributes(bench, [GONE]).missing == 1


def test_what_its_author_withdrew_is_nobody_elses_to_change(bench: Workbench) -> None:
    slip = add_own_attribute(bench, 1, "Bo", "A slip.")
    remove_own_attribute(bench, slip)
    assert restore_attributes(bench, [slip]).missing == 1
    with pytest.raises(NotFoundError):
        edit_attribute(bench, slip, "Told.")
    with pytest.raises(ConflictError):
        merge_attributes(bench, ids(bench)[0], [slip])


def test_a_wording_is_taken_back_and_the_first_one_stays(bench: Workbench) -> None:
    first, *_ = before = pool(bench)
    change = edit_attribute(bench, first.id, " In other words. ")
    assert (pool(bench)[0].text, pool(bench)[0].original) == ("In other words.", first.text)
    undo_change(bench, change)
    assert pool(bench) == before
    with pytest.raises(InputError):
        edit_attribute(bench, first.id, "  ")


def test_what_somebody_else_changed_meanwhile_is_not_overwritten_by_taking_back(bench: Workbench) -> None:
    first, second, *_ = ids(bench)
    change = exclude_attributes(bench, [first, second])
    edit_attribute(bench, second, "In other words.")
    with pytest.raises(ConflictError):
        undo_change(bench, change)
    assert [a.status.value for a in pool(bench)[:2]] == ["excluded", "excluded"]
