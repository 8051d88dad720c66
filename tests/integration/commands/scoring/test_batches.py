"""`score --batch` and `runs wait`: forecast beside the usual price, left at the provider, collected by who waits."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from app.providers.batches.openai import OpenAIBatches
from app.services.runtime import batch_rounds
from app.services.runtime.batch_rounds import AT_ONCE
from app.services.runtime.workbench import open_workbench
from app.services.scoring.runs import get_run
from tests.support.modern_vendors import ModernVendors
from tests.support.projects import ready_to_score

Run = Callable[..., tuple[int, str, str]]
SCORE = ("score", "--project", "Ready", "--judge", "openai:gpt-4o")


@pytest.fixture(autouse=True)
def served(vendors: ModernVendors, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch_rounds, "FIRST_LOOK", 0.1)
    monkeypatch.setenv("OPENAI_BASE_URL", vendors.address("openai", "batch=0.2,commands"))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-local")
    ready_to_score(open_workbench(), texts=8)


def test_the_forecast_says_what_patience_saves(run: Run) -> None:
    _, out, _ = run(*SCORE, "--dry-run", "--json")
    live = json.loads(out)
    assert live["batch_usd"] == pytest.approx(live["cost_usd"] / 2)
    _, out, _ = run(*SCORE, "--batch", "--dry-run", "--json")
    batch = json.loads(out)
    assert (batch["cost_usd"], batch["batch_usd"], batch["tier"]) == (live["batch_usd"], None, "batch")
    assert (live["at_once_usd"], batch["at_once_usd"]) == (None, live["cost_usd"])
    _, out, _ = run(*SCORE, "--dry-run")
    assert "as a batch about $" in out
    drawn = ("--sample", "0.5", "--dry-run", "--json")
    trial, trials = (json.loads(run(*SCORE, *drawn, "--trials", count)[1]) for count in ("1", "2"))
    assert trials["batch_usd"] == pytest.approx(2 * trial["batch_usd"]) == pytest.approx(trials["cost_usd"] / 2)
    _, out, _ = run(*SCORE, "--batch", "--dry-run")
    assert "at once about $" in out


def test_a_run_in_a_batch_is_scored_and_shown(run: Run) -> None:
    status, out, _ = run(*SCORE, "--batch", "--json")
    assert (status, json.loads(out)["status"]) == (0, "done")
    _, out, _ = run("runs", "show", "1", "--json")
    (batch,) = json.loads(out)["batches"]
    assert (batch["status"], batch["requests"], batch["answered"]) == ("collected", 7, 7)
    _, out, _ = run("runs", "show", "1")
    assert "Batch of 7 requests: collected, 7 back" in out


@pytest.fixture
def left_there(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run 1, whose program ended while its batch was at the provider."""

    async def ends(*_: Any) -> Any:
        raise KeyboardInterrupt

    with monkeypatch.context() as until_ended:
        until_ended.setattr(OpenAIBatches, "look", ends)
        assert run(*SCORE, "--batch")[0] != 0


@pytest.mark.usefixtures("left_there")
def test_a_batch_that_was_left_at_the_provider_is_waited_for(run: Run) -> None:
    status, out, _ = run("runs", "wait", "1", "--json")
    assert (status, json.loads(out)["status"]) == (0, "done")
    assert json.loads(out)["calls"] == 7


@pytest.mark.usefixtures("left_there")
def test_a_batch_that_was_left_at_the_provider_is_cancelled_there(run: Run) -> None:
    status, _, err = run("runs", "cancel", "1")
    assert status == 0
    assert "Run 1 isn't going on" in err
    assert " of 7 requests were answered, and are kept." in err
    _, out, _ = run("runs", "show", "1", "--json")
    assert (json.loads(out)["status"], json.loads(out)["batches"][0]["status"]) == ("stopped", "collected")
    _, _, err = run("runs", "cancel", "1")
    assert "at the provider" not in err


@pytest.mark.usefixtures("left_there")
def test_what_it_does_not_get_to_is_asked_at_once_where_who_waits_wishes_so(
    run: Run,
) -> None:
    status, out, _ = run("runs", "wait", "1", "--batch-fallback", "--json")
    assert (status, json.loads(out)["status"]) == (0, "done")
    assert get_run(open_workbench(), 1).params["batch"] == AT_ONCE
    run(*SCORE, "--no-cache")
    status, _, err = run("runs", "wait", "2", "--rest-live")  # its name in version 0.2.0
    assert status == 2
    assert "asked at once anyway" in err


ALOUD = ("think-aloud", "--project", "Ready", "--model", "openai:gpt-4o")


def test_models_think_aloud_in_batches(run: Run) -> None:
    _, out, _ = run(*ALOUD, "--dry-run", "--json")
    (ahead,) = json.loads(out)
    assert (ahead["calls"], ahead["batch_usd"]) == (1, pytest.approx(ahead["cost_usd"] / 2))
    _, out, _ = run(*ALOUD, "--dry-run")
    assert "in batches about $" in out
    status, out, _ = run(*ALOUD, "--batch", "--json")
    (answer,) = json.loads(out)
    assert (status, answer["error"], answer["round"]) == (0, None, 1)
    assert answer["attributes"] > 0


NOT_THOUGHT_ALOUD = (
    (("--batch-fallback",), "--batch-fallback is about what a batch doesn't answer"),
    (("--batch", "--model", "rules"), "rules takes no batches"),
    (("--batch", "--dry-run", "--model", "rules"), "rules takes no batches"),
)


def test_what_can_not_be_is_said_before_anybody_thinks_aloud(run: Run, subtests: pytest.Subtests) -> None:
    for words, said in NOT_THOUGHT_ALOUD:
        with subtests.test(words=words):
            status, _, err = run(*ALOUD, *words)
            assert status == 2
            assert said in err


NOT_SCORED = (
    ((*SCORE, "--batch-fallback"), "--batch-fallback is about what a batch doesn't answer"),
    ((*SCORE, "--batch", "--tier", "flex"), "takes no service tier"),
    ((*SCORE[:3], "--judge", "rules", "--batch"), "rules takes no batches"),
)


def test_what_can_not_be_is_said(run: Run, subtests: pytest.Subtests) -> None:
    for words, said in NOT_SCORED:
        with subtests.test(words=words):
            status, _, err = run(*words)
            assert status == 2
            assert said in err
