"""In the browser no path of a visitor is opened, and none is told apart from one that doesn't exist."""

import asyncio
import itertools
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from app.domain.attribute import ContributorKind
from app.domain.roles_and_rights import Role
from app.domain.run import RunDimension, RunStatus
from app.errors import FileFormatError, InputError, WorkbenchError
from app.providers.credentials import Credentials
from app.providers.model_name import folder_recordings
from app.providers.registry import open_model
from app.services.attributes.attributes import add_attributes, attributes_of
from app.services.building.build import build
from app.services.data.projects import dimensions_named, get_project, one_dimension
from app.services.runtime.judges import judge_named
from app.services.runtime.models import available_models
from app.services.runtime.models import test_model as ask_once_more
from app.services.runtime.workbench import Workbench, open_workbench
from app.services.scoring.forecast import forecast
from app.services.scoring.runs import RunOptions, get_run, start_run, work_on
from app.services.think_aloud.llm_think_aloud import ask_models
from app.services.think_aloud.transcripts import save_recording, transcribe
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
    assert folder_recordings() == ["replay:calls.jsonl"]
    assert browser.check_model("replay:calls.jsonl") == ("replay:calls.jsonl", True)
    assert open_workbench().check_model("replay:calls.jsonl") == ("replay:calls.jsonl", True)
    assert "replay:calls.jsonl" in [model.name for model in available_models(browser)]


@pytest.mark.long
def test_a_method_s_own_model_is_no_path_either(browser: Workbench, tmp_path: Path) -> None:
    dimension = ready_to_score(browser)
    for name in (str(tmp_path), "/none"):
        with pytest.raises(InputError, match="In the browser a model is named without a path"):
            start_run(browser, 1, RunOptions((dimension,), "none", "bertscore", settings=(("model", name),)))


def as_guest(bench: Workbench) -> Workbench:
    """A facilitator who has signed in, even where the process may open any path."""
    with bench.database.write() as work:
        fay = work.people.add("invite", "fay", "Fay")
        work.people.join(fay.id, 1, Role.FACILITATOR, "Fay")
        return replace(bench, actor=work.people.actor(fay.id), any_path=True)


def listen(guest: Workbench, name: str) -> None:
    transcribe(guest, save_recording(guest, 1, "Fay", b"RIFF....WAVE", "a.wav"), name)


def ask(guest: Workbench, name: str) -> None:
    project, dimensions = get_project(guest, "Ready"), dimensions_named(guest, "Ready", "all")
    (said,) = ask_models(guest, project, dimensions, [name])
    raise InputError(said.error)


def make(guest: Workbench, name: str) -> None:
    if not attributes_of(guest, 1):
        add_attributes(guest, 1, "Ana", ContributorKind.HUMAN, ["Order."])
    build(guest, get_project(guest, "Ready"), one_dimension(guest, "Ready", "coherence"), name)


ROUTES: dict[str, Callable[[Workbench, str], object]] = {
    "look a judge up": judge_named,
    "score": lambda guest, name: start_run(guest, 1, RunOptions(tuple(dimensions_named(guest, "Ready", "all")), name)),
    "forecast": lambda guest, name: forecast(
        guest, 1, RunOptions(tuple(dimensions_named(guest, "Ready", "all")), name)
    ),
    "test the connection": lambda guest, name: asyncio.run(ask_once_more(guest, name)),
    "transcribe": listen,
    "think aloud": ask,
    "build": make,
}


def test_who_has_signed_in_opens_no_file_by_its_name(
    browser: Workbench, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    (tmp_path / "there.jsonl").write_text("")
    ready_to_score(browser)
    guest = as_guest(browser)
    names = (f"replay:{tmp_path}/there.jsonl", "replay:none.jsonl", "replay:/etc/passwd")
    for (route, act), name in itertools.product(ROUTES.items(), names):
        with subtests.test(f"{route} {name}"):
            with pytest.raises(InputError) as caught:
                act(guest, name)
            assert "There is no such recording for you on this server" in str(caught.value)
            assert str(settings().home) not in str(caught.value)


@pytest.mark.long
def test_who_has_signed_in_opens_what_was_put_into_the_folder_and_no_other_downloaded_model(browser: Workbench) -> None:
    dimension = ready_to_score(browser)
    guest = as_guest(browser)
    settings().replays.mkdir(parents=True)
    (settings().replays / "calls.jsonl").write_text("")
    assert guest.check_model("replay:calls.jsonl") == ("replay:calls.jsonl", True)
    for refused in (
        lambda: guest.check_model("local:gpt2"),
        lambda: start_run(guest, 1, RunOptions((dimension,), "none", "bertscore", settings=(("model", "gpt2"),))),
    ):
        with pytest.raises(InputError, match="There is no such model for you on this server"):
            refused()
    guest.check_network("roberta-large", usual="roberta-large")
    (settings().models / "ours").mkdir(parents=True)
    guest.check_network("ours", usual="roberta-large")


@pytest.mark.long
def test_a_run_that_came_along_with_a_path_opens_nothing(browser: Workbench, tmp_path: Path) -> None:
    dimension = ready_to_score(browser)
    guest = as_guest(browser)
    with browser.database.write() as work:
        part = RunDimension(dimension.id, None, texts=(1,))
        run = work.runs.create(1, "bertscore", "none", {"model": str(tmp_path)}, [part])
    with pytest.raises(InputError, match="There is no such model for you"):
        work_on(guest, run)
    assert get_run(guest, run).status is RunStatus.WAITING


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
