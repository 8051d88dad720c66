"""What goes into the repositories comes out again, word for word, and what refers to it goes with it."""

from dataclasses import replace

import pytest
from sqlalchemy import text
from sqlmodel import SQLModel

from app.domain.attribute import AttributeStatus, ContributorKind
from app.domain.checklist import (
    Checklist,
    ChecklistStatus,
    ChecklistVersion,
    Component,
    DroppedAttribute,
    Edit,
    Question,
    QuestionKind,
    QuestionOrigin,
)
from app.domain.checklist_score import Answer, Evaluation, Judgment
from app.domain.model_call import RecordedCall
from app.domain.project import Dimension, Rating, Task, Text
from app.domain.run import Outcome, RunDimension, RunStatus, ScoreStatus
from app.errors import ConflictError, InputError
from db.unit_of_work import Database

STRANGE = "Ünïcode 漢字 שלום 🙂 <script>alert(1)</script> 'quoted' \"twice\" =1+1\nsecond line"


class Filled:
    """A project with two texts, one dimension, three ratings and two attributes."""

    def __init__(self, database: Database) -> None:
        self.database = database
        with database.write() as work:
            self.project = work.projects.add("News", Task("summary", "article"))
            self.dimension = work.projects.add_dimension(self.project.id, Dimension("coherence", STRANGE))
            work.texts.add_many(
                self.project.id,
                [
                    Text("d1", STRANGE, "s1", source="source", references=("r1", "r2"), extra={"k": [1, None]}),
                    Text("d1", "second", "s2", source="source"),
                ],
            )
            self.texts = list(work.texts.ids_by_key(self.project.id).values())
            work.texts.add_ratings(
                [
                    (self.texts[0], self.dimension.id, Rating("coherence", "a", 1.0)),
                    (self.texts[0], self.dimension.id, Rating("coherence", "b", 4.0)),
                    (self.texts[1], self.dimension.id, Rating("coherence", "a", 5.0)),
                ]
            )
            who = work.think_aloud.contributor(self.project.id, "Ada", ContributorKind.HUMAN)
            self.attributes = work.think_aloud.add_attributes(self.dimension.id, who.id, ["Order", STRANGE])

    def checklist(self) -> Checklist:
        first, second = self.attributes
        return Checklist(
            "coherence",
            0,
            ChecklistStatus.DRAFT,
            "comb",
            "rules",
            components=(Component("Flow", "How it flows", (first,)),),
            questions=(
                Question("Does it flow?", "Flow", QuestionKind.KEY, attributes=(first,)),
                Question("Is it in order?", "Flow", key_question="Does it flow?", attributes=(first,), position=1),
                Question("Is it linked?", "Flow", key_question="Does it flow?", attributes=(first,), position=2),
            ),
            dropped=(DroppedAttribute(second, "clusters", "says the same as another"),),
        )


@pytest.fixture
def filled(database: Database) -> Filled:
    return Filled(database)


def test_texts_and_ratings_come_back_to_the_letter(filled: Filled) -> None:
    with filled.database.read() as work:
        first, second = work.texts.all(filled.project.id)
        assert (first.text, first.references, dict(first.extra)) == (STRANGE, ("r1", "r2"), {"k": [1, None]})
        assert work.texts.ratings(filled.dimension.id) == [
            (first.id, "a", 1.0),
            (first.id, "b", 4.0),
            (second.id, "a", 5.0),
        ]
        assert work.texts.rating_counts(filled.project.id) == {"coherence": (3, 2)}
        assert work.texts.distinct(filled.project.id) == (1, 2)
        assert [t.text for t in work.texts.page(filled.project.id, 0, 10, "SECOND")] == [STRANGE, "second"]
        assert work.texts.count(filled.project.id, "%") == 0


def test_an_edited_attribute_keeps_what_was_first_said(filled: Filled) -> None:
    with filled.database.write() as work:
        work.think_aloud.edit_attribute(filled.attributes[0], " In order ")
        work.think_aloud.set_status(filled.attributes[1], AttributeStatus.EXCLUDED, "off topic")
    with filled.database.read() as work:
        edited, excluded = work.think_aloud.attributes(filled.project.id)
    assert (edited.text, edited.original) == ("In order", "Order")
    assert (excluded.status, excluded.reason, excluded.original) == (AttributeStatus.EXCLUDED, "off topic", STRANGE)


def test_a_name_belongs_to_one_kind_of_contributor(filled: Filled) -> None:
    with pytest.raises(ConflictError, match="already a contributor"), filled.database.write() as work:
        work.think_aloud.contributor(filled.project.id, "Ada", ContributorKind.LLM)


def test_samples_are_replaced_as_a_whole(filled: Filled) -> None:
    first, second = filled.texts
    with filled.database.write() as work:
        work.think_aloud.set_samples(filled.dimension.id, [(first, 2.5, "auto"), (second, 5.0, "auto")])
        work.think_aloud.set_samples(filled.dimension.id, [(second, 5.0, "hand"), (first, 2.5, "auto")])
        samples = work.think_aloud.samples(filled.dimension.id)
    assert [(s.position, s.text.id, s.score, s.chosen_by) for s in samples] == [
        (1, second, 5.0, "hand"),
        (2, first, 2.5, "auto"),
    ]


def test_a_checklist_comes_back_with_its_lineage(filled: Filled) -> None:
    with filled.database.write() as work:
        saved = work.checklists.get(work.checklists.save(filled.dimension.id, filled.checklist()))
    key, first, second = saved.questions
    assert saved.version == 1
    assert saved.components[0].attributes == (filled.attributes[0],)
    assert (first.key_question, first.attributes, first.origin) == (
        "Does it flow?",
        (filled.attributes[0],),
        QuestionOrigin.GENERATED,
    )
    assert saved.dropped[0].reason == "says the same as another"
    assert saved.asked == (first, second)
    assert key.kind is QuestionKind.KEY


def reworded(question_id: int, text: str) -> Edit:
    return Edit("question", question_id, {"text": text})


def test_a_published_version_never_changes(filled: Filled) -> None:
    with filled.database.write() as work:
        checklist_id = work.checklists.save(filled.dimension.id, filled.checklist())
        question = work.checklists.get(checklist_id).asked[0]
        work.drafts.change(checklist_id, "Ana", "reworded", [reworded(question.id, "Is everything in order?")])
        published = work.checklists.publish(checklist_id)
    assert (published.asked[0].text, published.asked[0].original) == ("Is everything in order?", "Is it in order?")
    for change in (
        lambda work: work.drafts.change(checklist_id, "Ana", "reworded", [reworded(question.id, "Other?")]),
        lambda work: work.drafts.add_question(checklist_id, "New?", QuestionKind.SUB, 9),
        lambda work: work.drafts.add_component(checklist_id, "New", 9),
        lambda work: work.checklists.publish(checklist_id),
    ):
        with pytest.raises(ConflictError, match="published"), filled.database.write() as work:
            change(work)
    with filled.database.write() as work:
        draft = work.checklists.get(work.checklists.new_draft(checklist_id))
        work.drafts.change(draft.id, "Ana", "reworded", [reworded(draft.asked[0].id, "Is it ordered?")])
        assert work.checklists.get(checklist_id) == published
    assert (draft.version, draft.parent, draft.status) == (2, checklist_id, ChecklistStatus.DRAFT)
    assert [q.text for q in draft.questions] == [q.text for q in published.questions]


def test_a_checklist_that_asks_nothing_is_not_published(filled: Filled) -> None:
    empty = replace(filled.checklist(), questions=filled.checklist().questions[:1])
    with filled.database.write() as work:
        checklist_id = work.checklists.save(filled.dimension.id, empty)
    with pytest.raises(InputError, match="asks nothing"), filled.database.write() as work:
        work.checklists.publish(checklist_id)


def test_a_run_is_planned_worked_on_and_tried_again(filled: Filled) -> None:
    with filled.database.write() as work:
        checklist_id = work.checklists.save(filled.dimension.id, filled.checklist())
        questions = work.checklists.publish(checklist_id).asked
        plan = [RunDimension(filled.dimension.id, checklist_id, ("d9",), tuple(filled.texts))]
        run_id = work.runs.create(filled.project.id, "checklist", "rules", {"seed": 1}, plan)
        work.runs.claim(run_id, "me")
        first, second = work.runs.open_scores(run_id)
        answers = (Judgment(questions[0].id, Answer.YES, "fine"), Judgment(questions[1].id, Answer.NO))
        work.runs.save(
            [Outcome(first, Evaluation(3.0, judgments=answers)), Outcome(second, error_kind="timeout", error="slow")]
        )
    with filled.database.read() as work:
        run = work.runs.get(run_id)
        assert (run.done, run.failed, run.all, run.status) == (1, 1, 2, RunStatus.RUNNING)
        assert [p.id for p in work.runs.open_scores(run_id)] == [second.id]
        scored, failed = work.results.scored(run_id, filled.dimension.id)
        assert (scored.score, scored.human, scored.raters, scored.status) == (3.0, 2.5, 2, ScoreStatus.DONE)
        assert (failed.score, failed.human, failed.status) == (None, 5.0, ScoreStatus.FAILED)
        assert work.results.judgments(run_id, filled.dimension.id, filled.texts[0]) == list(answers)
        assert work.results.failures(run_id) == [(filled.texts[1], filled.dimension.id, "timeout", "slow")]
    with filled.database.write() as work:
        again = Outcome(second, Evaluation(5.0, 0.5, (Judgment(questions[0].id, Answer.UNANSWERED),)))
        work.runs.save([again])
        work.runs.save([again])
        work.runs.finish(run_id, RunStatus.DONE)
        assert work.results.unanswered(run_id, filled.dimension.id) == 1
        assert work.runs.get(run_id).done == 2


def test_a_run_has_one_writer(filled: Filled) -> None:
    with filled.database.write() as work:
        plan = [RunDimension(filled.dimension.id, None, (), tuple(filled.texts))]
        run_id = work.runs.create(filled.project.id, "checklist", "rules", {}, plan)
        work.runs.claim(run_id, "me")
    with pytest.raises(ConflictError, match="another process"), filled.database.write() as work:
        work.runs.claim(run_id, "you")
    with filled.database.write() as work:
        long_ago = "2020-01-01 00:00:00+00:00"
        work.runs._session.execute(text(f"UPDATE scoring_run SET heartbeat_at = '{long_ago}'"))
    with filled.database.write() as work:
        assert work.runs.get(run_id).status is RunStatus.INTERRUPTED
        work.runs.claim(run_id, "you")
        assert work.runs.get(run_id).status is RunStatus.RUNNING
        work.runs.request_stop(run_id)
        assert work.runs.stop_requested(run_id)


def test_the_ledger_answers_only_with_replies(database: Database) -> None:
    with database.write() as work:
        work.calls.add(
            [
                RecordedCall("x", "openai:m", "judge@1", "hash", error_kind="timeout"),
                RecordedCall("x", "openai:m", "judge@1", "hash", "reply", {"q1": "why"}, cost_usd=None),
                RecordedCall("y", "openai:m", "judge@1", "hash", error_kind="refused"),
            ]
        )
    with database.read() as work:
        found = work.calls.find("x")
        assert found is not None
        assert (found.reply, found.rationales, found.cost_usd) == ("reply", {"q1": "why"}, None)
        assert work.calls.find("y") is None
        assert work.calls.known(["x", "y", "z"]) == {"x"}


def test_deleting_a_project_leaves_nothing_of_it(filled: Filled) -> None:
    with filled.database.write() as work:
        checklist_id = work.checklists.save(filled.dimension.id, filled.checklist())
        plan = [RunDimension(filled.dimension.id, checklist_id, (), tuple(filled.texts))]
        work.runs.create(filled.project.id, "checklist", "rules", {}, plan)
        work.think_aloud.set_samples(filled.dimension.id, [(filled.texts[0], 2.5, "auto")])
    with filled.database.write() as work:
        work.projects.delete(filled.project.id)
    with filled.database.read() as work:
        counts = {
            name: work.projects._session.execute(text(f'SELECT count(*) FROM "{name}"')).scalar()
            for name in SQLModel.metadata.tables
        }
    assert {name: count for name, count in counts.items() if count} == {}


def test_versions_of_several_dimensions_are_read_at_once_as_one_by_one(filled: Filled) -> None:
    with filled.database.write() as work:
        other = work.projects.add_dimension(filled.project.id, Dimension("fluency"))
        first = work.checklists.save(filled.dimension.id, filled.checklist())
        work.checklists.publish(first)
        draft = work.checklists.new_draft(first)
        question = work.checklists.get(draft).asked[0]
        work.drafts.change(draft, "Ana", "reworded", [reworded(question.id, "Is everything in order?")])
        alone = work.checklists.save(other.id, replace(filled.checklist(), dimension="fluency"))
    with filled.database.read() as work:
        found = work.checklists.versions_of_each([filled.dimension.id, other.id])
        assert found == {
            filled.dimension.id: [work.checklists.get(draft), work.checklists.get(first)],
            other.id: [work.checklists.get(alone)],
        }
        assert [c.dimension for c in found[other.id]] == ["fluency"]
        assert work.checklists.versions_by_dimension(filled.project.id) == {
            dimension_id: [ChecklistVersion(c.id, c.version, c.status) for c in versions]
            for dimension_id, versions in found.items()
        }
        published = ChecklistStatus.PUBLISHED
        assert work.checklists.find_id(filled.dimension.id) == draft
        assert work.checklists.find_id(filled.dimension.id, status=published) == first
        assert work.checklists.find_id(other.id, status=published) is None
        assert work.checklists.versions_of_each([]) == {}


def test_counts_are_those_of_what_is_there(filled: Filled) -> None:
    with filled.database.write() as work:
        other = work.projects.add_dimension(filled.project.id, Dimension("fluency"))
        work.think_aloud.set_samples(filled.dimension.id, [(filled.texts[0], 2.5, "score"), (filled.texts[1], 5, "a")])
        llm = work.think_aloud.contributor(filled.project.id, "rules", ContributorKind.LLM, "rules")
        work.think_aloud.add_attributes(other.id, llm.id, ["Grammar"])
        elsewhere = work.projects.add("Elsewhere", Task("talk", "paper"))
        work.projects.add_dimension(elsewhere.id, Dimension("coherence"))
    with filled.database.read() as work:
        assert work.think_aloud.sample_counts(filled.project.id) == {filled.dimension.id: 2}
        assert work.think_aloud.attribute_counts(filled.project.id) == {
            (filled.dimension.id, ContributorKind.HUMAN): 2,
            (other.id, ContributorKind.LLM): 1,
        }
        assert work.think_aloud.attribute_counts(elsewhere.id) == {}
        assert work.checklists.versions_by_dimension(elsewhere.id) == {}
    with filled.database.write() as work:
        work.think_aloud.set_status(filled.attributes[0], AttributeStatus.EXCLUDED)
    with filled.database.read() as work:
        assert work.think_aloud.attribute_counts(filled.project.id)[filled.dimension.id, ContributorKind.HUMAN] == 1
