"""A reply with half a character in it is an answer like any other: it is kept, used, and never paid for again."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.domain.run import RunStatus
from app.providers.base import ChatReply, ChatRequest, TokenLogprob, Usage
from app.providers.credentials import Credentials
from app.services.attributes.attributes import attributes_of
from app.services.data.projects import dimensions_named, get_project
from app.services.scoring.runs import RunOptions, start_run, work_on
from app.services.think_aloud.llm_think_aloud import ask_models
from db.unit_of_work import Database
from tests.support.projects import ModelBench, ready_to_score

DAMAGES = {"half": "\ud83d", "the other half": "\ude00", "NUL": "\0"}


class Damaged:
    """Judges yes, and thinks aloud; around its JSON and in every string of it stands what can't be stored."""

    is_llm, name = True, "llama:damaged"

    def __init__(self, damage: str, asked: Counter[str]) -> None:
        self._damage, self._asked = damage, asked

    async def complete(self, request: ChatRequest) -> ChatReply:
        self._asked[request.digest(self.name)] += 1
        properties = (request.schema or {})["properties"]
        if "considerations" in properties:
            answer = {"considerations": [{"index": 1, "consideration": f"Order {self._damage} counts."}]}
        else:
            answer = dict.fromkeys(properties, "yes")
        text = f"Well {self._damage}\n{json.dumps(answer)}"
        token = TokenLogprob(self._damage, -0.1, {self._damage: -0.1})
        return ChatReply(text, self.name, Usage(10, 0, 5), logprobs=(token,), rationales={"q1": self._damage})

    async def aclose(self) -> None:
        """Nothing is open."""


@pytest.fixture(params=DAMAGES.values(), ids=DAMAGES.keys())
def asked(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    counted: Counter[str] = Counter()
    monkeypatch.setattr(ModelBench, "opener", staticmethod(lambda _: Damaged(request.param, counted)), raising=False)
    return counted


@pytest.fixture
def workbench(tmp_path: Path, asked: Counter[str]) -> Iterator[ModelBench]:
    bench = ModelBench(Database(f"sqlite:///{tmp_path}/workbench.db"), Credentials())
    yield bench
    bench.database.close()


def test_a_damaged_reply_scores_its_text_and_is_paid_once(workbench: ModelBench, asked: Counter[str]) -> None:
    dimension = ready_to_score(workbench)
    first = work_on(workbench, start_run(workbench, 1, RunOptions((dimension,), "llama:damaged")))
    assert first.run.status is RunStatus.DONE
    assert first.run.done == first.run.all == sum(asked.values()) == first.tally.mended
    again = work_on(workbench, start_run(workbench, 1, RunOptions((dimension,), "llama:damaged", reuse=False)))
    assert again.run.done == again.run.all == again.tally.cached
    assert set(asked.values()) == {1}
    with workbench.database.read() as work:
        replies = work.calls.of_run(first.run.id)
    assert all("\ufffd" in reply.reply for reply in replies)
    assert replies[0].logprobs == [["\ufffd", -0.1, {"\ufffd": -0.1}]]


def test_what_a_model_thinks_aloud_is_kept(workbench: ModelBench) -> None:
    ready_to_score(workbench)
    project, dimensions = get_project(workbench, "Ready"), dimensions_named(workbench, "Ready", "all")
    (answer,) = ask_models(workbench, project, dimensions, ["llama:damaged"])
    assert (answer.attributes, answer.error) == (1, "")
    (attribute,) = attributes_of(workbench, project.id)
    assert attribute.text == "Order \ufffd counts."
