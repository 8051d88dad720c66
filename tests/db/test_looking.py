"""What screens ask of texts, ratings and think-alouds, on both engines."""

import pytest

from app.domain.attribute import ContributorKind
from app.domain.project import Dimension, Rating, Task, Text
from app.domain.run import StageRun
from app.errors import ConflictError, InputError, NotFoundError
from db.unit_of_work import Database


@pytest.fixture
def dimensions(database: Database) -> tuple[int, int]:
    """Two texts: the first rated 1, 2 and 4 on order and 3 on warmth, the second 5 on order."""
    with database.write() as work:
        project = work.projects.add("News", Task())
        order = work.projects.add_dimension(project.id, Dimension("order"))
        warmth = work.projects.add_dimension(project.id, Dimension("warmth"))
        work.texts.add_many(project.id, [Text("d1", "first"), Text("d2", "second")])
        first, second = (work.texts.ids_by_key(project.id)[document, "", ""] for document in ("d1", "d2"))
        work.texts.add_ratings(
            [
                (first, order.id, Rating("order", "a", 1)),
                (first, order.id, Rating("order", "b", 2)),
                (first, order.id, Rating("order", "c", 4)),
                (second, order.id, Rating("order", "a", 5)),
                (first, warmth.id, Rating("warmth", "a", 3)),
            ]
        )
        return order.id, warmth.id


def test_ratings_of_one_text_come_by_dimension_and_rater(database: Database, dimensions: tuple[int, int]):
    with database.read() as work:
        first = work.texts.page(work.projects.get("News").id, 0, 1)[0]
        expected = [("order", "a", 1), ("order", "b", 2), ("order", "c", 4), ("warmth", "a", 3)]
        assert work.texts.ratings_of(first.id) == expected


def test_means_and_ranges(database: Database, dimensions: tuple[int, int]):
    order, warmth = dimensions
    with database.read() as work:
        first, second = (text.id for text in work.texts.page(work.projects.get("News").id, 0, 2))
        means = work.texts.mean_ratings([first, second])
        assert means == {(first, "order"): pytest.approx(7 / 3), (first, "warmth"): 3, (second, "order"): 5}
        assert work.texts.mean_ratings([]) == {}
        assert work.texts.mean_scores(order) == {first: pytest.approx(7 / 3), second: 5}
        assert work.texts.rating_range(order) == (1, 5)
        assert work.texts.rating_range(warmth) == (3, 3)
        assert work.texts.rating_range(-1) is None


def test_a_text_is_looked_up_within_its_project(database: Database, dimensions: tuple[int, int]):
    with database.write() as work:
        project, other = work.projects.get("News"), work.projects.add("Other", Task())
        text = work.texts.page(project.id, 0, 1)[0]
        assert work.texts.in_project(project.id, text.id) == text
        with pytest.raises(NotFoundError):
            work.texts.in_project(other.id, text.id)


def test_what_came_out_of_each_time_a_model_was_asked(database: Database, dimensions: tuple[int, int]):
    order, warmth = dimensions
    with database.write() as work:
        project = work.projects.get("News")
        who = work.think_aloud.contributor(project.id, "rules", ContributorKind.LLM, "rules")
        stages = [work.stages.add(order, StageRun("think-aloud", "rules")) for _ in range(3)]
        work.think_aloud.add_attributes(order, who.id, ["one", "two"], 1, stages[0])
        work.think_aloud.add_attributes(order, who.id, ["three"], 2, stages[1])
        work.think_aloud.add_attributes(order, who.id, ["by hand"])
        assert work.think_aloud.said_in_stages(order) == {stages[0]: (1, 2), stages[1]: (2, 1)}
        assert work.think_aloud.said_in_stages(warmth) == {}
        other = work.think_aloud.contributor(project.id, "openai:gpt-4o", ContributorKind.LLM)
        work.think_aloud.add_attributes(warmth, other.id, ["four"])
        assert work.think_aloud.llms(project.id) == ["openai:gpt-4o", "rules"]


def test_a_dimension_can_take_neither_anothers_name_nor_none(database: Database, dimensions: tuple[int, int]):
    with database.write() as work:
        order = work.projects.dimension_by_id(dimensions[0])
        work.projects.set_dimension(order)  # its own name is free
        with pytest.raises(ConflictError):
            work.projects.set_dimension(Dimension("warmth", id=order.id))
        with pytest.raises(InputError):
            work.projects.set_dimension(Dimension(" ", id=order.id))
