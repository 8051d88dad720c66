import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest

from app.domain.roles_and_rights import LOCAL_OWNER, Actor
from app.errors import InputError, NotAllowedError
from app.providers.credentials import Credentials
from app.providers.registry import served_names
from app.services.runtime import endpoint_models as service
from app.services.runtime.endpoint_models import (
    EndpointModels,
    LocalServers,
    ask_endpoint_again,
    endpoint_models,
    forget_local_server,
    local_servers,
    look_again,
    use_local_server,
)
from app.services.runtime.models import available_models
from app.services.runtime.workbench import Workbench, open_workbench
from app.services.think_aloud.transcripts import transcription_models
from app.settings import settings
from tests.support.background import PATIENCE
from tests.support.fake_llm.behaviour import Raw, Status
from tests.support.fake_llm.local_servers import MODEL, lm_studio, ollama, port_of
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


@pytest.fixture
def nearby(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[FakeLlm, FakeLlm]]:
    """Ollama and LM Studio at the ports where they are looked for."""
    with ollama() as first, lm_studio() as second:
        monkeypatch.setenv("INTERACTEVAL_LOCAL_PORTS", f"{port_of(first)},{port_of(second)}")
        settings.cache_clear()
        yield first, second


def test_the_owner_uses_a_server_of_this_computer(nearby: tuple[FakeLlm, FakeLlm]) -> None:
    first, second = nearby
    found = local_servers(open_workbench(), PATIENCE)
    assert [server.kind for server in found.others] == ["Ollama", "LM Studio"]
    assert use_local_server(open_workbench(), f"{first.url}/v1").suggested == f"llama:{MODEL}"
    workbench = open_workbench()
    assert f"llama:{MODEL}" in [model.name for model in available_models(workbench) if model.usable]
    assert [server.kind for server in local_servers(workbench, PATIENCE).others] == ["LM Studio"]
    use_local_server(workbench, f"{second.url}/v1")
    assert [model.name for model in available_models(open_workbench()) if model.own] == ["llama:qwen3-8b"]
    forget_local_server(workbench)
    assert not [model for model in available_models(open_workbench()) if model.own]


def test_servers_of_this_computer_are_asked_once_and_again_on_demand(nearby: tuple[FakeLlm, FakeLlm]) -> None:
    workbench = open_workbench()
    local_servers(workbench, PATIENCE)
    looks = len(nearby[1].looks)
    local_servers(workbench, PATIENCE)
    assert len(nearby[1].looks) == looks
    look_again(workbench)
    local_servers(workbench, PATIENCE)
    assert len(nearby[1].looks) == 2 * looks


def test_only_a_server_that_was_found_can_be_used(nearby: tuple[FakeLlm, FakeLlm]) -> None:
    with pytest.raises(InputError):
        use_local_server(open_workbench(), "http://127.0.0.1:9/v1")
    assert open_workbench().credentials.of("llama").base_url is None


@pytest.mark.parametrize("access", ["invite", "proxy", "oidc"])
def test_a_teams_server_asks_nothing_on_its_computer(
    access: str, nearby: tuple[FakeLlm, FakeLlm], monkeypatch: pytest.MonkeyPatch
) -> None:
    address = f"{nearby[0].url}/v1"
    settings().chosen_server.parent.mkdir(parents=True)
    settings().chosen_server.write_text(address)
    monkeypatch.setenv("INTERACTEVAL_ACCESS", access)
    settings.cache_clear()
    workbench = open_workbench()
    assert workbench.credentials.of("llama").base_url is None, "chosen while it was nobody else's"
    for person in (LOCAL_OWNER, Actor(owner=True)):
        assert local_servers(replace(workbench, actor=person), PATIENCE) == LocalServers(looked=False)
    with pytest.raises(NotAllowedError):
        local_servers(replace(workbench, actor=Actor(2, "Ben")), PATIENCE)
    with pytest.raises(InputError):
        use_local_server(workbench, address)
    assert [server.looks for server in nearby] == [[], []]


def test_an_address_of_the_environment_is_not_looked_past(
    nearby: tuple[FakeLlm, FakeLlm], monkeypatch: pytest.MonkeyPatch, server: FakeLlm
) -> None:
    monkeypatch.setenv("LLAMA_BASE_URL", server.url)
    settings.cache_clear()
    assert not local_servers(open_workbench(), PATIENCE).looked
    assert [each.looks for each in nearby] == [[], []]


@pytest.mark.parametrize("written", ["http://10.0.0.7:11434/v1", "http://127.0.0.1:11434/v1/../x", "", "\x00"])
def test_a_chosen_address_that_is_not_of_this_computer_is_ignored(written: str) -> None:
    settings().chosen_server.parent.mkdir(parents=True)
    settings().chosen_server.write_text(written)
    assert open_workbench().credentials.of("llama").base_url is None
