"""LLMs think aloud in batches: half the price, found again wherever the program ended, and nothing paid twice."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.domain.model_call import BatchStatus
from app.domain.project import Dimension, Project, Rating, Task, Text
from app.errors import ConflictError, InputError
from app.providers.batches import anthropic, google, openai
from app.providers.batches.batch import BatchedModel
from app.providers.model_options import ModelOptions
from app.services.runtime import batch_rounds
from app.services.runtime.batch_rounds import AGAIN, LIVE
from app.services.runtime.workbench import Workbench
from app.services.think_aloud.llm_think_aloud import (
    ask_models,
    batches_out,
    forecast_think_aloud,
    has_batch_out,
    only_waiter,
)
from app.services.think_aloud.think_aloud_jobs import collect_batches
from db.unit_of_work import Database
from tests.support.modern_vendors import ModernVendors

OPENAI, ANTHROPIC, GOOGLE = "openai:gpt-4o", "anthropic:claude-haiku-4-5", "google:gemini-2.5-flash"
MODELS = {OPENAI: openai.OpenAIBatches, ANTHROPIC: anthropic.AnthropicBatches, GOOGLE: google.GoogleBatches}
NAMES = ("order", "warmth", "clarity", "pace")


@pytest.fixture
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    monkeypatch.setattr(batch_rounds, "FIRST_LOOK", 0.05)
    made = Database(f"sqlite:///{tmp_path}/workbench.db")
    yield made
    made.close()


class Ended(BaseException):
    """The program ends here."""


class Asked:
    """A project of four dimensions, whose models are asked under these options of the server."""

    def __init__(self, database: Database, vendors: ModernVendors, options: str) -> None:
        self.vendors, self.options = vendors, options
        self.workbench = Workbench(database, vendors.credentials(options))
        with database.write() as work:
            self.project: Project = work.projects.add("Talks", Task())
            self.dimensions = [work.projects.add_dimension(self.project.id, Dimension(name)) for name in NAMES]
            texts = [Text(f"d{n}", f"Talk {n} begins. It goes on. It ends with a line of its own.") for n in range(8)]
            work.texts.add_many(self.project.id, texts)
            ids = work.texts.ids_by_key(self.project.id)
            ratings = [
                (ids[text.key], one.id, Rating(one.name, "r1", 1.0 + n % 5))
                for n, text in enumerate(texts)
                for one in self.dimensions
            ]
            work.texts.add_ratings(ratings)

    def ask(self, model: str, batch: str = AGAIN) -> list[Any]:
        return ask_models(self.workbench, self.project, self.dimensions, [model], batch=batch)

    def batched(self) -> int:
        return int(self.vendors.state(self.options).get("batched", 0))

    def live(self) -> int:
        return sum("messages" in body or "contents" in body for body in self.vendors.bodies(self.options) if body)


@pytest.fixture(params=[OPENAI, *(pytest.param(name, marks=pytest.mark.long) for name in MODELS if name != OPENAI)])
def model(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_all_dimensions_but_the_first_go_into_one_batch(database: Database, vendors: ModernVendors, model: str) -> None:
    asked = Asked(database, vendors, f"batch=0,mark=aloud-{model[:6]}")
    answers = asked.ask(model)
    assert [answer.dimension for answer in answers] == list(NAMES)
    assert all(answer.attributes and not answer.error and answer.round == 1 for answer in answers)
    assert (asked.live(), asked.batched()) == (1, 3)
    assert {answer.round for answer in asked.ask(model)} == {2}
    assert (asked.live(), asked.batched()) == (2, 6)


def test_what_expires_is_asked_in_another_batch_or_at_once(database: Database, vendors: ModernVendors) -> None:
    asked = Asked(database, vendors, "batch=0,bexpire=3,mark=aloud-expires")
    assert not any(answer.error for answer in asked.ask("openai:gpt-4o"))
    assert (asked.live(), asked.batched()) == (1, 3)
    assert not any(answer.error for answer in asked.ask("openai:gpt-4o", LIVE))
    assert (asked.live(), asked.batched()) == (3, 5)


def test_killed_during_collection_what_was_written_down_counts_and_the_rest_is_read_again(
    database: Database, vendors: ModernVendors, model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = Asked(database, vendors, f"batch=0,mark=aloud-{model[:6]}-collection")
    take, taken = BatchedModel.take, []

    async def ends_at_the_second(self: BatchedModel, *line: Any) -> Any:
        taken.append(line)
        if len(taken) == 2:
            raise Ended
        return await take(self, *line)

    with monkeypatch.context() as until_ended, pytest.raises(Ended):
        until_ended.setattr(batch_rounds, "KEPT_TOGETHER", 1)
        until_ended.setattr(BatchedModel, "take", ends_at_the_second)
        asked.ask(model)
    with database.read() as work:
        (left,) = work.provider_batches.open_without_run(asked.project.id, model)
        written = sum(each.answered for each in work.calls.outside_runs(asked.project.id).values())
    assert (left.status, written) == (BatchStatus.OUT, 2)  # the first dimension, and one line of three
    answers = asked.ask(model)
    assert {(answer.round, bool(answer.attributes)) for answer in answers} == {(1, True)}
    assert (asked.live(), asked.batched()) == (1, 3)


def left_at_the_provider(asked: Asked, model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def ends(*_: Any) -> Any:
        raise Ended

    with monkeypatch.context() as until_ended, pytest.raises(Ended):
        until_ended.setattr(MODELS[model], "look", ends)
        asked.ask(model)


def test_who_asks_about_one_dimension_keeps_what_is_there_about_the_others(
    database: Database, vendors: ModernVendors, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = Asked(database, vendors, "batch=0,mark=aloud-one-of-several")
    left_at_the_provider(asked, "openai:gpt-4o", monkeypatch)
    (one,) = ask_models(asked.workbench, asked.project, asked.dimensions[2:3], ["openai:gpt-4o"], batch=AGAIN)
    assert (one.dimension, one.round) == ("clarity", 1)
    rest = [d for d in asked.dimensions if d.name != "clarity"]
    answers = ask_models(asked.workbench, asked.project, rest, ["openai:gpt-4o"], batch=AGAIN)
    assert all(answer.attributes and answer.round == 1 for answer in answers)
    assert (asked.live(), asked.batched()) == (1, 3)


def test_what_is_there_is_collected_without_asking_anything(
    database: Database, vendors: ModernVendors, model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = Asked(database, vendors, f"batch=0,mark=aloud-{model[:6]}-collected")
    left_at_the_provider(asked, model, monkeypatch)
    (there,) = batches_out(asked.workbench, asked.project.id)
    assert (there.model, there.requests) == (model, 3)
    found = collect_batches(asked.workbench, asked.project)
    assert (found.requests, found.answered, found.ending) == (3, 3, 0)
    assert sorted(answer.dimension for answer in found.came_in) == sorted(NAMES)
    assert "3 of 3 requests were answered" in str(found)
    assert not batches_out(asked.workbench, asked.project.id)
    assert (asked.live(), asked.batched()) == (1, 3)
    assert str(collect_batches(asked.workbench, asked.project)) == "Nothing was at a provider."


@pytest.mark.parametrize("model", [OPENAI, GOOGLE, pytest.param(ANTHROPIC, marks=pytest.mark.long)])
def test_what_is_there_is_cancelled_at_the_provider_and_what_came_is_kept(
    database: Database, vendors: ModernVendors, model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch_rounds, "CANCELLING", 0.2)
    asked = Asked(database, vendors, f"batch=600,mark=aloud-{model[:6]}-cancelled")
    left_at_the_provider(asked, model, monkeypatch)
    at_once = model.startswith("google")  # there a batch has ended as soon as it is cancelled
    found = collect_batches(asked.workbench, asked.project, cancel=True)
    assert (found.requests, found.answered, found.ending) == (3, 0, 0 if at_once else 3)
    assert [(answer.dimension, answer.error) for answer in found.came_in] == [(NAMES[0], "")]  # asked at once
    assert sum("cancel" in path.rpartition("/")[2] for path in vendors.paths(asked.options)) == 1
    assert [each.status for each in batches_out(asked.workbench, asked.project.id)] == (
        [] if at_once else [BatchStatus.CANCELLED]
    )


def test_who_waits_cancels_at_a_wish_and_leaves_it_there_at_the_programs_end(
    database: Database, vendors: ModernVendors, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch_rounds, "CANCELLING", 0.2)
    asked = Asked(database, vendors, "batch=600,mark=aloud-wish")

    def out() -> list[BatchStatus]:
        return [each.status for each in batches_out(asked.workbench, asked.project.id)]

    def ask(**stopped: Any) -> list[Any]:
        about = (asked.workbench, asked.project, asked.dimensions, ["openai:gpt-4o"])
        return ask_models(*about, batch=AGAIN, **stopped)

    assert ask(ending=lambda: BatchStatus.OUT in out()) == []
    assert out() == [BatchStatus.OUT]
    answers = ask(wished=lambda: True)
    assert [(answer.dimension, answer.error) for answer in answers] == [(NAMES[0], "")]
    assert out() == [BatchStatus.CANCELLED]
    assert (asked.live(), len(asked.dimensions)) == (1, 4)


def test_what_was_asked_with_another_effort_is_not_lost(
    database: Database, vendors: ModernVendors, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = Asked(database, vendors, "batch=0,mark=aloud-effort")
    usual = asked.workbench
    asked.workbench = replace(usual, asking=ModelOptions(effort="high"))
    monkeypatch.setitem(MODELS, "openai:gpt-5", openai.OpenAIBatches)
    left_at_the_provider(asked, "openai:gpt-5", monkeypatch)
    asked.workbench = usual
    answers = asked.ask("openai:gpt-5")
    assert "another reasoning effort" in answers[0].error
    found = collect_batches(asked.workbench, asked.project)
    assert (found.answered, len(found.came_in)) == (3, 4)


@pytest.mark.parametrize("point", ["submit", "look"])
def test_who_asks_again_finds_the_batch_and_is_in_the_same_round(
    database: Database, vendors: ModernVendors, model: str, point: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = Asked(database, vendors, f"batch=0,mark=aloud-{model[:6]}-{point}")

    async def ends(*_: Any) -> Any:
        raise Ended

    with monkeypatch.context() as until_ended, pytest.raises(Ended):
        until_ended.setattr(MODELS[model], point, ends)
        asked.ask(model)
    assert has_batch_out(asked.workbench, asked.project.id, model)
    answers = asked.ask(model)
    assert {(answer.round, bool(answer.attributes)) for answer in answers} == {(1, True)}
    assert (asked.live(), asked.batched()) == (1, 3)
    assert not has_batch_out(asked.workbench, asked.project.id, model)


def test_one_program_waits_for_a_model_at_a_time() -> None:
    with only_waiter(1, "openai:gpt-4o"), only_waiter(2, "openai:gpt-4o"):
        second = only_waiter(1, "openai:gpt-4o")
        with pytest.raises(ConflictError, match="Another program waits"):
            second.__enter__()


def test_the_forecast_says_what_batches_would_cost_and_who_takes_none(
    database: Database, vendors: ModernVendors
) -> None:
    asked = Asked(database, vendors, "batch=0,mark=aloud-none")
    ahead = (asked.workbench, asked.project, asked.dimensions, ["openai:gpt-4o"])
    (usual,), (batch,) = forecast_think_aloud(*ahead), forecast_think_aloud(*ahead, batch=True)
    assert usual.calls == 4
    assert usual.cost_usd is not None
    assert usual.batch_usd == batch.cost_usd == pytest.approx(usual.cost_usd * (1 + 3 / 2) / 4, rel=0.05)
    assert "in batches about $" in str(usual)
    assert "in batches" not in str(batch)
    with pytest.raises(InputError, match="takes no batches"):
        forecast_think_aloud(asked.workbench, asked.project, asked.dimensions, ["rules"], batch=True)
    # Before anybody is asked, models without batches are named.
    with pytest.raises(InputError, match="rules takes no batches"):
        ask_models(asked.workbench, asked.project, asked.dimensions, ["openai:gpt-4o", "rules"], batch=AGAIN)
    assert asked.live() == 0
