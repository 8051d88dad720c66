"""checklist calls: forecast, three runs, the result, and no second payment."""

import json
from collections.abc import Callable, Iterator

import pytest

from app.services.runtime.workbench import open_workbench
from tests.support.asking_judges import judge_of, leaning
from tests.support.fake_llm.server import FakeLlm
from tests.support.projects import ready_to_score

Run = Callable[..., tuple[int, str, str]]
WORDS = ("checklist", "calls", "--project", "Ready", "--dimension", "coherence", "--judge", "llama:judge")


@pytest.fixture
def llm(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeLlm]:
    with FakeLlm(usual=judge_of(leaning)) as server:
        monkeypatch.setenv("LLAMA_BASE_URL", f"{server.url}/v1")
        ready_to_score(open_workbench(), texts=24, questions=4)
        yield server


def test_the_dry_run_or_a_refusal_asks_nothing(run: Run, llm: FakeLlm) -> None:
    status, out, _ = run(*WORDS, "--texts", 8, "--dry-run", "--json")
    found = json.loads(out)
    assert (status, found["calls"], found["cost_usd"]) == (0, 48, None)
    assert {way: each["calls"] for way, each in found["ways"].items()} == {"together": 8, "alone": 32, "reversed": 8}
    _, out, _ = run(*WORDS, "--texts", 8, "--dry-run")
    assert "one call for each question" in out
    for words, said in (
        (("--budget", 1), "price of llama:judge is unknown"),
        (("--version", 7), "no published version 7"),
    ):
        status, out, err = run(*WORDS, *words)
        assert (status, out, said in err) == (2, "", True)
    assert not llm.requests


def test_the_result_is_shown_again_without_asking_and_its_runs_are_named(run: Run, llm: FakeLlm) -> None:
    status, out, _ = run(*WORDS, "--texts", 8, "--json")
    found = json.loads(out)
    assert (status, len(llm.requests), found["texts"], found["whole"]) == (0, 48, 8, True)
    assert set(found["runs"]) == {"together", "alone", "reversed"}
    assert found["position"]["low"] > 0
    assert found["costs"]["alone"]["calls_per_1000_texts"] == 4000
    assert [set(each) for each in found["by_question"]] == [{"id", "text", "changed_alone", "changed_reversed"}] * 4
    status, out, _ = run(*WORDS, "--texts", 8)
    assert (status, len(llm.requests)) == (0, 48)
    assert out.startswith(found["verdict"])
    assert "Where a question stands matters" in out
    assert "Is part 3 in its place?" in out
    _, out, _ = run("runs", "list", "--project", "Ready")
    assert "checklist, compared: one call, last question first" in out
    _, out, _ = run("runs", "list", "--project", "Ready", "--json")
    assert [each["asking_way"] for each in json.loads(out)] == ["reversed", "alone", "together"]
    status, _, err = run("results", "--project", "Ready")
    assert (status, "Only a comparison of ways of asking" in err) == (2, True)
