"""A planted key and a planted text are looked for in everything a failing run leaves behind."""

import json
from pathlib import Path

import pytest

from app.services.runtime.endpoint_models import fault_report
from app.services.runtime.workbench import open_workbench
from app.settings import settings
from tests.support.console import Run, console
from tests.support.fake_llm.behaviour import Answer, Drop, Fail, Raw, Status
from tests.support.fake_llm.server import FakeLlm
from tests.support.projects import ready_to_score

KEY, TEXT, SOURCE = "sk-planted-0123456789abcdef", "Text number", "Source 1"


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    """As `run` of other tests, with what processes print."""
    return console(monkeypatch, capfd)


def test_neither_key_nor_text_is_in_output_log_or_export(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    said: dict[str, str] = {}
    exports = tmp_path / "exports"
    exports.mkdir()
    with FakeLlm(usual=Answer('{"q1": "yes", "q2": "no", "q3": "yes"}')) as llm, caplog.at_level("DEBUG"):
        monkeypatch.setenv("OPENAI_BASE_URL", f"{llm.url}/v1")
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("LLAMA_BASE_URL", f"http://me:{KEY}@{llm.url.removeprefix('http://')}/v1")
        settings.cache_clear()
        ready_to_score(open_workbench())
        score = ("score", "--project", "Ready", "--judge", "openai:gpt-4o", "--no-cache", "--concurrency", "1")
        # Both the key and the text are in what the vendor says about a bad request and a wrong key.
        llm.script(Fail("bad-request"), Fail("too-long"), Answer("gibberish"), Raw(b"{"), Drop(), Status(500))
        said["score"] = "".join(map(str, run(*score)))
        llm.script(*[Answer('{"q1": "yes", "q2": "no", "q3": "yes"}')] * 3)
        llm.usual = Fail("wrong-key")
        said["revoked"] = "".join(map(str, run(*score)))
        said["test"] = "".join(map(str, run("models", "test", "openai:gpt-4o")))
        for command in (("runs", "show", 1), ("runs", "show", 2), ("runs", "list"), ("models", "list")):
            said[" ".join(map(str, command))] = "".join(map(str, run(*command, "--json")))
        for name in ("scores.csv", "scores.parquet", "report.html"):
            said[name] = "".join(map(str, run("results", "--project", "Ready", "--run", 1, "--output", exports / name)))
        for form in ("json", "yaml", "md", "csv"):
            output = ("--output", exports / f"checklist.{form}")
            wanted = ("checklist", "export", "--project", "Ready", "--dimension", "coherence", "--format", form)
            said[form] = "".join(map(str, run(*wanted, *output)))
        said["record"] = "".join(map(str, run("runs", "record", 1, "--output", exports / "calls.jsonl")))
    assert "no answer" not in said["test"]
    assert "key" in said["revoked"]
    assert len(list(exports.iterdir())) == 8, said
    written = {path.name: path.read_bytes() for path in exports.iterdir()}
    places = {**{name: text.encode() for name, text in said.items()}, **written, "log": caplog.text.encode()}
    for place, content in places.items():
        for secret in (KEY, KEY[-12:], TEXT, SOURCE):
            assert secret.encode() not in content, f"{secret} is in {place}"
    for path in tmp_path.rglob("*"):
        if path.is_file():
            assert KEY.encode() not in path.read_bytes(), path


def test_a_bug_of_a_command_is_logged_in_the_same_way(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError(json.dumps({"prompt": TEXT, "key": KEY}))

    monkeypatch.setattr("app.services.scoring.runs.list_runs", broken)
    status, out, err = run("runs", "list", "--json")
    assert (status, out) == (1, "")
    assert "RuntimeError" in err
    assert KEY not in err
    assert TEXT not in err


def test_the_report_of_a_bug_ends_where_causes_go_round() -> None:
    first, second = ValueError("a"), KeyError("b")
    first.__cause__, second.__cause__ = second, first
    assert fault_report(first).count("Traceback") == 2
