"""The command line's fixed contract: names, JSON fields, exit statuses, what goes where."""

import csv
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import typer

from app.cli import build
from app.errors import InputError
from app.settings import settings
from tests.support.demo.small import shared_demo
from tests.support.small_project import OPTIONS, small_csv

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def project(small: None) -> str:
    return "Small"


def _json(result: tuple[int, str, str]) -> Any:
    status, out, err = result
    assert status == 0, err
    return json.loads(out)


def _commands(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    inner = getattr(command, "commands", None)
    if inner is None:
        yield path, command
    for name, each in (inner or {}).items():
        yield from _commands(each, (*path, name))


def _single_options() -> Iterator[tuple[tuple[str, ...], Any, Any]]:
    for path, command in _commands(typer.main.get_command(build())):
        for option in command.params:
            if option.param_type_name == "option" and not option.multiple and not option.is_eager:
                yield path, command, option


def test_every_option_that_is_no_list_refuses_to_be_given_twice() -> None:
    tried, accepted = 0, []
    for path, command, option in _single_options():
        for written in (*option.opts, *option.secondary_opts):
            tried += 1
            words = [written] if option.is_flag else [written, "1"]
            try:
                command.make_context(" ".join(path), [*words, *words])
            except InputError as error:
                assert written in error.message or option.opts[0] in error.message
            except Exception:
                accepted.append((*path, written))
            else:
                accepted.append((*path, written))
    assert accepted == []
    assert tried > 300


@pytest.mark.parametrize(
    "words",
    [
        ("estimate", "x.csv", "--judge", "a", "--judge", "b", "--human", "c"),
        ("project", "list", "--json", "--json"),
        ("checklist", "list", "--project=A", "--project=B"),
    ],
)
def test_an_option_given_twice_ends_with_one_sentence(run: Run, words: tuple[str, ...]) -> None:
    status, out, err = run(*words)
    assert (status, out, err.count("\n"), err.count(". ")) == (2, "", 1, 0)


def test_import_reports_what_the_project_holds_and_adds_nothing_twice(run: Run, tmp_path: Path) -> None:
    words = ("import", small_csv(tmp_path / "small.csv"), "--project", "Small", *OPTIONS, "--json")
    first, second = _json(run(*words)), _json(run(*words))
    assert first["project"] == "Small"
    assert (first["texts"], first["sources"], first["systems"], first["ratings"]) == (18, 6, 3, 54)
    assert first["dimensions"]["coherence"] == {"ratings": 36, "raters": 2, "low": 1.0, "high": 5.0}
    assert first["dimensions"]["fluency"] == {"ratings": 18, "raters": 1, "low": 1.0, "high": 5.0}
    assert (first["skipped"], first["added_texts"], second["added_texts"]) == ([], 18, 0)
    assert {**second, "added_texts": 0, "added_ratings": 0} == {**first, "added_texts": 0, "added_ratings": 0}


def test_bad_rows_are_listed_and_good_ones_come_in(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("text,score\nA fine text.,4\n,3\nAnother text.,many\n", encoding="utf-8")
    found = _json(run("import", path, "--project", "P", "--map", "text=text", "--rating", "quality=score", "--json"))
    assert found["texts"] == 1
    assert [skipped["row"] for skipped in found["skipped"]] == [2, 3]
    assert all(skipped["reason"] for skipped in found["skipped"])


def test_a_named_rating_leaves_the_rest_guessed_and_the_report_says_what_was_taken_for_what(
    run: Run, tmp_path: Path
) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("text,system_id,score,age\nA fine text.,s1,4,30\nAnother text.,s2,3,40\n", encoding="utf-8")
    words = ("import", path, "--project", "P", "--rating", "quality=score")
    status, out, err = run(*words)
    assert (status, err.count("left out")) == (0, 0)
    assert "columns: text as text (guessed), system_id as system_id (guessed), score as a rating of quality" in out
    found = _json(run(*words, "--json"))
    assert (found["systems"], list(found["dimensions"])) == (2, ["quality"])
    assert found["columns"][-1] == {"column": "score", "role": "rating", "dimension": "quality", "guessed": False}


def test_texts_without_a_common_source_are_told_of_at_once(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "alone.csv"
    path.write_text("text,score\nA fine text.,4\nAnother text.,3\n", encoding="utf-8")
    status, _, err = run("import", path, "--project", "P", "--map", "text=text", "--rating", "quality=score")
    assert status == 0
    assert "No two texts share a source" in err
    _, _, err = run("import", small_csv(tmp_path / "small.csv"), "--project", "Small", *OPTIONS)
    assert "share a source" not in err


def test_attributes_go_in_from_lines_and_json_and_come_out_listed(run: Run, project: str, tmp_path: Path) -> None:
    lines, listed = tmp_path / "ada.txt", tmp_path / "llm.json"
    lines.write_text("- Look at the order.\n\n- Are names kept?\n", encoding="utf-8")
    listed.write_text('{"1": "Check the links", "2": "Check the order"}', encoding="utf-8")
    base = ("--project", project, "--dimension", "coherence", "--contributor")
    assert run("attributes", "add", lines, *base, "Ada", "--kind", "human")[0] == 0
    assert run("attributes", "add", listed, *base, "model-x", "--kind", "llm")[0] == 0
    found = _json(run("attributes", "list", "--project", project, "--dimension", "coherence", "--json"))
    assert set(found[0]) == {"id", "dimension", "contributor", "kind", "text", "status", "round", "passage", "pair"}
    assert [(a["contributor"], a["kind"], a["text"]) for a in found] == [
        ("Ada", "human", "Look at the order."),
        ("Ada", "human", "Are names kept?"),
        ("model-x", "llm", "Check the links"),
        ("model-x", "llm", "Check the order"),
    ]


def test_the_whole_flow_and_its_documents(run: Run, project: str, tmp_path: Path) -> None:
    base = ("--project", project)
    assert run("think-aloud", *base, "--dimension", "all", "--model", "rules")[0] == 0
    built = _json(run("build", *base, "--dimension", "all", "--condition", "comb", "--model", "rules", "--json"))
    assert {b["dimension"]: (b["version"], b["status"]) for b in built} == {
        "coherence": (1, "draft"),
        "fluency": (1, "draft"),
    }
    assert "Publish version 1 first" in run("score", *base, "--judge", "rules")[2]
    assert run("checklist", "publish", *base, "--dimension", "all")[0] == 0

    dry = _json(run("score", *base, "--judge", "rules", "--dry-run", "--json"))
    assert set(dry) == {
        "calls", "calls_cached", "input_tokens", "output_tokens_estimate", "cost_usd", "reuse",
        "reasoning_tokens_per_call", "reasoning_measured", "tier", "constant_tokens", "cached_from_tokens",
        "cache_read_tokens", "cache_saves_usd", "batch_usd", "at_once_usd", "sampled",
        "longest_request_tokens", "context_tokens", "too_long",
    }  # fmt: skip
    assert dry["cost_usd"] == 0

    scored = _json(run("score", *base, "--evaluator", "checklist", "--judge", "rules", "--json"))
    assert set(scored) >= {
        *("run", "evaluator", "judge", "dimensions", "calls", "calls_cached", "retries"),
        *("input_tokens", "output_tokens", "cost_usd", "seconds"),
    }
    assert set(scored["dimensions"]["coherence"]) == {"scored", "failed", "unanswered", "coverage"}
    assert sum(d["scored"] for d in scored["dimensions"].values()) == dry["calls"]

    (listed,) = _json(run("runs", "list", *base, "--json"))
    assert " ".join(listed) == "run project evaluator variant judge dimensions status done all started"
    assert (listed["status"], listed["done"]) == ("done", listed["all"])
    assert run("score", *base, "--judge", "rules", "--resume", scored["run"])[0] == 0
    assert _json(run("runs", "show", *base, "--json"))["run"] == scored["run"]
    assert "done" in run("runs", "cancel", scored["run"])[2]

    output = tmp_path / "scores.csv"
    assert run("results", *base, "--resamples", 0, "--output", output)[0] == 0
    rows = list(csv.DictReader(output.read_text(encoding="utf-8").splitlines()))
    assert list(rows[0])[:11] == [
        *(
            "run",
            "evaluator",
            "variant",
            "judge",
            "dimension",
            "doc_id",
            "system_id",
            "score",
            "coverage",
            "human",
            "raters",
        )
    ]
    assert len(rows) == listed["all"]
    figures = _json(run("results", *base, "--level", "dataset", "--resamples", 0, "--json"))
    assert {f["dimension"] for f in figures} == {"coherence", "fluency"}
    assert figures[0]["level"] == "dataset"
    page = tmp_path / "report.html"
    assert run("results", *base, "--resamples", 20, "--output", page)[0] == 0
    assert "<h2>coherence</h2>" in page.read_text(encoding="utf-8")


def test_a_checklist_goes_out_and_comes_back(run: Run, project: str, tmp_path: Path) -> None:
    base = ("--project", project, "--dimension", "coherence")
    run("think-aloud", *base, "--model", "rules")
    run("build", *base, "--model", "rules")
    document = _json(run("checklist", "export", *base, "--format", "json"))
    assert set(document) >= {"project", "task", "dimension", "version", "rubric", "low", "high", "questions"}
    question = document["questions"][0]
    assert set(question) >= {"id", "component", "key_question", "text", "weight", "attributes"}
    assert set(question["attributes"][0]) == {"text", "contributor", "kind"}
    for version, form in ((2, "json"), (3, "yaml")):
        path = tmp_path / f"checklist.{form}"
        assert run("checklist", "export", *base, "--version", 1, "--format", form, "--output", path)[0] == 0
        assert run("checklist", "import", path, *base)[0] == 0
        again = _json(run("checklist", "export", *base, "--version", version, "--format", "json"))
        assert [q["text"] for q in again["questions"]] == [q["text"] for q in document["questions"]]


def test_a_spreadsheet_runs_no_formula_of_a_checklist(run: Run, project: str, tmp_path: Path) -> None:
    path = tmp_path / "evil.yaml"
    path.write_text("questions:\n  - text: '=HYPERLINK(\"http://x\")?'\n    component: '@sum'\n", encoding="utf-8")
    base = ("--project", project, "--dimension", "coherence")
    assert run("checklist", "import", path, *base)[0] == 0
    out = run("checklist", "export", *base, "--format", "csv")[1]
    row = next(csv.DictReader(out.splitlines()))
    assert (row["text"][:2], row["component"]) == ("'=", "'@sum")


def test_the_demo_fills_its_contract(run: Run, tmp_path_factory: pytest.TempPathFactory) -> None:
    shutil.copytree(shared_demo(tmp_path_factory), settings().home, dirs_exist_ok=True)
    found = _json(run("demo", "--json"))
    assert (found["project"], found["judge"]) == ("Demo", "rules")
    assert set(found["dimensions"]) == {"coherence", "fluency", "consistency", "relevance"}
    for dimension in found["dimensions"].values():
        assert dimension["questions"] >= 5
        assert dimension["texts_scored"] >= 20
        assert (
            -1 <= dimension["spearman"]["low"] <= dimension["spearman"]["value"] <= dimension["spearman"]["high"] <= 1
        )
        assert dimension["groups_used"] <= dimension["groups_all"]
    assert [p["project"] for p in _json(run("project", "list", "--json"))] == ["Demo"]


MISTAKES = (
    (("project", "show", "Nowhere"), "Nowhere"),
    (("import", "missing.csv", "--project", "P"), "missing.csv"),
    (("score", "--project", "Small", "--evaluator", "tea-leaves"), "tea-leaves"),
    (("score", "--project", "Small", "--dimension", "charm"), "charm"),
    (("build", "--project", "Small", "--model", "rules", "--condition", "xx"), "xx"),
    (("checklist", "show", "--project", "Small", "--dimension", "coherence"), "Build one first"),
    (("results", "--project", "Small"), "scored"),
    (("runs", "show", "99"), "99"),
    (("runs", "show"), "--project"),
    (("runs", "cancel", "--project", "Small"), "no runs"),
    (("models", "test", "nobody:x"), "nobody"),
    (("project", "rename", "Small"), "rename"),
    (("import", "--project", "P"), "file"),
    (("build", "--project", "Small", "--model", "rules", "--components", "12"), "--components"),
    (("bench", "nothing"), "nothing"),
)


def test_a_mistake_is_one_line_that_says_what_and_where(run: Run, project: str, subtests: pytest.Subtests) -> None:
    for words, said in MISTAKES:
        with subtests.test(words=words):
            status, _, err = run(*words)
            assert status == 2
            assert said in err
            assert "Traceback" not in err
            assert len(err.strip().splitlines()) == 1


def test_a_model_that_can_not_be_opened_is_listed_and_the_others_go_on(run: Run, project: str) -> None:
    words = ("think-aloud", "--project", project, "--dimension", "coherence", "--model", "openai:gpt-4o")
    status, out, _ = run(*words, "--model", "rules", "--json")
    answers = {a["model"]: a for a in json.loads(out)}
    assert status == 3
    assert answers["rules"]["attributes"] > 0
    assert "OPENAI_API_KEY" in answers["openai:gpt-4o"]["error"]


def test_asking_a_model_again_says_what_was_dropped(run: Run, project: str) -> None:
    words = ("think-aloud", "--project", project, "--dimension", "coherence", "--model", "rules", "--json")
    (first,), (second,) = _json(run(*words)), json.loads((again := run(*words))[1])
    assert (first["round"], first["repeated"], second["round"]) == (1, 0, 2)
    assert (second["attributes"], second["repeated"]) == (0, first["attributes"])
    assert "dropped: this model said the same before" in again[2]


def test_a_bug_says_where_to_report_it(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("app.services.data.projects.list_projects", broken)
    status, _, err = run("project", "list")
    assert status == 1
    assert "ZeroDivisionError" in err
    assert "report" in err


def test_interrupting_loses_nothing_and_says_so(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("app.services.data.projects.list_projects", interrupted)
    status, _, err = run("project", "list")
    assert status == 130
    assert "kept" in err


def test_an_empty_dimension_is_refused(run: Run, project: str) -> None:
    assert run("results", "--project", project, "--dimension", " ")[0] == 2


def test_output_that_nobody_reads_is_no_bug() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    command = [Path(sys.executable).with_name("interacteval"), "project", "list"]
    ended = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, check=False)
    os.close(writing)
    assert (ended.returncode, ended.stderr) == (141, b"")


def test_every_command_shows_an_example(run: Run) -> None:
    commands = (
        *("serve", "demo", "import", "think-aloud", "build", "score", "results", "meta-eval", "compare"),
        *("similarity", "topics", "bench", "project list", "project show", "project delete", "attributes add"),
        *("attributes list", "checklist list", "checklist show", "checklist export", "checklist import"),
        *("checklist publish", "runs list", "runs show", "runs cancel", "models list", "models test"),
    )
    helps = {" ".join(path): command.help for path, command in _commands(typer.main.get_command(build()))}
    for command in commands:
        assert f"interacteval {command}" in " ".join(helps[command].split()), command
    status, out, _ = run("score", "--help")
    assert (status, "interacteval score" in " ".join(out.split())) == (0, True)


def test_times_are_iso_8601(run: Run, project: str, tmp_path: Path) -> None:
    notes = tmp_path / "ada.txt"
    notes.write_text("Facts come in order.", encoding="utf-8")
    place = ("--project", project, "--dimension", "coherence", "--contributor", "Ada", "--kind", "human")
    assert run("attributes", "add", notes, *place)[0] == 0
    expert = _json(run("project", "experts", project, "--json"))[0]
    assert datetime.strptime(expert["last_at"], "%Y-%m-%dT%H:%M:%S.%f%z").tzinfo is not None
