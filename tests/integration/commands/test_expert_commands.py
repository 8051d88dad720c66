"""What experts and the project's owner do on Think aloud, Attributes, Side by side and Data, on the command line."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from app.cli import build
from app.domain.attribute import ContributorKind
from app.domain.project import Dimension
from app.errors import ConflictError, InputError, NotFoundError, NotReadyError
from app.services.attributes.attributes import add_attributes, attributes_of
from app.services.attributes.side_by_side import QUESTIONS
from app.services.data.projects import add_dimension, create_project, get_project, one_dimension
from app.services.runtime.workbench import open_workbench
from app.services.think_aloud.independence import add_own_attribute
from app.settings import settings
from tests.support.projects import ready_to_score

HERE = ("--project", "Ready")
ABOUT = (*HERE, "--dimension", "coherence")
ADA = (*ABOUT, "--expert", "Ada")


@pytest.fixture
def ids(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Three of Ada's attributes and one of an LLM."""
    monkeypatch.setenv("INTERACTEVAL_HOME", str(tmp_path))
    settings.cache_clear()
    workbench = open_workbench()
    ready_to_score(workbench)
    said = [add_own_attribute(workbench, 1, "Ada", text) for text in ("Clear order.", "A clear order.", "عربي <b>")]
    yield [*said, *add_attributes(workbench, 1, "llama:x", ContributorKind.LLM, ["Links."])]
    settings.cache_clear()


@cache
def _commands() -> typer.Typer:
    return build()


def run(*words: object) -> str:
    result = CliRunner().invoke(_commands(), [str(word) for word in words])
    if result.exception:
        raise result.exception
    return result.stdout


def told(*words: object) -> Any:
    return json.loads(run(*words, "--json"))


def pool() -> dict[int, Any]:
    return {a.id: a for a in attributes_of(open_workbench(), 1)}


def test_wording_status_and_place_change_and_come_back(ids: list[int]) -> None:
    add_dimension(open_workbench(), 1, Dimension("fluency"))
    run("attributes", "edit", ids[2], *HERE, "--text", "🎈 عربي")
    run("attributes", "exclude", ids[3], *HERE, "--reason", "off topic")
    run("attributes", "merge", ids[0], ids[1], *HERE)
    run("attributes", "move", ids[2], *HERE, "--dimension", "fluency")
    now = pool()
    assert (now[ids[2]].text, now[ids[2]].original, now[ids[2]].dimension) == ("🎈 عربي", "عربي <b>", "fluency")
    assert (now[ids[3]].status, now[ids[3]].reason) == ("excluded", "off topic")
    assert (now[ids[1]].status, now[ids[1]].merged_into) == ("merged", ids[0])
    run("attributes", "restore", ids[1], ids[3], *HERE)
    assert {a.status for a in pool().values()} == {"active"}


def test_numbers_of_other_projects_are_refused(ids: list[int]) -> None:
    create_project(open_workbench(), "Other", get_project(open_workbench(), "Ready").task)
    with pytest.raises(NotFoundError):
        run("attributes", "edit", ids[0], "--project", "Other", "--text", "x")
    with pytest.raises(InputError):
        run("attributes", "exclude", ids[0], *HERE, "--reason", " ")
    assert pool()[ids[0]].text == "Clear order."


def test_alike_pairs_are_listed_and_left_alone(ids: list[int]) -> None:
    (pair,) = told("attributes", "alike", *ABOUT, "--least", "0.7")
    assert pair["ids"] == ids[:2]
    assert len([a for a in pool().values() if a.status == "active"]) == 4


def test_an_exported_table_comes_into_another_project(ids: list[int], tmp_path: Path) -> None:
    file = tmp_path / "pool.csv"
    file.write_text(run("attributes", "list", *ABOUT, "--format", "csv"), encoding="utf-8")
    run("project", "create", "Other")
    run("dimension", "add", "coherence", "--project", "Other")
    assert told("attributes", "import", file, "--project", "Other") == {
        "added": 4,
        "there": 0,
        "skipped": [],
        "passages_left_out": 0,
    }
    there = told("attributes", "list", "--project", "Other")
    assert [(a["contributor"], a["text"]) for a in there] == [(a.contributor, a.text) for a in pool().values()]


def test_contributors_are_told_with_what_they_said_about_themselves(ids: list[int], tmp_path: Path) -> None:
    file = tmp_path / "bo.txt"
    file.write_text("- It ends well.", encoding="utf-8")
    who = ("--contributor", "Bo", "--kind", "human", "--role", "Editor", "--background", "Ten years")
    run("attributes", "add", file, *ABOUT, *who)
    assert told("attributes", "contributors", *HERE)[-1] == {
        "contributor": "Bo",
        "kind": "human",
        "role": "Editor",
        "background": "Ten years",
        "in_use": 1,
        "all": 1,
    }
    rows = told("project", "experts", "Ready")
    assert [(r["expert"], r["role"], r["attributes"], r["done"]) for r in rows] == [
        ("Ada", "", 3, False),
        ("Bo", "Editor", 1, False),
    ]


def test_an_expert_is_done_and_compares_blind(ids: list[int]) -> None:
    with pytest.raises(NotReadyError):
        run("side-by-side", "show", *ADA)
    with pytest.raises(NotReadyError):
        run("think-aloud", *ABOUT, "--contributor", "Nobody", "--done")
    assert told("think-aloud", *ABOUT, "--contributor", "Ada", "--done") == {
        "contributor": "Ada",
        "done": ["coherence"],
    }
    mine = told("side-by-side", "show", *ADA)
    assert {tuple(sorted(mine["a"])), tuple(sorted(mine["b"]))} == {
        ("A clear order.", "Clear order.", "عربي <b>"),
        ("Links.",),
    }
    assert "people" not in mine
    with pytest.raises(NotReadyError):
        run("side-by-side", "reveal", *ADA)
    for question in QUESTIONS:
        run("side-by-side", "answer", *ADA, "--question", question, "--text", "Order matters.")
    assert len(mine[told("side-by-side", "reveal", *ADA)["people"]]) == 3
    with pytest.raises(ConflictError):
        run("side-by-side", "answer", *ADA, "--question", "else", "--text", "Changed.")
    listed = told("side-by-side", "list", *ABOUT)
    assert listed["comparisons"][0]["answers"]["else"] == "Order matters."
    assert listed["keywords"] == []


def test_experts_from_outside_compare_and_the_answers_stand_behind_each_keyword(ids: list[int]) -> None:
    run("dimension", "edit", "coherence", *HERE, "--rubric", "How the parts hang together.")
    with pytest.raises(NotReadyError, match="--outside"):
        run("side-by-side", "show", *ABOUT, "--expert", "Zoe")
    for name in ("Zoe", "Yan", "Xia"):
        here = (*ABOUT, "--expert", name)
        mine = told("side-by-side", "show", *here, "--outside")
        assert (mine["rubric"], mine["outside"]) == ("How the parts hang together.", True)
        for question in QUESTIONS:
            run(
                "side-by-side", "answer", *here, "--question", question, "--text", f"{name}: connectives in {question}."
            )
        run("side-by-side", "reveal", *here)
    assert "How the parts hang together." in run("side-by-side", "show", *ABOUT, "--expert", "Zoe")
    assert {a.contributor for a in pool().values()} == {"Ada", "llama:x"}
    listed = told("side-by-side", "list", *ABOUT)
    (keyword,) = [k for k in listed["keywords"] if k["word"] == "connective"]
    assert keyword["experts"] == ["Zoe", "Yan", "Xia"]
    assert len(keyword["answers"]) == 18
    assert keyword["answers"][0] == {"expert": "Zoe", "answer": "Zoe: connectives in measures."}
    assert "  Yan: Yan: connectives in grain." in run("side-by-side", "list", *ABOUT)


def test_a_project_starts_from_a_preset_and_its_words_change(ids: list[int]) -> None:
    run("project", "create", "Letters", "--preset", "learner essays")
    assert told("project", "wording", "Letters", "--text", "letter", "--language", "German")["text_name"] == "letter"
    assert told("project", "wording", "Letters")["source_name"] == "writing prompt"
    run("dimension", "add", "warmth", "--project", "Letters", "--rubric", "How kind it is.", "--high", "7")
    run("dimension", "edit", "warmth", "--project", "Letters", "--rename", "kindness", "--low", "0")
    assert told("dimension", "list", "--project", "Letters")[-1] == {
        "name": "kindness",
        "low": 0.0,
        "high": 7.0,
        "rubric": "How kind it is.",
    }
    with pytest.raises(InputError):  # Ready's ratings go from 1 to 5
        run("dimension", "edit", "coherence", *HERE, "--high", "4")
    assert one_dimension(open_workbench(), "Ready", "coherence").high == 5
