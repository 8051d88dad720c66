"""Attempts at better wordings are about a question in all its versions; halves of documents are drawn once."""

from dataclasses import replace

import pytest
from sqlalchemy.exc import IntegrityError

from app.domain.checklist import Checklist, ChecklistStatus, Question
from app.domain.checklist_score import Answer
from app.domain.improvement import (
    AnswerErrors,
    DocumentHalf,
    Improvement,
    ImprovementStatus,
    ProposedWording,
    TriedWording,
    WordingTrial,
)
from app.domain.project import Dimension, Task, Text
from app.errors import NotFoundError
from db.unit_of_work import Database

TRIAL = WordingTrial(AnswerErrors(9, 3, 1), AnswerErrors(9, 1, 0), 4, 1, 2, 5)


@pytest.fixture
def first(database: Database) -> Checklist:
    with database.write() as work:
        project = work.projects.add("P", Task("letter"))
        dimension = work.projects.add_dimension(project.id, Dimension("tone"))
        work.texts.add_many(project.id, [Text("1", "One"), Text("2", "Two")])
        made = Checklist("tone", 0, ChecklistStatus.DRAFT, "comb", "", (), (Question("Is it warm?", ""),))
        return work.checklists.get(work.checklists.save(dimension.id, made))


def attempt(question: int) -> Improvement:
    better = ProposedWording("Is it warm?", "Warm means kind.", "The word was misread.")
    return Improvement(
        question=question,
        model="llama:writer",
        judge="llama:judge",
        run=None,
        before=ProposedWording("Is it warm?"),
        decisions=(4, 5),
        tried=(TriedWording(better, TRIAL),),
        best=0,
        proof=TRIAL,
        proof_decided=9,
        proof_texts=(1, 2),
        calls=30,
        cost_usd=None,
        who="Ana",
    )


def test_an_attempt_comes_back_as_it_was_in_every_version(database: Database, first: Checklist) -> None:
    with database.write() as work:
        second = work.checklists.get(work.checklists.new_draft(first.id))
        made = attempt(first.asked[0].id)
        id_ = work.improvements.add(made)
        (found,) = work.improvements.of_checklist(second.id)[second.asked[0].id]
        assert work.improvements.line_of(first.asked[0].id) == {first.asked[0].id, second.asked[0].id}
    assert found.at is not None
    assert replace(found, at=None) == replace(made, id=id_)


def test_an_attempt_is_decided_with_the_words_that_were_taken(database: Database, first: Checklist) -> None:
    taken = ProposedWording("Is it kind?", "Look at the greeting.")
    with database.write() as work:
        id_ = work.improvements.add(replace(attempt(first.asked[0].id), proof=None, best=None))
        work.improvements.decide(id_, ImprovementStatus.EDITED, "Ben", taken)
        found = work.improvements.get(id_, lock=True)
        with pytest.raises(NotFoundError):
            work.improvements.get(id_ + 1)
    assert (found.status, found.decided_by, found.taken) == (ImprovementStatus.EDITED, "Ben", taken)
    assert (found.proof, found.chosen) == (None, None)
    assert found.decided_at is not None


def test_a_document_has_one_half(database: Database, first: Checklist) -> None:
    with database.write() as work:
        project = work.projects.project_of(work.checklists.dimension_of(first.id))
        work.improvements.lock_halves(project.id)
        work.improvements.add_halves(project.id, {"1": DocumentHalf.PROOF, "2": DocumentHalf.DEVELOPMENT})
    with database.read() as work:
        assert work.improvements.halves(project.id) == {"1": DocumentHalf.PROOF, "2": DocumentHalf.DEVELOPMENT}
        assert work.improvements.halves(project.id + 1) == {}
    with pytest.raises(IntegrityError), database.write() as work:
        work.improvements.add_halves(project.id, {"1": DocumentHalf.DEVELOPMENT})


def test_texts_that_were_decided_about_are_known_as_read(database: Database, first: Checklist) -> None:
    with database.write() as work:
        project = work.projects.project_of(work.checklists.dimension_of(first.id))
        text = work.texts.all(project.id)[0].id
        made = work.decisions.add(first.asked[0].id, text, Answer.NO, "Ana")
        work.decisions.undo(made.id, "Ana")
        assert work.decisions.texts_of_project(project.id) == {text}
        assert work.decisions.texts_of_project(project.id + 1) == set()
