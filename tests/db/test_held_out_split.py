"""A held-out split answers alike on both databases: its texts are nowhere but where they are asked for by name."""

from datetime import UTC

import pytest

from app.domain.checklist_score import Answer, Evaluation, Judgment
from app.domain.project import Dimension, Rating, Task, Text
from app.domain.run import Outcome, RunDimension
from app.errors import NotFoundError
from db.unit_of_work import Database, UnitOfWork
from tests.support.projects import small_checklist


def rated_project(work: UnitOfWork) -> tuple[int, int]:
    """Six texts about documents d0 to d2, all rated; the ids of project and dimension."""
    project = work.projects.add("P", Task())
    dimension = work.projects.add_dimension(project.id, Dimension("coherence"))
    texts = [Text(f"d{n // 2}", f"Text {n}", f"s{n % 2}") for n in range(6)]
    work.texts.add_many(project.id, texts)
    ids = work.texts.ids_by_key(project.id)
    work.texts.add_ratings([(ids[text.key], dimension.id, Rating("coherence", "r", 3)) for text in texts])
    return project.id, dimension.id


def scored_run(work: UnitOfWork, project: int, dimension: int) -> int:
    texts = tuple(work.every_text.ids_by_key(project).values())
    run = work.runs.create(project, "checklist", "rules", {}, [RunDimension(dimension, None, (), texts)])
    work.runs.save([Outcome(planned, Evaluation(2.0, details={"why": "so"})) for planned in work.runs.open_scores(run)])
    return run


def test_locked_documents_are_left_out_of_every_question(database: Database) -> None:
    with database.write() as work:
        project, dimension = rated_project(work)
        run = scored_run(work, project, dimension)
        before = work.results.rating_state(dimension)
        work.held_out_splits.lock(project, ["d1"], 0.3, 7, "Ana")
        locked = {work.texts.ids_by_key(project)[key] for key in (("d1", "s0", ""), ("d1", "s1", ""))}
    with database.read() as work:
        assert {t.doc_id for t in work.texts.all(project)} == {"d0", "d2"}
        assert {t.doc_id for t in work.texts.page(project, 0, 10, "text")} == {"d0", "d2"}
        assert (work.texts.count(project), work.every_text.count(project), work.held_out_texts.count(project)) == (
            4,
            6,
            2,
        )
        assert not locked & work.texts.many(range(1, 7)).keys()
        assert not locked & {text for text, _, _ in work.texts.ratings(dimension)}
        assert not locked & work.texts.mean_scores(dimension).keys()
        assert not locked & {text for text, _ in work.texts.mean_ratings(list(range(1, 7)))}
        for text in locked:
            with pytest.raises(NotFoundError):
                work.texts.get(text)
            with pytest.raises(NotFoundError):
                work.texts.in_project(project, text)
            assert work.texts.ratings_of(text) == []
        assert {row.doc_id for row in work.results.scored(run, dimension)} == {"d0", "d2"}
        assert not locked & work.results.details(run, dimension).keys()
        assert work.results.rating_state(dimension) != before
        assert {row.text for row in work.held_out_results.scored(run, dimension)} == locked
        assert len(work.every_result.scored(run, dimension)) == 6
        assert work.held_out_splits.runs_with_scores(project) == [run]
        assert work.held_out_splits.scored_before(work.held_out_splits.of(project)[0].id) == 2


def test_answers_to_questions_about_locked_texts_are_left_out(database: Database) -> None:
    with database.write() as work:
        project, dimension = rated_project(work)
        checklist = small_checklist(work, dimension)
        texts = tuple(work.texts.ids_by_key(project).values())
        run = work.runs.create(project, "checklist", "rules", {}, [RunDimension(dimension, checklist.id, (), texts)])
        question = checklist.asked[0].id
        judged = (Judgment(question, Answer.YES),)
        work.runs.save([Outcome(planned, Evaluation(2.0, judgments=judged)) for planned in work.runs.open_scores(run)])
        work.held_out_splits.lock(project, ["d1"], 0.3, 7, "Ana")
        locked = {text.id for text in work.held_out_texts.all(project)}
    with database.read() as work:
        assert not locked & work.results.answers(run, dimension).keys()
        assert work.results.answer_counts(run, dimension) == {question: {Answer.YES: 4}}
        assert all(work.results.judgments(run, dimension, text) == [] for text in locked)
        assert all(work.held_out_results.judgments(run, dimension, text) for text in locked)


def test_a_text_imported_later_for_a_locked_document_is_locked_too(database: Database) -> None:
    with database.write() as work:
        project, _ = rated_project(work)
        work.held_out_splits.lock(project, ["d1"], 0.3, 7, "Ana")
        work.texts.add_many(project, [Text("d1", "Late", "s9"), Text("d9", "Later", "s9")])
    with database.read() as work:
        assert [t.text for t in work.texts.all(project) if t.system_id == "s9"] == ["Later"]


def test_another_project_with_the_same_document_names_is_not_locked(database: Database) -> None:
    with database.write() as work:
        project, _ = rated_project(work)
        other = work.projects.add("Other", Task())
        work.texts.add_many(other.id, [Text("d1", "Free")])
        work.held_out_splits.lock(project, ["d1"], 0.3, 7, "Ana")
        assert work.texts.count(other.id) == 1


def test_looks_are_kept_and_an_opened_split_stays_on_record(database: Database) -> None:
    with database.write() as work:
        project, _ = rated_project(work)
        work.held_out_splits.lock(project, ["d1"], 0.3, 7, "Ana")
        split = work.held_out_splits.of(project)[0]
        work.held_out_splits.add_look(split.id, "Ben", [4, 5])
        work.held_out_splits.open(split.id, "Ana")
    with database.read() as work:
        (kept,) = work.held_out_splits.of(project)
        assert (kept.documents, kept.share, kept.seed, kept.locked_by, kept.opened_by) == (
            ("d1",),
            0.3,
            7,
            "Ana",
            "Ana",
        )
        assert [(look.who, look.runs) for look in kept.looks] == [("Ben", (4, 5))]
        assert kept.looks[0].at.tzinfo is UTC
        assert work.texts.count(project) == 6
