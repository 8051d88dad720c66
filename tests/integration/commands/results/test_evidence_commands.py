"""Evidence on the command line: asked with `--set evidence=yes`, counted wherever a run or its results are shown."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from app.services.runtime.workbench import open_workbench
from app.settings import settings
from tests.support.fake_llm.behaviour import Answer
from tests.support.fake_llm.server import FakeLlm
from tests.support.projects import ready_to_score

Run = Callable[..., tuple[int, str, str]]
RESULTS = ("results", "--project", "Ready", "--resamples", 20)
COUNTS = {"found": 12, "nearly": 0, "not_in_text": 12, "without": 12}


def quoting(schema: Mapping[str, Any] | None) -> str:
    cells = zip((schema or {})["properties"], ("Text number", "Never\x1b[2Jwritten", ""), strict=True)
    return json.dumps({key: {"quote": quote, "answer": "yes"} for key, quote in cells})


def test_quotes_are_counted_by_score_runs_and_results(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with FakeLlm(usual=Answer(quoting)) as server:
        monkeypatch.setenv("INTERACTEVAL_HOME", str(tmp_path))
        monkeypatch.setenv("LLAMA_BASE_URL", f"{server.url}/v1")
        settings.cache_clear()
        ready_to_score(open_workbench())
        scored = run("score", "--project", "Ready", "--judge", "llama:x", "--set", "evidence=yes", "--json")
        assert json.loads(scored[1])["dimensions"]["coherence"]["quotes"] == COUNTS
        assert json.loads(run("runs", "show", "1", "--json")[1])["by_dimension"]["coherence"]["quotes"] == COUNTS
        shown = run("runs", "show", "1")[1]
        assert "quotes found" in shown
        assert "quotes not in text" in shown
        (result,) = json.loads(run(*RESULTS, "--json")[1])
        assert result["quotes"] == COUNTS
        said = run(*RESULTS)[1]
        assert "coherence, llama:x: quotes: 12 found, 12 not in the text, 12 without" in said
        report = tmp_path / "report.html"
        assert run(*RESULTS, "--output", str(report))[0] == 0
        assert report.read_text(encoding="utf-8").count("<mark>Text number</mark>") == 5
        run("score", "--project", "Ready", "--judge", "rules")
        assert "quotes" not in json.loads(run(*RESULTS, "--run", "2", "--json")[1])[0]
        settings.cache_clear()
