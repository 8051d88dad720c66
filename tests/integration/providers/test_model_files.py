"""In the browser no path of a visitor is opened, and none is told apart from one that doesn't exist."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.errors import FileFormatError, InputError, WorkbenchError
from app.providers.credentials import Credentials
from app.providers.model_files import kept_recordings
from app.providers.registry import open_model
from app.services.runtime.models import available_models
from app.services.runtime.workbench import Workbench, open_workbench
from app.services.scoring.runs import RunOptions, start_run
from app.settings import settings
from tests.support.projects import ready_to_score


@pytest.fixture
def browser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workbench]:
    monkeypatch.setenv("INTERACTEVAL_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    settings.cache_clear()
    yield open_workbench(any_path=False)
    settings.cache_clear()


def refusal(workbench: Workbench, name: str) -> str:
    with pytest.raises(InputError) as caught:
        workbench.check_model(name)
    return str(caught.value)


def test_a_path_is_refused_whether_it_exists_or_not(browser: Workbench, tmp_path: Path) -> None:
    (tmp_path / "there.jsonl").write_text("")
    (tmp_path / "folder").mkdir()
    settings().replays.mkdir(parents=True)
    (settings().replays / "folder").mkdir()
    (settings().replays / "out.jsonl").symlink_to("/dev/zero")
    recordings = ["there.jsonl", "none.jsonl", "/etc/passwd", "/none", "/dev/zero", "../workbench.db", "folder", "."]
    said = {refusal(browser, f"replay:{name}") for name in [*recordings, "./there.jsonl", "out.jsonl", "a\0b"]}
    assert len(said) == 1
    models = ["/etc", "/none", "folder", "..", "./folder", "/", "~", "a/b/c", "a\0b"]
    assert len({refusal(browser, f"local:{name}") for name in models}) == 1


def test_what_lies_in_the_folder_is_offered_and_opened_by_its_name(browser: Workbench) -> None:
    settings().replays.mkdir(parents=True)
    (settings().replays / "calls.jsonl").write_text("")
    assert kept_recordings() == ["replay:calls.jsonl"]
    assert browser.check_model("replay:calls.jsonl") == ("replay:calls.jsonl", True)
    assert open_workbench().check_model("replay:calls.jsonl") == ("replay:calls.jsonl", True)
    assert "replay:calls.jsonl" in [model.name for model in available_models(browser)]


def test_a_method_s_own_model_is_no_path_either(browser: Workbench, tmp_path: Path) -> None:
    dimension = ready_to_score(browser)
    for name in (str(tmp_path), "/none"):
        with pytest.raises(InputError, match="In the browser a model is named without a path"):
            start_run(browser, 1, RunOptions((dimension,), "none", "bertscore", settings=(("model", name),)))


def test_on_the_command_line_any_plain_file_goes(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    path.write_text("")
    assert open_model(f"replay:{path}", Credentials()).name == f"replay:{path}"
    os.mkfifo(tmp_path / "pipe")
    for name in ("/dev/zero", str(tmp_path / "pipe"), str(tmp_path)):
        with pytest.raises(FileFormatError, match=r"is a device|is a folder"):
            open_model(f"replay:{name}", Credentials())
    with pytest.raises(WorkbenchError):
        open_model(f"replay:{'x' * 100_000}", Credentials())


def test_a_pipe_in_a_model_s_folder_is_named_and_not_read(tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    os.mkfifo(tmp_path / "config.json")
    with pytest.raises(FileFormatError, match="is a device or a pipe"):
        open_model(f"local:{tmp_path}", Credentials())
