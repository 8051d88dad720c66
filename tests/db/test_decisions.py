"""Decisions: a reference about a question in all its versions, undone but never lost, and nobody overrules unseen."""

import threading

import pytest

from app.domain.checklist import Checklist, ChecklistStatus, Question
from app.domain.checklist_score import Answer
from app.domain.improvement import contradictions, reference
from app.domain.project import Dimension, Task, Text
from app.errors import ConflictError, NotFoundError
from db.unit_of_work import Database


@pytest.fixture
def first(database: Database) -> Checklist:
    with database.write() as work:
        project = work.projects.add("P", Task("letter"))
        dimension = work.projects.add_dimension(project.id, Dimension("tone"))
        work.texts.add_many(project.id, [Text("1", "One"), Text("2", "Two")])
        questions = (Question("Is it warm?", "", position=0), Question("Does it greet?", "", position=1))
        made = Checklist("tone", 0, ChecklistStatus.DRAFT, "comb", "", (), questions)
        return work.checklists.get(work.checklists.save(dimension.id, made))


@pytest.fixture
def texts(database: Database, first: Checklist) -> list[int]:
    with database.read() as work:
        project = work.projects.project_of(work.checklists.dimension_of(first.id))
        return [text.id for text in work.texts.all(project.id)]


def copied(database: Database, checklist: Checklist) -> Checklist:
    with database.write() as work:
        return work.checklists.get(work.checklists.new_draft(checklist.id))


def test_a_decision_is_about_the_question_in_all_its_versions(
    database: Database, first: Checklist, texts: list[int]
) -> None:
    second = copied(database, first)
    third, fork = copied(database, second), copied(database, first)
    with database.write() as work:
        made = work.decisions.add(second.asked[0].id, texts[0], Answer.NO, "Ana", why="Cold.")
        found = {each.version: work.decisions.of_checklist(each.id) for each in (first, second, third, fork)}
        asked = {each.version: each.asked[0].id for each in (first, second, third, fork)}
    assert [found[version] for version in sorted(found)] == [{asked[version]: [made]} for version in sorted(found)]
    assert (made.version, made.wording, made.who, made.why) == (second.version, "Is it warm?", "Ana", "Cold.")


def test_whoever_did_not_see_a_decision_can_not_overrule_it(
    database: Database, first: Checklist, texts: list[int]
) -> None:
    question = first.asked[0].id
    second = copied(database, first)
    with database.write() as work:
        made = work.decisions.add(question, texts[0], Answer.NO, "Ana")
    with database.write() as work, pytest.raises(ConflictError, match="Ana has decided this meanwhile: no"):
        work.decisions.add(second.asked[0].id, texts[0], Answer.YES, "Ben")
    with database.write() as work:
        again = work.decisions.add(question, texts[0], Answer.YES, "Ben", seen=made.id)
        decisions = work.decisions.of_checklist(first.id)[question]
    assert [(one.id, one.stands, one.undone_by) for one in decisions] == [(made.id, False, "Ben"), (again.id, True, "")]
    assert reference(decisions) == {texts[0]: again}


def test_two_who_decide_at_once_are_not_both_believed(database: Database, first: Checklist, texts: list[int]) -> None:
    question, both_there, said = first.asked[0].id, threading.Barrier(2), []

    def decide(who: str) -> None:
        both_there.wait()
        try:
            with database.write() as work:
                work.decisions.add(question, texts[0], Answer.YES, who)
            said.append("kept")
        except ConflictError as error:
            said.append(str(error.hint))

    threads = [threading.Thread(target=decide, args=(who,)) for who in ("Ana", "Ben")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert said.count("kept") == 1
    with database.read() as work:
        assert len(work.decisions.of_checklist(first.id)[question]) == 1


def test_undoing_gives_the_earlier_decision_back_and_keeps_both(
    database: Database, first: Checklist, texts: list[int]
) -> None:
    second = copied(database, first)
    with database.write() as work:
        early = work.decisions.add(first.asked[0].id, texts[0], Answer.NO, "Ana")
        late = work.decisions.add(second.asked[0].id, texts[0], Answer.YES, "Ben", seen=early.id)
        both = work.decisions.of_checklist(second.id)[second.asked[0].id]
        assert contradictions(both) == [(early, late)]
        work.decisions.undo(late.id, "Ana")
        both = work.decisions.of_checklist(second.id)[second.asked[0].id]
    assert reference(both) == {texts[0]: early}
    assert contradictions(both) == []
    assert [one.undone_by for one in both] == ["", "Ana"]
    with database.write() as work:
        with pytest.raises(ConflictError, match="undone already"):
            work.decisions.undo(late.id, "Ben")
        with pytest.raises(ConflictError, match="Ana has decided"):
            work.decisions.add(second.asked[0].id, texts[0], Answer.YES, "Ben", seen=late.id)


def test_what_is_gone_can_not_be_decided_or_undone(database: Database, first: Checklist, texts: list[int]) -> None:
    with database.write() as work:
        with pytest.raises(NotFoundError):
            work.decisions.add(999, texts[0], Answer.YES, "Ana")
        with pytest.raises(NotFoundError):
            work.decisions.undo(999, "Ana")
