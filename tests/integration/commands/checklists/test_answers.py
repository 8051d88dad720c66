"""Experts' answers on the command line: draw, fill in, bring in, see how far everybody is."""

import csv
import io
import json
from functools import cache
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from app.cli import build
from app.errors import InputError, NotReadyError
from app.services.runtime.workbench import open_workbench
from tests.support.projects import ready_to_score
from tests.support.small_project import document

WHERE = ["--project", "Ready", "--dimension", "coherence"]


@cache
def _commands() -> typer.Typer:
    return build()


def run(*words: str) -> str:
    done = CliRunner().invoke(_commands(), words, catch_exceptions=False)
    assert done.exit_code == 0
    return done.stdout


def test_a_sheet_is_drawn_exported_filled_and_imported(tmp_path: Path) -> None:
    ready_to_score(open_workbench())
    drawn = document(run("answers", "draw", *WHERE, "--texts", "2", "--json"))
    assert drawn == {"version": 1, "texts": 2, "seed": 1, "stratified": True}
    assert "Nobody has answered yet" in run("answers", "list", *WHERE)
    sheet = tmp_path / "ana.csv"
    run("answers", "export", *WHERE, "--expert", "Ana", "--output", str(sheet))
    header, *rows = sheet.read_text(encoding="utf-8-sig").splitlines()
    filled = [row.removesuffix(",,") + ",yes," for row in rows[:4]]
    sheet.write_text("\n".join([header, *filled, rows[4].removesuffix(",,") + ",maybe,"]), encoding="utf-8")
    found = document(run("answers", "import", str(sheet), *WHERE, "--json"))
    assert found == {
        "kept": 4,
        "known": 0,
        "blank": 0,
        "skipped": [{"row": 5, "reason": "“maybe” is no answer; it must be yes, no or skip."}],
    }
    assert document(run("answers", "list", *WHERE, "--json")) == [
        {
            "expert": "Ana",
            "texts_finished": 1,
            "texts": 2,
            "answers": 4,
            "skipped": 0,
            "notes": 0,
            "does_not_apply": 0,
            "from_earlier_versions": 0,
        }
    ]
    assert run("answers", "export", *WHERE).count("yes") == 4


def test_nothing_drawn_is_said() -> None:
    ready_to_score(open_workbench())
    with pytest.raises(NotReadyError):
        run("answers", "list", *WHERE)


def test_a_plan_says_what_it_would_draw_and_draws_it_after_what_is_there() -> None:
    ready_to_score(open_workbench(), texts=40)
    run("answers", "draw", *WHERE, "--texts", "4")
    planned = document(run("answers", "plan", *WHERE, "--texts", "6", "--json"))
    assert (planned["wave"], planned["left"], planned["drawn_before"]) == (2, 36, 4)
    assert (len(planned["texts"]), planned["stored"]) == (6, False)
    assert planned["texts"][0]["chance"] == 6 / 36
    assert "Nobody has answered yet" in planned["forecast"]["said"][0]
    assert "6 texts would be drawn of 36 for version 1, by chance, after the 4" in run(
        "answers", "plan", *WHERE, "--texts", "6"
    )
    assert document(run("answers", "plan", *WHERE, "--texts", "6", "--json")) == planned, "nothing was drawn"
    said = run("answers", "plan", *WHERE, "--texts", "6", "--draw")
    assert "6 texts drawn of 36" in said
    assert document(run("answers", "plan", *WHERE, "--texts", "6", "--json"))["left"] == 30


def test_a_judges_answers_from_elsewhere_become_a_run(tmp_path: Path) -> None:
    ready_to_score(open_workbench())
    run("answers", "draw", *WHERE, "--texts", "2")
    sheet = tmp_path / "ana.csv"
    run("answers", "export", *WHERE, "--expert", "Ana", "--output", str(sheet))
    rows = list(csv.DictReader(io.StringIO(sheet.read_text(encoding="utf-8-sig"))))
    file = tmp_path / "wide.jsonl"
    about = ("doc_id", "system_id", "item_id", "number")
    wide = [{name: row[name] for name in about} | {"Ana": "yes", "gpt-4o": "no"} for row in rows]
    file.write_text("\n".join(json.dumps(row) for row in [*wide, {"doc_id": "nowhere", "gpt-4o": "no"}]))
    brought = run("answers", "import", str(file), *WHERE, "--expert-column", "Ana", "--judge-column", "gpt-4o")
    assert brought.splitlines() == [
        f"{len(rows)} answers kept, 0 known already, 1 blank",
        f"Run 1: {len(rows)} answers of file:gpt-4o on 2 texts",
        f"Row {len(rows) + 1} skipped: nowhere is not among the texts to score.",
    ]
    found = document(run("answers", "import", str(file), *WHERE, "--judge-column", "gpt-4o", "--json"))
    assert found["judges"] == []
    assert found["known"] == [{"judge": "file:gpt-4o", "run": 1}]
    with pytest.raises(InputError, match="can't be an expert's and a judge's"):
        run("answers", "import", str(file), *WHERE, "--expert", "Ana", "--judge", "gpt-4o")
