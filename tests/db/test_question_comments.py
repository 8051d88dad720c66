"""Comments on questions: append-only, and theirs wherever the question goes."""

import pytest

from app.domain.checklist import Checklist, ChecklistStatus, Question
from app.domain.project import Dimension, Task
from app.errors import NotFoundError
from db.unit_of_work import Database
from tests.support.postgres import POSTGRES_LONG


@pytest.fixture
def first(database: Database) -> Checklist:
    with database.write() as work:
        project = work.projects.add("P", Task("letter"))
        dimension = work.projects.add_dimension(project.id, Dimension("tone"))
        questions = (Question("Is it warm?", "", position=0), Question("Does it greet?", "", position=1))
        made = Checklist("tone", 0, ChecklistStatus.DRAFT, "comb", "", (), questions)
        return work.checklists.get(work.checklists.save(dimension.id, made))


def copied(database: Database, checklist: Checklist) -> Checklist:
    with database.write() as work:
        return work.checklists.get(work.checklists.new_draft(checklist.id))


def test_comments_follow_their_question_through_versions(database: Database, first: Checklist) -> None:
    with database.write() as work:
        work.question_comments.add(first.asked[0].id, "Ana", "Too soft?")
    second = copied(database, first)
    third = copied(database, second)
    with database.write() as work:
        work.question_comments.add(third.asked[0].id, "Ben", "No.")
        found = {c.id: work.question_comments.of_checklist(c.id) for c in (first, second, third)}
    assert [c.text for c in found[third.id][third.asked[0].id]] == ["Too soft?", "No."]
    assert [c.version for c in found[third.id][third.asked[0].id]] == [1, 3]
    assert [c.text for c in found[second.id][second.asked[0].id]] == ["Too soft?"]
    assert third.asked[1].id not in found[third.id]


@POSTGRES_LONG
def test_resolving_and_reopening_stay_on_record(database: Database, first: Checklist) -> None:
    with database.write() as work:
        comment = work.question_comments.add(first.asked[0].id, "Ana", "Too soft?")
        work.question_comments.settle(comment, "resolved", "Ben")
    second = copied(database, first)
    with database.write() as work:
        (now,) = work.question_comments.of_checklist(second.id)[second.asked[0].id]
        assert (now.resolved, now.settled_by) == (True, "Ben")
        work.question_comments.settle(comment, "reopened", "Ana")
        (now,) = work.question_comments.of_checklist(first.id)[first.asked[0].id]
        assert (now.resolved, now.settled_by) == (False, "Ana")


@POSTGRES_LONG
def test_what_is_not_there_cannot_be_commented_on_or_resolved(database: Database, first: Checklist) -> None:
    with database.write() as work:
        with pytest.raises(NotFoundError):
            work.question_comments.add(999, "Ana", "?")
        with pytest.raises(NotFoundError):
            work.question_comments.settle(999, "resolved", "Ana")


def test_they_go_with_their_project(database: Database, first: Checklist) -> None:
    with database.write() as work:
        work.question_comments.add(first.asked[0].id, "Ana", "Too soft?")
    copied(database, first)
    with database.write() as work:
        work.projects.delete(work.projects.get("P").id)
        assert work.question_comments.of_checklist(first.id) == {}
