"""models list, and what a missing key keeps from being done."""

import json
from collections.abc import Callable

import pytest

from app.providers.credentials import HOW_TO_GET_ONE
from app.services.runtime.workbench import open_workbench
from app.settings import settings
from tests.support.fake_llm.behaviour import Status
from tests.support.fake_llm.local_servers import llama_cpp, port_of
from tests.support.fake_llm.server import FakeLlm
from tests.support.price_server import PriceServer, price_file
from tests.support.projects import ready_to_score

Run = Callable[..., tuple[int, str, str]]


def test_each_missing_key_is_said_once(run: Run) -> None:
    status, said, _ = run("models", "list")
    assert status == 0
    assert [line for line in said.splitlines() if "OPENAI_API_KEY" in line] == [
        "No key is set for OpenAI. Set OPENAI_API_KEY in the environment."
    ]
    assert said.count("LLAMA_BASE_URL") == 1
    assert "screen" not in said, "there is none on the command line"
    listed = json.loads(run("models", "list", "--json")[1])
    assert all("OPENAI_API_KEY" in m["note"] for m in listed if m["provider"] == "openai")


def test_the_endpoint_is_asked_which_models_it_has(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeLlm(models=("llama3.1:8b", "bge-m3")) as server:
        monkeypatch.setenv("LLAMA_BASE_URL", server.url)
        settings.cache_clear()
        status, said, _ = run("models", "list", "--json")
        own = [m for m in json.loads(said) if m["provider"] == "llama"]
        assert (status, [m["model"] for m in own]) == (0, ["llama:llama3.1:8b", "llama:bge-m3"])
        assert [bool(m["note"]) for m in own] == [False, True]
    monkeypatch.setenv("LLAMA_BASE_URL", f"{server.url}/v1")  # nobody is there any more
    settings.cache_clear()
    status, said, _ = run("models", "list")
    assert status == 0
    assert said.splitlines()[-1].startswith("The connection to the Llama endpoint failed.")
    assert "llama:NAME" in said


def test_a_server_of_this_computer_is_offered_and_used(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    with llama_cpp(256) as server:
        monkeypatch.setenv("INTERACTEVAL_LOCAL_PORTS", str(port_of(server)))
        settings.cache_clear()
        offered = run("models", "list")[1].splitlines()[-1]
        assert offered.startswith("llama.cpp on this computer has SmolLM2-135M.gguf.")
        status, said, _ = run(*offered.partition("interacteval ")[2].split(), "--json")
        own = [m["model"] for m in json.loads(said) if m["provider"] == "llama"]
        assert (status, own) == (0, ["llama:SmolLM2-135M.gguf"])
        ready_to_score(open_workbench())
        status, _, warned = run("score", "--project", "Ready", "--judge", own[0])
        assert status == 0
        assert "256: longer requests fail" in warned
    assert run("models", "list", "--use", "http://127.0.0.1:9/v1")[0] == 2


def test_where_no_server_runs_three_lines_say_how_to_get_one(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeLlm(listing=Status(404)) as server:
        monkeypatch.setenv("INTERACTEVAL_LOCAL_PORTS", str(port_of(server)))
        settings.cache_clear()
        assert run("models", "list")[1].splitlines()[-3:] == [f"- {line}" for line in HOW_TO_GET_ONE]


def test_the_slower_tier_is_forecast_at_its_price_and_refused_where_nobody_sells_it(run: Run) -> None:
    ready_to_score(open_workbench())
    score = ("score", "--project", "Ready", "--dry-run", "--json", "--judge")
    usual = json.loads(run(*score, "openai:gpt-6-sol")[1])
    for tier in ("flex", "flex-or-standard"):
        found = json.loads(run(*score, "openai:gpt-6-sol", "--tier", tier)[1])
        assert found["cost_usd"] == pytest.approx(usual["cost_usd"] / 2)
        assert found["calls"] == usual["calls"]
    for judge in ("anthropic:claude-sonnet-5-5", "llama:qwen3", "rules"):
        status, said, error = run(*score, judge, "--tier", "flex")
        assert (status, said) == (2, "")
        assert "sells no tier “flex”" in error
    status, said, error = run(*score, "openai:gpt-6-sol", "--tier", "cheap")
    assert (status, said) == (2, "")
    assert "flex and flex-or-standard" in error


def test_vendors_are_asked_what_the_key_may_use_when_that_is_wanted(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeLlm(models=("gpt-6-sol", "gpt-9-new", "whisper-1")) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
        monkeypatch.setenv("OPENAI_API_KEY", "sk-planted")
        settings.cache_clear()
        run("models", "list", "--json")
        assert server.looks == []
        listed = json.loads(run("models", "list", "--ask", "--json")[1])
    asked = {m["model"]: m["input_usd"] for m in listed if m["provider"] == "openai"}
    assert asked == {"openai:gpt-9-new": None, "openai:gpt-6-sol": 2.0}
    assert any(m["provider"] == "anthropic" for m in listed)


def test_what_it_would_cost_is_said_without_a_key(run: Run) -> None:
    ready_to_score(open_workbench())
    score = ("score", "--project", "Ready", "--judge", "openai:gpt-4o")
    status, said, _ = run(*score, "--dry-run", "--json")
    found = json.loads(said)
    assert (status, found["calls"]) == (0, 12)
    assert found["cost_usd"] > 0
    status, said, error = run(*score)
    assert (status, said) == (2, "")
    told = "See: guide, Reference, When a model doesn't answer, no-key."
    assert error == f"No key is set for OpenAI. Set OPENAI_API_KEY in the environment. {told}\n"


def test_prices_are_listed_with_their_source_and_updated_when_asked(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    status, said, _ = run("models", "prices")
    assert status == 0
    assert "genai-prices" in next(line for line in said.splitlines() if line.startswith("openai:gpt-4o "))
    with PriceServer(price_file(3.0)) as server:
        monkeypatch.setenv("INTERACTEVAL_PRICES_URL", server.url)
        settings.cache_clear()
        status, said, progress = run("models", "prices", "--update", "--json")
        assert (status, server.asked) == (0, 1)
        assert "what was paid before keeps its cost" in progress
        found = {model["model"]: model for model in json.loads(said)}
        assert (found["openai:gpt-9"]["input_usd"], found["openai:gpt-9"]["source"]) == (3.0, "genai-prices")
        assert found["llama:NAME"]["input_usd"] is None
        assert found["rules"]["input_usd"] == 0
    status, said, error = run("models", "prices", "--update")
    assert (status, said) == (3, "")
    assert "doesn't answer" in error
    assert error.count("\n") == 1
