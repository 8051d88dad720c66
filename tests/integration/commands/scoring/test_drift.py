"""`drift`: what it says before anything is frozen, after freezing, and after looks; its exit status."""

import itertools
import json
from collections.abc import Callable, Iterator
from datetime import date

import pytest

from app.domain.checklist_score import Answer
from app.providers import known_prices
from app.services.checklists.answer_draws import draw_texts
from app.services.runtime.workbench import open_workbench
from tests.support.answering import answer_all
from tests.support.fake_llm.behaviour import Answer as Reply
from tests.support.fake_llm.behaviour import Behaviour, Blocked, all_yes
from tests.support.fake_llm.server import FakeLlm, Received
from tests.support.projects import ready_to_score

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A judge that says yes to everything, and nothing about the second text."""

    def answers(received: Received) -> Behaviour:
        return Blocked() if "Text number 1." in str(received.body) else Reply(all_yes)

    with FakeLlm(usual=answers) as llm:
        monkeypatch.setenv("LLAMA_BASE_URL", f"{llm.url}/v1")
        yield


@pytest.fixture
def answered() -> None:
    workbench = open_workbench()
    ready_to_score(workbench, texts=24, questions=4)
    draw = draw_texts(workbench, 1, 20, seed=3)
    with workbench.database.read() as work:
        questions = [question.id for question in work.checklists.get(1).asked]
    answer_all(workbench, draw, "Ana", dict.fromkeys(itertools.product(draw.texts, questions), Answer.YES))


WITHOUT_ANCHORS = (
    (("--run",), "No dimension of this project has anchors"),
    (("--anew",), "--freeze"),
    (("--run", "--dimension", "coherence"), "has no anchors yet"),
)


@pytest.mark.usefixtures("answered")
def test_from_freezing_to_looks(run: Run) -> None:
    status, out, _ = run("drift")
    assert status == 0
    assert "No anchors are frozen yet" in out
    for words, said in WITHOUT_ANCHORS:
        status, _, err = run("drift", *words)
        assert (status, said in err) == (2, True), words
    status, out, err = run("drift", "--freeze", "--by", "Ana", "--judge", "rules", "--json")
    assert (status, "Froze 20 anchors" in err) == (0, True)
    (state,) = json.loads(out)["dimensions"]
    assert (state["anchors"], state["verdict"], state["frozen_by"], state["looks"]) == (20, None, "Ana", [])
    assert state["reference"]["noise"] == 0
    assert state["findable"] <= state["needed"]
    for _ in range(2):
        status, out, _ = run("drift", "--project", "Ready", "--run", "--json")
        assert status == 0, "also where a judge changed: a night's job goes on"
    found = json.loads(out)
    (state,) = found["dimensions"]
    assert (found["changed"], state["verdict"], len(state["looks"])) == (False, "no change seen", 2)
    assert state["looks"][0]["flips"] == 0
    assert state["evidence"] < state["limit"]
    status, out, _ = run("drift")
    assert "The judge answers the 20 anchors as it did" in out
    assert out.count("no change seen") == 3
    _, out, _ = run("runs", "list")
    assert out.count("checklist, anchors") == 5


@pytest.mark.usefixtures("answered")
def test_a_judge_that_cannot_be_asked_says_why(run: Run) -> None:
    status, _, err = run("drift", "--freeze", "--judge", "llama:nobody")
    assert status == 2, "no address is configured for it"
    assert "LLAMA_BASE_URL" in err


def test_an_anchor_that_failed_is_said_with_status_three(served: None, answered: None, run: Run) -> None:
    status, _, err = run("drift", "--freeze", "--judge", "llama:one")
    assert (status, "anchor 2 failed" in err) == (3, True)
    status, out, err = run("drift", "--run", "--json")
    assert (status, "anchor 2 failed" in err) == (3, True)
    (state,) = json.loads(out)["dimensions"]
    (look,) = state["looks"]
    assert (look["anchors"], look["failed"], state["verdict"]) == (19, 1, "no change seen")


def test_without_a_project_that_is_said(run: Run) -> None:
    status, _, err = run("drift")
    assert (status, "There are 0 projects" in err) == (2, True)


@pytest.mark.usefixtures("served", "answered")
def test_a_successor_is_compared_by_one_command(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known_prices, "_LISTED", {"llama:new": date(2027, 1, 14)})
    status, out, err = run("drift", "--judge", "llama:new", "--against", "rules", "--freeze", "--run", "--json")
    assert status == 3, err
    (state,) = json.loads(out)["dimensions"]
    assert (state["judge"], state["against"], state["reference"]["noise"]) == ("llama:new", "rules", 0)
    assert (len(state["looks"]), state["judge_ends"]) == (1, "2027-01-14")
