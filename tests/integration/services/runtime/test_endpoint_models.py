import asyncio
from collections.abc import Iterator
from pathlib import Path
from threading import Event

import pytest

from app.providers.credentials import Credentials
from app.providers.registry import served_names
from app.services.runtime import endpoint_models as service
from app.services.runtime.endpoint_models import EndpointModels, ask_endpoint_again, endpoint_models
from app.services.runtime.models import available_models
from app.services.runtime.workbench import Workbench
from app.services.think_aloud.transcripts import transcription_models
from tests.support.background import PATIENCE
from tests.support.fake_llm.behaviour import Raw, Status
from tests.support.fake_llm.server import FakeLlm
from tests.support.projects import workbench_at

SERVED = ("nomic-embed-text:latest", "qwen3:8b", "llama3.1:8b", "whisper-large-v3")


@pytest.fixture
def server() -> Iterator[FakeLlm]:
    with FakeLlm(models=SERVED) as running:
        yield running


@pytest.fixture
def workbench(tmp_path: Path, server: FakeLlm) -> Iterator[Workbench]:
    opened = workbench_at(tmp_path, server.url)
    yield opened
    opened.database.close()


@pytest.fixture
def open_gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[Event]:
    """While it is cleared, the endpoint's answer does not come."""
    gate = Event()
    gate.set()

    async def waits(credentials: Credentials) -> list[str]:
        assert await asyncio.to_thread(gate.wait, PATIENCE)
        return await served_names(credentials)

    monkeypatch.setattr(service, "served_names", waits)
    yield gate
    gate.set()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Its first entry is the time in seconds."""
    now = [1000.0]
    monkeypatch.setattr(service, "monotonic", lambda: now[0])
    return now


def test_the_models_of_the_endpoint_can_be_chosen_and_one_is_suggested(workbench: Workbench) -> None:
    assert endpoint_models(workbench, PATIENCE).names == tuple(f"llama:{name}" for name in SERVED)
    own = {model.name: model for model in available_models(workbench) if model.own}
    assert list(own) == ["llama:qwen3:8b", "llama:llama3.1:8b"]
    assert [name for name, model in own.items() if model.suggested] == ["llama:llama3.1:8b"]
    assert all(model.usable for model in own.values())
    assert transcription_models(workbench)[-1] == "llama:whisper-large-v3"


def test_without_an_endpoint_nobody_is_asked(tmp_path: Path) -> None:
    workbench = workbench_at(tmp_path)
    assert endpoint_models(workbench) == EndpointModels()
    assert not [model for model in available_models(workbench) if model.own]
    assert transcription_models(workbench)[-1] == "llama:whisper-1"
    workbench.database.close()


def test_the_answer_is_kept_for_minutes_and_renewed_without_waiting(
    workbench: Workbench, server: FakeLlm, clock: list[float], open_gate: Event
) -> None:
    first = endpoint_models(workbench, PATIENCE)
    clock[0] += service.FRESH_SECONDS - 1
    assert endpoint_models(workbench, PATIENCE) is first
    assert len(server.looks) == 1
    clock[0] += 2
    server.models = ("other",)
    open_gate.clear()
    assert endpoint_models(workbench, PATIENCE) is first  # until the new one is there
    open_gate.set()
    service._questions[workbench.credentials.of("llama")].answer.result(PATIENCE)
    assert endpoint_models(workbench).names == ("llama:other",)
    assert len(server.looks) == 2


def test_a_slow_one_keeps_no_screen_waiting(workbench: Workbench, server: FakeLlm, open_gate: Event) -> None:
    open_gate.clear()
    assert endpoint_models(workbench, patience=0) == EndpointModels(asking=True)
    open_gate.set()
    assert endpoint_models(workbench, PATIENCE).names
    assert len(server.looks) == 1


def test_one_that_fails_says_why_and_is_asked_again(
    workbench: Workbench, server: FakeLlm, clock: list[float], open_gate: Event
) -> None:
    server.listing = Status(404)
    assert "no list of its models" in endpoint_models(workbench, PATIENCE).problem
    assert endpoint_models(workbench, PATIENCE).problem
    assert len(server.looks) == 1
    clock[0] += service.RETRY_SECONDS + 1
    server.listing = Raw(b'{"data": []}')
    open_gate.clear()
    assert "no list of its models" in endpoint_models(workbench).problem  # renewed behind it
    open_gate.set()
    service._questions[workbench.credentials.of("llama")].answer.result(PATIENCE)
    assert "lists no model" in endpoint_models(workbench).problem
    server.listing = Raw(b'{"data": [{"id": "bge-m3"}]}')
    ask_endpoint_again(workbench)
    found = endpoint_models(workbench, PATIENCE)
    assert (found.names, found.chat) == (("llama:bge-m3",), [])
    assert "None of the models" in found.problem


def test_a_fault_of_ours_leaves_no_screen_waiting(
    workbench: Workbench, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    async def broken(*_: object) -> list[str]:
        raise ValueError(SERVED[0])

    monkeypatch.setattr(service, "served_names", broken)
    assert "See the log" in endpoint_models(workbench, PATIENCE).problem
    logged = capfd.readouterr().err
    assert "ValueError" in logged
    assert SERVED[0] not in logged, "what an exception quotes may be a key"
