"""Options of a method as they are written on the command line: each does something, or is refused with a sentence."""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import typer

from app.cli import build
from app.commands.scoring.score import PANELS, read_settings
from app.errors import InputError
from app.services.runtime.workbench import open_workbench
from app.settings import settings
from tests.support.fake_llm.behaviour import Answer
from tests.support.fake_llm.server import FakeLlm
from tests.support.projects import ready_to_score

Run = Callable[..., tuple[int, str, str]]
HERE = ("score", "--project", "Ready", "--dimension", "coherence")


def test_name_and_value_are_divided_at_the_first_sign() -> None:
    assert read_settings(["aspects=20", "variant=random"]) == (("aspects", "20"), ("variant", "random"))
    assert read_settings([]) == ()


@pytest.mark.parametrize("written", ["aspects", "=5", "aspects=", ""])
def test_anything_else_says_how_to_write_it(written: str) -> None:
    with pytest.raises(InputError, match="name=value"):
        read_settings([written])


def yes_with_reasons(schema: Mapping[str, Any] | None) -> str:
    asked = (schema or {})["properties"].items()
    return json.dumps({key: "yes" if "enum" in form else {"reason": "so", "answer": "yes"} for key, form in asked})


@pytest.fixture
def llm(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[FakeLlm]:
    """A judge that says yes to everything, and 2 texts with a checklist of 3 questions."""
    with FakeLlm(usual=Answer(yes_with_reasons)) as server:
        monkeypatch.setenv("INTERACTEVAL_HOME", str(tmp_path))
        monkeypatch.setenv("LLAMA_BASE_URL", f"{server.url}/v1")
        settings.cache_clear()
        ready_to_score(open_workbench(), texts=2)
        yield server
        settings.cache_clear()


OF_CHECKLIST = (
    ("g-eval", "--repeats 3"),
    ("g-eval", "--repeats 1"),
    ("g-eval", "--reasons"),
    ("g-eval", "--soft"),
    ("g-eval", "--per-question --dry-run"),
    *((evaluator, "--soft") for evaluator in ("coascore", "llm-score", "check-eval", "gptscore", "rouge-1")),
)


def test_an_option_that_a_method_does_not_have_is_refused_and_names_who_has_it(
    run: Run, llm: FakeLlm, subtests: pytest.Subtests
) -> None:
    for evaluator, given in OF_CHECKLIST:
        with subtests.test(evaluator=evaluator, given=given):
            status, out, err = run(*HERE, "--evaluator", evaluator, *given.split())
            assert (status, out) == (2, "")
            assert f"{evaluator} has no option" in err
            assert "checklist takes it." in err
            assert len(err.strip().splitlines()) == 1
    assert not llm.requests
    assert json.loads(run("runs", "list", "--project", "Ready", "--json")[1]) == []


CONTRADICTIONS = (
    ("g-eval", ["--checklist", "1"], "uses no checklist"),
    ("rouge-1", ["--checklist", "1"], "check-eval with seeds=checklist"),
    ("g-eval", ["--no-reuse"], "Only checklist does"),
    ("rouge-1", ["--budget", "1"], "asks no model, so a budget means nothing"),
    ("bleu", ["--no-cache"], "asks no model, so asking again means nothing"),
    ("g-eval", ["--set", "probabilities=none", "--set", "samples=5"], "uses samples only with probabilities=auto"),
    ("coascore", ["--set", "variant=inter", "--set", "aspects=7"], "uses aspects only with variant=full or"),
    ("gptscore", ["--set", "demonstrations=2"], "uses demonstrations only with setting=idm"),
    ("gptscore", ["--set", "form=boolean", "--set", "direction=mean"], "uses direction only with form=text"),
    ("checklist", ["--set", "repeats=2", "--repeats", "3"], "repeats is given twice, as 3 and as 2"),
    ("checklist", ["--set", "reasons=no", "--reasons"], "reasons is given twice"),
    ("g-eval", ["--set", "samples=2", "--set", "samples=3"], "samples is given twice"),
)


def test_what_does_nothing_or_contradicts_itself_is_refused(run: Run, llm: FakeLlm, subtests: pytest.Subtests) -> None:
    for evaluator, given, said in CONTRADICTIONS:
        with subtests.test(evaluator=evaluator, given=given):
            judge = [] if evaluator in ("rouge-1", "bleu") else ["--judge", "llama:x"]
            status, out, err = run(*HERE, "--evaluator", evaluator, *judge, *given)
            assert (status, out) == (2, "")
            assert said in err
            assert len(err.strip().splitlines()) == 1
            assert not llm.requests


PLANNED = (
    (["--set", "reasons=yes", "--repeats", "3"], 6),
    (["--set", "repeats=3", "--reasons"], 6),
    (["--set", "repeats=2", "--repeats", "2", "--per-question"], 12),
    (["--set", "per_question=yes"], 6),
    (["--reasons", "--set", "reasons=yes"], 2),
    (["--set", "reasons=no"], 2),
)


def test_what_is_planned_is_what_is_asked(run: Run, llm: FakeLlm, subtests: pytest.Subtests) -> None:
    for given, calls in PLANNED:
        with subtests.test(given=given):
            words = (*HERE, "--judge", "llama:x", "--no-cache", *given, "--json")
            llm.requests.clear()
            planned: Any = json.loads(run(*words, "--dry-run")[1])
            done: Any = json.loads(run(*words)[1])
            assert (planned["calls"], done["calls"], len(llm.requests)) == (calls, calls, calls)


def test_a_judge_that_is_not_asked_is_named(run: Run, llm: FakeLlm) -> None:
    _, _, err = run(*HERE, "--evaluator", "rouge-1", "--judge", "llama:x", "--dry-run")
    assert "rouge-1 asks no judge: llama:x is not used." in err


def test_help_of_score_shows_every_option_in_a_panel() -> None:
    command = typer.main.get_command(build()).commands["score"]  # type: ignore[attr-defined]
    panels = {option.name: option.rich_help_panel for option in command.params}
    panels.pop("help", None)
    assert set(panels.values()) == set(PANELS)
