"""Ask LLMs in batches: what it would cost, collected by whoever comes, cancelled at the provider."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from app.domain.model_call import BatchStatus
from app.providers.batches.openai import OpenAIBatches
from app.services.attributes.attributes import attributes_of
from app.services.data.projects import dimensions_named, get_project
from app.services.runtime import batch_rounds
from app.services.runtime.workbench import Workbench, open_workbench
from app.services.think_aloud.llm_think_aloud import ask_models, batches_out
from app.settings import settings
from tests.support.background import ended
from tests.support.modern_vendors import ModernVendors, modern_vendors

Open = Callable[[str], AppTest]
MODEL = "openai:gpt-4o"


class Ended(BaseException):
    """The program ends here."""


@pytest.fixture(scope="module")
def vendors() -> Iterator[ModernVendors]:
    with modern_vendors() as running:
        yield running


@pytest.fixture
def options(request: pytest.FixtureRequest) -> str:
    """Of the server: a batch ends at once, unless a test wants it to take long. Each test has a count of its own."""
    return f"batch={getattr(request, 'param', 0)},mark={request.node.name.partition('[')[0]}"


@pytest.fixture
def bench(demo: Workbench, vendors: ModernVendors, options: str, monkeypatch: pytest.MonkeyPatch) -> Workbench:
    monkeypatch.setattr(batch_rounds, "FIRST_LOOK", 0.05)
    monkeypatch.setattr(batch_rounds, "CANCELLING", 0.2)
    monkeypatch.setenv("OPENAI_BASE_URL", vendors.address("openai", options))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-local")
    settings.cache_clear()
    return open_workbench()


@pytest.fixture
def key(bench: Workbench) -> str:
    return f"ask-{get_project(bench, 'Demo').id}-all"


@pytest.fixture
def left_there(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    """A batch about three dimensions, whose program ended."""

    async def ends(*_: Any) -> Any:
        raise Ended

    with monkeypatch.context() as until_ended, pytest.raises(Ended):
        until_ended.setattr(OpenAIBatches, "look", ends)
        project, dimensions = get_project(bench, "Demo"), dimensions_named(bench, "Demo", "all")
        ask_models(bench, project, dimensions, [MODEL], batch=batch_rounds.AGAIN)


def shown(app: AppTest) -> str:
    assert not app.exception
    told = [*app.markdown, *app.caption, *app.success, *app.warning, *app.info]
    return "\n".join(str(element.value) for element in told).replace("\\", "")


def asked(bench: Workbench) -> list[int]:
    """How many attributes of the model each dimension has."""
    project, dimensions = get_project(bench, "Demo"), dimensions_named(bench, "Demo", "all")
    return [
        sum(each.contributor == MODEL for each in attributes_of(bench, project.id, dimension.id))
        for dimension in dimensions
    ]


def out(bench: Workbench) -> list[BatchStatus]:
    return [batch.status for batch in batches_out(bench, get_project(bench, "Demo").id)]


def cancellations(vendors: ModernVendors, options: str) -> list[str]:
    return [path for path in vendors.paths(options) if path.endswith("/cancel")]


@pytest.mark.parametrize("options", ["0,bexpire=2"], indirect=True)
def test_a_batch_is_forecast_and_its_rest_is_asked_at_once_where_chosen(
    bench: Workbench, vendors: ModernVendors, options: str, key: str, open_screen: Open
) -> None:
    app = open_screen("ask_llms")
    app.radio(key="ask_scope").set_value("All dimensions")
    app.multiselect(key="ask_models").set_value([MODEL, "rules"]).run()
    said = shown(app)
    assert "4 calls, at once about $" in said
    assert "; as a batch about $" in said
    assert "a guess: no model has answered yet" in said
    app.button_group(key="ask_batch").set_value("Batch").run()
    assert "rules, not an LLM is asked at once: its vendor takes no batches." in shown(app)
    app.button_group(key="ask_batch_rest").set_value(batch_rounds.LIVE)
    app.button(key="ask").click().run()
    app = ended(app, key)
    assert all(asked(bench))
    assert vendors.state(options)["batched"] == 2
    assert "as this model's 4 earlier answers here took" in shown(app.run())


def test_who_comes_goes_on_with_what_is_at_the_provider(
    bench: Workbench, left_there: None, vendors: ModernVendors, options: str, key: str, open_screen: Open
) -> None:
    app = open_screen("ask_llms")
    said = shown(app)
    assert "at the provider since" in said
    assert "0 of 3 back" in said
    assert "The program that waited for it ended: go on to collect it." in said
    app.button(key="collect_batches").click().run()
    app = ended(app, key)
    assert all(asked(bench))
    assert vendors.state(options)["batched"] == 3
    assert not out(bench)
    assert "at the provider since" not in shown(app.run())


@pytest.mark.parametrize("options", [600], indirect=True)
def test_a_batch_that_is_waited_for_is_cancelled_at_the_provider(
    bench: Workbench, left_there: None, vendors: ModernVendors, options: str, key: str, open_screen: Open
) -> None:
    app = open_screen("ask_llms")
    app.button(key="collect_batches").click().run()
    assert "collect_batches" not in [button.key for button in app.button]
    cancelled = len(cancellations(vendors, options))
    app.button(key="cancel_batches").click().run()
    app = ended(app, key)
    assert out(bench) == [BatchStatus.CANCELLED]
    assert len(cancellations(vendors, options)) == cancelled + 1
    assert "cancelled, 0 of 3 back; the provider is still ending it." in shown(app.run())
    assert asked(bench).count(0) == 3  # the first dimension was asked at once
