"""runs record, and the file as a judge."""

import json
from pathlib import Path

import pytest

from app.services.runtime.workbench import open_workbench
from app.settings import settings
from tests.support.console import Run
from tests.support.fake_llm.behaviour import Answer
from tests.support.fake_llm.server import FakeLlm
from tests.support.projects import ready_to_score


def test_a_run_is_recorded_and_scored_again_from_the_file(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "recorded calls.jsonl"
    score = ("score", "--project", "Ready", "--dimension", "coherence", "--json", "--judge")
    with FakeLlm(usual=Answer('{"q1": "yes", "q2": "no", "q3": "yes"}')) as llm:
        monkeypatch.setenv("LLAMA_BASE_URL", llm.url)
        settings.cache_clear()
        ready_to_score(open_workbench())
        assert json.loads(run(*score, "llama:judge")[1])["calls"] == 12
    monkeypatch.delenv("LLAMA_BASE_URL")
    settings.cache_clear()
    status, out, _ = run("runs", "record", 1, "--output", path, "--json")
    assert (status, json.loads(out)) == (0, {"run": 1, "output": str(path), "calls": 12})
    status, out, err = run(*score, f"replay:{path}")
    assert status == 0, err
    assert json.loads(out)["dimensions"]["coherence"]["scored"] == 12
    assert json.loads(out)["cost_usd"] == 0

    assert run("runs", "record", 9, "--output", path)[0] == 2
    assert run(*score, "rules")[0] == 0
    assert run("runs", "record", 3, "--output", path)[0] == 2
    status, _, err = run("runs", "record", 1, "--output", tmp_path / "recorded calls.jsonl" / "below.jsonl")
    assert (status, len(err.splitlines())) == (2, 1)
