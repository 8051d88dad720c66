import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.domain.task import Dimension, Task
from app.domain.text import Rating, Text
from app.providers.base import ChatReply, ChatRequest
from app.providers.credentials import Credentials
from app.services.projects import dimensions_named, get_project
from app.services.thinking import answers_so_far, ask_models
from db.unit_of_work import Database
from tests.support.four_vendors import POINTS
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
