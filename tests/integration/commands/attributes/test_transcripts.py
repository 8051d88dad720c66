"""think-aloud --transcript and attributes list --format, as scripts use them."""

import json
from functools import cache
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from app.cli import build
from app.errors import InputError, ProviderError
from app.services.attributes.attributes import attributes_of
from app.services.runtime.workbench import open_workbench
from app.settings import settings
from tests.support.fake_llm.behaviour import Answer, Status
from tests.support.fake_llm.server import FakeLlm
from tests.support.projects import ready_to_score

TELL = ["think-aloud", "--project", "Ready", "--dimension", "coherence", "--contributor", "Ada", "--json"]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("INTERACTEVAL_HOME", str(tmp_path))
    settings.cache_clear()
    ready_to_score(open_workbench())
    yield tmp_path
    settings.cache_clear()


@cache
def _commands() -> typer.Typer:
    return build()


def run(*words: str) -> str:
    result = CliRunner().invoke(_commands(), list(words))
    if result.exception:
        raise result.exception
    return result.stdout


def said() -> list[str]:
    return [a.text for a in attributes_of(open_workbench(), 1)]


def test_a_transcript_file_is_proposed_and_accepted_only_when_told(home: Path) -> None:
    file = home / "ada.txt"
    file.write_text("I look at the order. Right.\nعربي هنا كلمات", encoding="utf-8")
    found = json.loads(run(*TELL, "--transcript", str(file)))
    assert [p["words"] for p in found["proposals"]] == ["I look at the order.", "عربي هنا كلمات"]
    assert said() == []
    run(*TELL, "--transcript", str(file), "--accept-all")
    assert said() == ["I look at the order.", "عربي هنا كلمات"]
    assert run("attributes", "list", "--project", "Ready", "--format", "text").splitlines() == said()


def test_audio_is_transcribed_or_kept(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / "ada.wav").write_bytes(b"sound")
    with FakeLlm(usual=Answer("I look at the order.")) as server:
        monkeypatch.setenv("LLAMA_BASE_URL", server.url)
        settings.cache_clear()
        tell = [*TELL, "--transcript", str(home / "ada.wav"), "--transcriber", "llama:whisper", "--accept-all"]
        run(*tell)
        assert said() == ["I look at the order."]
        server.script(Status(503))
        with pytest.raises(ProviderError):
            run(*tell)
    assert len(list((home / "recordings").iterdir())) == 2


MISSING = (["--transcript", "nowhere.txt"], [], ["--transcript", __file__, "--model", "a:b", "--model", "c:d"])


def test_what_is_missing_is_said(home: Path, subtests: pytest.Subtests) -> None:
    for words in MISSING:
        with subtests.test(words=words), pytest.raises(InputError):
            run(*TELL, *words)
