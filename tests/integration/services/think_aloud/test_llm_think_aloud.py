import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.domain.project import Dimension, Rating, Task, Text
from app.domain.run import StageRun
from app.providers.base import ChatReply, ChatRequest
from app.providers.credentials import Credentials
from app.services.attributes.attribute_changes import edit_attribute, move_attributes
from app.services.attributes.attributes import attributes_of
from app.services.data.projects import dimensions_named, get_project
from app.services.think_aloud.llm_think_aloud import answers_so_far, ask_models
from db.unit_of_work import Database
from tests.support.all_vendors import POINTS
from tests.support.projects import ModelBench

NAMES = ("openai:first", "google:second")


class Meeting:
    """Nobody gets an answer before everybody has asked."""

    is_llm = True

    def __init__(self, name: str, everybody: asyncio.Barrier) -> None:
        self.name = name
        self._everybody = everybody

    async def complete(self, request: ChatRequest) -> ChatReply:
        async with asyncio.timeout(30):
            await self._everybody.wait()
        return ChatReply(json.dumps(POINTS), self.name)

    async def aclose(self) -> None:
        """Nothing is open."""


@pytest.fixture
def workbench(tmp_path: Path) -> Iterator[ModelBench]:
    everybody = asyncio.Barrier(4)

    class Bench(ModelBench):
        __slots__ = ()
        opener = staticmethod(lambda name: Meeting(name, everybody))

    bench = Bench(Database(f"sqlite:///{tmp_path}/workbench.db"), Credentials())
    with bench.database.write() as work:
        project = work.projects.add("Talk", Task())
        dimensions = [work.projects.add_dimension(project.id, Dimension(name)) for name in ("coherence", "fluency")]
        texts = [Text(f"d{n}", f"Text number {n}.", "s", source=f"Source {n}.") for n in range(8)]
        work.texts.add_many(project.id, texts)
        ids = work.texts.ids_by_key(project.id)
        for dimension in dimensions:
            rated = [(ids[t.key], dimension.id, Rating(dimension.name, "r", 1 + n / 2)) for n, t in enumerate(texts)]
            work.texts.add_ratings(rated)
    yield bench
    bench.database.close()


def test_every_model_is_asked_about_every_dimension_at_once(workbench: ModelBench) -> None:
    project, dimensions = get_project(workbench, "Talk"), dimensions_named(workbench, "Talk", "all")
    asked = ask_models(workbench, project, dimensions, NAMES)
    assert {(one.model, one.dimension, one.attributes, one.error) for one in asked} == {
        (name, dimension.name, 3, "") for name in NAMES for dimension in dimensions
    }
    assert [answer.round for answer in answers_so_far(workbench, dimensions)] == [1, 1, 1, 1]


class Speaker:
    """Says its next answer each time it is asked; remembers at which temperature."""

    is_llm = True

    def __init__(self, name: str, answers: list[list[str]]) -> None:
        self.name = name
        self.answers = answers
        self.asked: list[tuple[float | None, int]] = []

    async def complete(self, request: ChatRequest) -> ChatReply:
        points = self.answers[len(self.asked)]
        self.asked.append((request.temperature, request.sample))
        listed = [{"index": n, "consideration": point} for n, point in enumerate(points, start=1)]
        return ChatReply(json.dumps({"considerations": listed}), self.name)

    async def aclose(self) -> None:
        """Nothing is open."""


def test_asking_again_drops_and_counts_what_the_model_said_before(workbench: ModelBench) -> None:
    speaker = Speaker("openai:one", [["Order.", "Links."], ["order", "LINKS !"], [" Links", "Ends.", "ends."]])
    type(workbench).opener = staticmethod(lambda name: speaker)
    project, (dimension, _) = get_project(workbench, "Talk"), dimensions_named(workbench, "Talk", "all")
    heard = [ask_models(workbench, project, [dimension], ["openai:one"])[0] for _ in range(3)]
    assert [(one.attributes, one.repeated, one.round) for one in heard] == [
        (2, 0, 1),
        (0, 2, 2),
        (1, 2, 3),
    ]
    # a round that brought nothing new is not asked again: it would come out of the cache
    assert speaker.asked == [(0.0, 0), (1.0, 1), (1.0, 2)]
    said = attributes_of(workbench, project.id, dimension.id)
    assert [(a.text, a.round) for a in said] == [("Order.", 1), ("Links.", 1), ("Ends.", 3)]
    answers = answers_so_far(workbench, [dimension])
    assert [(a.round, a.attributes, a.repeated) for a in answers] == [(3, 1, 2), (2, 0, 2), (1, 2, 0)]
    with workbench.database.read() as work:
        assert "LINKS !" in work.stages.of(dimension.id)[1].output


class Quoter(Speaker):
    """Quotes with its first point what is in every text, with its second what is in none."""

    async def complete(self, request: ChatRequest) -> ChatReply:
        points = [("Order.", "Text number"), ("Links.", "No such words."), ("Ends.", "")]
        listed = [{"index": n, "consideration": c, "quote": q} for n, (c, q) in enumerate(points, start=1)]
        return ChatReply(json.dumps({"considerations": listed}), self.name)


def test_quotes_become_passages_where_they_stand_in_a_sample(workbench: ModelBench) -> None:
    type(workbench).opener = staticmethod(lambda name: Quoter("openai:one", []))
    project, (dimension, _) = get_project(workbench, "Talk"), dimensions_named(workbench, "Talk", "all")
    asked = ask_models(workbench, project, [dimension], ["openai:one"])[0]
    assert (asked.attributes, asked.quotes, asked.quotes_absent) == (3, 1, 1)
    found = attributes_of(workbench, project.id, dimension.id)
    assert [a.passage and a.passage.quote for a in found] == ["Text number", None, None]
    assert found[0].prompted_by == found[0].passage.text_id if found[0].passage else False


def test_another_model_and_another_dimension_may_say_the_same(workbench: ModelBench) -> None:
    answers = [["Order."], ["Order."], ["Order."]]
    speakers = {name: Speaker(name, answers) for name in NAMES}
    type(workbench).opener = staticmethod(lambda name: speakers[name])
    project, (first, second) = get_project(workbench, "Talk"), dimensions_named(workbench, "Talk", "all")
    asked = ask_models(workbench, project, [first, second], NAMES)
    assert [(one.attributes, one.repeated) for one in asked] == [(1, 0)] * 4
    theirs = [a for a in attributes_of(workbench, project.id, first.id) if a.contributor == NAMES[0]]
    edit_attribute(workbench, theirs[0].id, "The order of the parts.")
    move_attributes(workbench, [theirs[0].id], second.id)
    again = ask_models(workbench, project, [first], [NAMES[0]])
    assert [(one.attributes, one.repeated) for one in again] == [(0, 1)]
    assert [a.repeated for a in answers_so_far(workbench, [first])] == [1, 0, 0]


@pytest.mark.parametrize(
    ("output", "repeated"),
    [
        (json.dumps({"answer": {"considerations": [{"index": 1, "consideration": "Order."}]}}), 1),
        ('Here:\n```json\n{"considerations": [{"index": 1, "consideration": "Order."}]}\n```', 1),
        ("", 0),
        ("Nothing that can be read.", 0),
        (json.dumps({"considerations": "Order."}), 0),
    ],
)
def test_an_answer_on_record_is_counted_in_whatever_form_it_came(
    workbench: ModelBench, output: str, repeated: int
) -> None:
    dimension = dimensions_named(workbench, "Talk", "all")[0]
    with workbench.database.write() as work:
        work.stages.add(dimension.id, StageRun("think-aloud", "openai:one", output=output))
    (answer,) = answers_so_far(workbench, [dimension])
    assert (answer.round, answer.attributes, answer.repeated) == (1, 0, repeated)
