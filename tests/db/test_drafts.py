"""The history of a draft: what was before is never lost, and every change can be taken back."""

from collections.abc import Callable
from typing import Any

import pytest

from app.domain.checklist import (
    Action,
    Change,
    Checklist,
    ChecklistStatus,
    Component,
    Edit,
    Proposal,
    ProposalStatus,
    Question,
    QuestionKind,
)
from app.domain.project import Dimension, Task
from app.errors import ConflictError, NotFoundError
from db.unit_of_work import Database, UnitOfWork
from tests.support.postgres import POSTGRES_LONG


@pytest.fixture
def draft(database: Database) -> Checklist:
    with database.write() as work:
        project = work.projects.add("P", Task("letter"))
        dimension = work.projects.add_dimension(project.id, Dimension("tone"))
        made = Checklist(
            "tone",
            0,
            ChecklistStatus.DRAFT,
            "comb",
            "",
            (Component("Warmth", position=0), Component("Manners", position=1)),
            (
                Question("Is it warm overall?", "Warmth", QuestionKind.KEY, position=0),
                Question("Is it warm?", "Warmth", key_question="Is it warm overall?", position=1),
                Question("Does it greet?", "Manners", position=2, weight=2.0, guidance="Any greeting counts."),
            ),
        )
        return work.checklists.get(work.checklists.save(dimension.id, made))


def change(database: Database, draft: Checklist, who: str, question: int, **values: Any) -> Change:
    with database.write() as work:
        made = work.drafts.change(draft.id, who, "changed", [Edit("question", question, values)])
    assert made is not None
    return made


def read(database: Database, draft: Checklist) -> Checklist:
    with database.read() as work:
        return work.checklists.get(draft.id)


def undo_change(database: Database, draft: Checklist, change: Change) -> None:
    with database.write() as work:
        work.drafts.undo(draft.id, change, "Ana")


def test_guidance_and_weight_are_kept_and_copied_to_the_next_draft(database: Database, draft: Checklist) -> None:
    with database.write() as work:
        work.checklists.publish(draft.id)
        copy = work.checklists.get(work.checklists.new_draft(draft.id))
    for found in (draft, copy):
        assert (found.asked[1].guidance, found.asked[1].weight) == ("Any greeting counts.", 2.0)
    assert draft.weighted


def test_a_change_stands_in_the_history_with_what_was_before(database: Database, draft: Checklist) -> None:
    warm = draft.asked[0]
    change(database, draft, "Ana", warm.id, text="Is it kind?", weight=1.0)
    with database.read() as work:
        (kept,) = work.drafts.history(draft.id)
    assert (kept.who, kept.what, kept.undone) == ("Ana", "changed", False)
    (step,) = kept.steps
    assert (dict(step.before), dict(step.after)) == ({"text": "Is it warm?"}, {"text": "Is it kind?"})
    assert read(database, draft).asked[0].original == "Is it warm?"


@POSTGRES_LONG
def test_what_is_so_already_is_no_change(database: Database, draft: Checklist) -> None:
    with database.write() as work:
        edit = Edit("question", draft.asked[0].id, {"text": "Is it warm?", "enabled": True})
        assert work.drafts.change(draft.id, "Ana", "nothing", [edit]) is None
        assert work.drafts.history(draft.id) == []


@POSTGRES_LONG
def test_a_change_can_be_taken_back_once(database: Database, draft: Checklist) -> None:
    made = change(database, draft, "Ana", draft.asked[0].id, text="Is it kind?", guidance="Look at the greeting.")
    undo_change(database, draft, made)
    assert read(database, draft) == draft
    with database.read() as work:
        newest, first = work.drafts.history(draft.id)
    assert (newest.undoes, first.undone, newest.what) == (first.id, True, "undid: changed")


def test_what_somebody_changed_since_is_not_written_over(database: Database, draft: Checklist) -> None:
    mine = change(database, draft, "Ana", draft.asked[0].id, text="Is it kind?")
    change(database, draft, "Ben", draft.asked[0].id, text="Is it friendly?")
    with pytest.raises(ConflictError, match="changed again"):
        undo_change(database, draft, mine)
    assert read(database, draft).asked[0].text == "Is it friendly?"


@POSTGRES_LONG
def test_a_place_that_changed_since_is_no_reason_to_refuse(database: Database, draft: Checklist) -> None:
    mine = change(database, draft, "Ana", draft.asked[0].id, text="Is it kind?", position=7)
    change(database, draft, "Ben", draft.asked[0].id, position=9)
    undo_change(database, draft, mine)
    found = read(database, draft).asked[0]
    assert (found.text, found.position) == ("Is it warm?", 9)


@POSTGRES_LONG
def test_a_removed_question_is_out_of_sight_and_comes_back_whole(database: Database, draft: Checklist) -> None:
    made = change(database, draft, "Ana", draft.asked[1].id, removed=True)
    assert read(database, draft).asked == draft.asked[:1]
    undo_change(database, draft, made)
    assert read(database, draft) == draft


@POSTGRES_LONG
def test_a_new_question_shows_only_with_its_change(database: Database, draft: Checklist) -> None:
    with database.write() as work:
        added = work.drafts.add_question(draft.id, "Does it thank?", QuestionKind.SUB, 3)
        assert work.checklists.get(draft.id) == draft
        manners = {"component_id": draft.components[1].id, "parent_id": None}
        work.drafts.change(draft.id, "Ana", "added", [Edit("question", added, {"removed": False, **manners})])
    found = read(database, draft)
    assert [(q.text, q.component) for q in found.asked[2:]] == [("Does it thank?", "Manners")]


@POSTGRES_LONG
def test_questions_are_asked_component_by_component(database: Database, draft: Checklist) -> None:
    with database.write() as work:
        warmth, manners = draft.components
        swapped = [Edit("component", warmth.id, {"position": 1}), Edit("component", manners.id, {"position": 0})]
        work.drafts.change(draft.id, "Ana", "moved", swapped)
    assert [q.text for q in read(database, draft).asked] == ["Does it greet?", "Is it warm?"]


@pytest.mark.parametrize(
    "attempt",
    [
        lambda work, draft: work.drafts.change(draft, "", "", [Edit("question", 999, {"text": "x"})]),
        lambda work, draft: work.drafts.change(999, "", "", []),
        lambda work, draft: work.drafts.draft_of("component", 999),
    ],
)
@POSTGRES_LONG
def test_what_is_gone_is_said(
    database: Database, draft: Checklist, attempt: Callable[[UnitOfWork, int], object]
) -> None:
    with pytest.raises(NotFoundError), database.write() as work:
        attempt(work, draft.id)


def test_proposals_wait_for_a_decision(database: Database, draft: Checklist) -> None:
    made = Proposal(
        Action.SPLIT, "rules", (draft.asked[0].id,), ("Is it warm?",), ("Is it kind?", "Is it soft?"), "two"
    )
    with database.write() as work:
        first, second = work.proposals.add(draft.id, [made, made])
        work.proposals.decide(first, ProposalStatus.REFUSED, "Ana")
    with database.read() as work:
        refused, still_open = work.proposals.of(draft.id)
        assert work.proposals.of(draft.id, ProposalStatus.OPEN) == [still_open]
        assert work.proposals.get(second) == (draft.id, still_open)
    assert (refused.status, refused.decided_by, refused.decided_at is None) == (ProposalStatus.REFUSED, "Ana", False)
    assert (still_open.after, still_open.reason, still_open.decided_at) == (("Is it kind?", "Is it soft?"), "two", None)
