"""Several people edit one draft: each edit is kept, and nobody's words are written over unseen."""

import pytest

from app.domain.checklist import Checklist, ChecklistStatus, Question, QuestionOrigin
from app.errors import ConflictError, InputError, NotFoundError, RepeatedError
from app.services.checklists.checklists import get_checklist, new_draft, publish, versions_of
from app.services.checklists.draft_edits import (
    Heading,
    OpenEdits,
    QuestionWording,
    add_component,
    add_question,
    edit_component,
    edit_question,
    history_of,
    last_change,
    move_component,
    move_question,
    remove_component,
    remove_question,
    restore_question,
    switch_question,
    undo,
)
from app.services.runtime.workbench import Workbench
from tests.support.projects import ready_to_score


@pytest.fixture
def draft(workbench: Workbench) -> Checklist:
    """Three questions under the component “Order”."""
    dimension = ready_to_score(workbench, texts=4)
    return new_draft(workbench, versions_of(workbench, dimension.id)[0].id)


def now(workbench: Workbench, draft: Checklist) -> Checklist:
    return get_checklist(workbench, draft.id)


def texts(checklist: Checklist) -> list[str]:
    return [question.text for question in checklist.asked]


def test_an_edit_is_tidied_signed_and_keeps_the_first_wording(workbench: Workbench, draft: Checklist) -> None:
    seen = draft.asked[0]
    edit_question(workbench, seen, QuestionWording(" Is it\nlinked? ", "Order", " Any link  counts. ", 2), "Ana")
    found = now(workbench, draft).asked[0]
    assert (found.text, found.guidance, found.weight, found.original) == (
        "Is it linked?",
        "Any link counts.",
        2.0,
        seen.text,
    )
    (change,) = history_of(workbench, draft.id)
    assert (change.who, change.what) == ("Ana", "reworded a question")


def test_a_weight_is_a_number_from_0(workbench: Workbench, draft: Checklist) -> None:
    for weight in (-1, float("nan"), float("inf")):
        with pytest.raises(InputError, match="not a weight"):
            edit_question(workbench, draft.asked[0], QuestionWording("Is it?", "Order", weight=weight))


def test_the_second_who_changes_the_same_is_told_by_whom_and_nothing_is_lost(
    workbench: Workbench, draft: Checklist
) -> None:
    seen = draft.asked[0]
    edit_question(workbench, seen, QuestionWording("Is it linked?", "Order"), "Ana")
    with pytest.raises(ConflictError, match=r"^Ana changed this question meanwhile"):
        edit_question(workbench, seen, QuestionWording("Is it tied together?", "Order"), "Ben")
    assert texts(now(workbench, draft))[0] == "Is it linked?"
    edit_question(workbench, now(workbench, draft).asked[0], QuestionWording("Is it tied together?", "Order"), "Ben")
    assert [change.who for change in history_of(workbench, draft.id)] == ["Ben", "Ana"]


def test_two_who_change_different_parts_of_a_question_both_keep_theirs(workbench: Workbench, draft: Checklist) -> None:
    seen = draft.asked[0]
    edit_question(workbench, seen, QuestionWording("Is it linked?", "Order"), "Ana")
    edit_question(workbench, seen, QuestionWording(seen.text, "Order", weight=3), "Ben")
    found = now(workbench, draft).asked[0]
    assert (found.text, found.weight) == ("Is it linked?", 3)


def test_what_was_edited_meanwhile_is_not_removed_unseen(workbench: Workbench, draft: Checklist) -> None:
    seen = draft.asked[0]
    edit_question(workbench, seen, QuestionWording("Is it linked?", "Order"), "Ana")
    with pytest.raises(ConflictError, match="Ana"):
        remove_question(workbench, seen, "Ben")
    remove_question(workbench, now(workbench, draft).asked[0], "Ben")
    with pytest.raises(ConflictError, match=r"^Ben removed this question"):
        edit_question(workbench, seen, QuestionWording("Is it tied?", "Order"), "Ana")
    restore_question(workbench, seen.id, "Ana")
    assert texts(now(workbench, draft))[0] == "Is it linked?"


def test_undo_takes_back_ones_own_newest_change_first(workbench: Workbench, draft: Checklist) -> None:
    first, second, third = draft.asked
    switch_question(workbench, first.id, False, "Ana")
    move_question(workbench, third.id, -2, "Ana")
    switch_question(workbench, second.id, False, "Ben")
    for expected in ("moved a question", "switched a question off"):
        change = last_change(history_of(workbench, draft.id), "Ana")
        assert change is not None
        assert change.what == expected
        undo(workbench, draft.id, change.id, "Ana")
    assert last_change(history_of(workbench, draft.id), "Ana") is None
    assert texts(now(workbench, draft)) == [first.text, third.text]


def test_a_change_is_taken_back_once(workbench: Workbench, draft: Checklist) -> None:
    switch_question(workbench, draft.asked[0].id, False)
    change = history_of(workbench, draft.id)[0]
    undo(workbench, draft.id, change.id)
    with pytest.raises(NotFoundError, match="already"):
        undo(workbench, draft.id, change.id)


def test_questions_move_within_their_component(workbench: Workbench, draft: Checklist) -> None:
    order = texts(draft)
    for place, by, after in (
        (0, 1, [1, 0, 2]),
        (2, -1, [0, 2, 1]),
        (0, -1, [0, 1, 2]),
        (2, 5, [0, 1, 2]),
        (0, 2, [1, 2, 0]),
    ):
        move_question(workbench, now(workbench, draft).asked[place].id, by)
        order = [order[n] for n in after]
        assert texts(now(workbench, draft)) == order


def test_an_added_question_is_the_last_of_its_component_and_marked(workbench: Workbench, draft: Checklist) -> None:
    add_component(workbench, draft.id, Heading("Links"))
    add_question(workbench, draft.id, QuestionWording("Is it linked?", "Links"))
    added = add_question(workbench, draft.id, QuestionWording("Is it sorted?", "Order"), "Ana")
    found = now(workbench, draft)
    assert texts(found)[3:] == ["Is it sorted?", "Is it linked?"]
    question = next(q for q in found.asked if q.id == added)
    assert (question.origin, question.reason, question.attributes) == (QuestionOrigin.ADDED, "added by hand", ())
    with pytest.raises(NotFoundError, match="Style"):
        add_question(workbench, draft.id, QuestionWording("Is it?", "Style"))
    with pytest.raises(RepeatedError):
        add_question(workbench, draft.id, QuestionWording(" is it  SORTED?", "Links"))


def test_a_question_can_go_to_another_component(workbench: Workbench, draft: Checklist) -> None:
    add_component(workbench, draft.id, Heading("Links", key_question="Is all linked?"))
    seen = draft.asked[0]
    edit_question(workbench, seen, QuestionWording(seen.text, "Links"))
    moved = now(workbench, draft).asked[-1]
    assert (moved.text, moved.component, moved.key_question) == (seen.text, "Links", "Is all linked?")
    edit_question(workbench, moved, QuestionWording(seen.text, ""))
    assert now(workbench, draft).asked[-1].component == ""


def test_a_component_and_its_key_question_are_edited_together(workbench: Workbench, draft: Checklist) -> None:
    order = draft.components[0]
    new = Heading("Sequence", "What comes when.", "Is the sequence right?")
    edit_component(workbench, draft.id, order.id, Heading("Order"), new, "Ana")
    found = now(workbench, draft)
    assert (found.components[0].name, found.components[0].description) == ("Sequence", "What comes when.")
    assert {(q.component, q.key_question) for q in found.asked} == {("Sequence", "Is the sequence right?")}
    with pytest.raises(ConflictError, match="meanwhile"):
        edit_component(workbench, draft.id, order.id, Heading("Order"), Heading("Row"), "Ben")
    edit_component(workbench, draft.id, order.id, new, Heading("Sequence"), "Ana")
    assert {q.key_question for q in now(workbench, draft).asked} == {""}
    for _ in range(2):
        change = last_change(history_of(workbench, draft.id), "Ana")
        assert change is not None
        undo(workbench, draft.id, change.id, "Ana")
    assert now(workbench, draft) == draft


def test_components_move_and_only_empty_ones_go(workbench: Workbench, draft: Checklist) -> None:
    links = add_component(workbench, draft.id, Heading("Links", key_question="Is all linked?"))
    move_component(workbench, draft.id, links, -1)
    assert [c.name for c in now(workbench, draft).components] == ["Links", "Order"]
    with pytest.raises(InputError, match="already"):
        add_component(workbench, draft.id, Heading(" links "))
    with pytest.raises(InputError, match="still has questions"):
        remove_component(workbench, draft.id, draft.components[0].id)
    remove_component(workbench, draft.id, links)
    assert now(workbench, draft).questions == draft.questions
    assert [c.name for c in now(workbench, draft).components] == ["Order"]


def test_nobody_publishes_words_they_have_not_seen(workbench: Workbench, draft: Checklist) -> None:
    switch_question(workbench, draft.asked[0].id, False, "Ana")
    with pytest.raises(ConflictError, match="Version 2 was changed"):
        publish(workbench, draft.id, draft)
    published = publish(workbench, draft.id, now(workbench, draft))
    with pytest.raises(ConflictError, match="published"):
        edit_question(workbench, published.asked[0], QuestionWording("Is it?", "Order"))


def test_wording_says_what_a_person_can_change() -> None:
    question = Question("Is it?", "Order", weight=2, guidance="Look.")
    assert QuestionWording.of(question) == QuestionWording("Is it?", "Order", "Look.", 2)


def test_open_edits_are_published_with_the_draft(workbench: Workbench, draft: Checklist) -> None:
    question = draft.asked[0]
    edits = OpenEdits(((question, QuestionWording("Is it in order?", question.component)),))
    made = publish(workbench, draft.id, draft, edits, "Ana")
    assert (made.status, made.asked[0].text) == (ChecklistStatus.PUBLISHED, "Is it in order?")


def test_an_open_edit_that_fails_publishes_nothing(workbench: Workbench, draft: Checklist) -> None:
    first, second = draft.asked[:2]
    edits = OpenEdits(
        ((first, QuestionWording("Is it in order?", first.component)), (second, QuestionWording(" ", second.component)))
    )
    with pytest.raises(InputError):
        publish(workbench, draft.id, draft, edits, "Ana")
    assert get_checklist(workbench, draft.id) == draft
