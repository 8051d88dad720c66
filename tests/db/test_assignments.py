"""Dimensions that experts were given and texts that are shared among them, on both engines."""

from app.domain.attribute import ContributorKind
from app.domain.checklist import Checklist, ChecklistStatus, Component, Question
from app.domain.project import Dimension, Task, Text
from db.unit_of_work import Database, UnitOfWork


def made(work: UnitOfWork) -> tuple[int, int, int, dict[str, int], tuple[int, ...]]:
    """Project, its dimension "order", a draw of three texts, and two experts."""
    project = work.projects.add("News", Task()).id
    dimension = work.projects.add_dimension(project, Dimension("order")).id
    work.texts.add_many(project, [Text(f"d{n}", f"Text {n}.") for n in range(3)])
    texts = tuple(one.id for one in work.texts.page(project, 0, 3))
    draft = Checklist("order", 0, ChecklistStatus.DRAFT, "comb", "", (Component("A"),), (Question("A?", "A"),))
    draw = work.expert_answers.add_draw(work.checklists.save(dimension, draft), 7, stratified=False)
    work.expert_answers.add_wave(draw, texts, {}, design="chance", seed=7, tau=0.0)
    people = {name: work.think_aloud.contributor(project, name, ContributorKind.HUMAN).id for name in ("Ana", "Ben")}
    return project, dimension, draw, people, texts


def test_whoever_was_given_nothing_has_every_dimension(database: Database) -> None:
    with database.write() as work:
        project, order, _, people, _ = made(work)
        warmth = work.projects.add_dimension(project, Dimension("warmth")).id
        assert work.assignments.given(project) == {}
        work.assignments.assign_dimensions(people["Ana"], [order])
        work.assignments.assign_dimensions(people["Ana"], [warmth])  # in place of what was given before
    with database.write() as work:
        assert work.assignments.given(project) == {"Ana": {warmth}}
        assert not work.assignments.is_assigned(order, "Ana")
        assert work.assignments.is_assigned(warmth, "Ana") and work.assignments.was_given(warmth, "Ana")
        assert work.assignments.is_assigned(order, "Ben") and not work.assignments.was_given(order, "Ben")
        work.assignments.assign_dimensions(people["Ana"], [])
        assert work.assignments.is_assigned(order, "Ana")


def test_shares_of_the_named_texts_are_replaced_and_the_others_stay(database: Database) -> None:
    with database.write() as work:
        _, _, draw, people, (first, second, third) = made(work)
        assert work.assignments.shares(draw) == {}
        work.assignments.share(draw, {first: ["Ana"], second: ["Ana", "Ben"], third: ["Ben"]}, people)
        work.assignments.share(draw, {first: ["Ben"]}, people)
        work.assignments.share(draw, {}, people)
    with database.read() as work:
        assert work.assignments.shares(draw) == {first: {"Ben"}, second: {"Ana", "Ben"}, third: {"Ben"}}
    with database.write() as work:
        work.expert_answers.remove_draw(draw)
        assert work.assignments.shares(draw) == {}


def test_how_many_experts_answer_a_text_is_the_dimension_s(database: Database) -> None:
    with database.write() as work:
        _, order, _, _, _ = made(work)
        assert work.assignments.overlap(order) == 0
        work.assignments.set_overlap(order, 2)
    with database.write() as work:
        work.projects.set_dimension(Dimension("flow", low=0, high=9, id=order))
        assert work.assignments.overlap(order) == 2


def test_somebody_at_it_has_begun_and_not_said_done(database: Database) -> None:
    with database.write() as work:
        project, order, _, people, _ = made(work)
        assert not work.independence.is_thinking(order, "Ana")
        work.think_aloud.add_attributes(order, people["Ana"], ["Order."])
        llm = work.think_aloud.contributor(project, "Cy", ContributorKind.LLM)
        work.think_aloud.add_attributes(order, llm.id, ["Order."])
        assert [work.independence.is_thinking(order, name) for name in ("Ana", "Ben", "Cy")] == [True, False, False]
        work.independence.set_done(order, people["Ana"], True)
        assert not work.independence.is_thinking(order, "Ana")
