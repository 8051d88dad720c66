"""conditions run and show on the command line."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.small_project import OPTIONS, small_csv

Run = Callable[..., tuple[int, str, str]]
HERE = ("--project", "Small", "--dimension", "coherence")


@pytest.fixture
def project(run: Run, tmp_path: Path) -> None:
    """Two people and one model have thought aloud."""
    assert run("import", small_csv(tmp_path / "small.csv"), "--project", "Small", *OPTIONS)[0] == 0
    said = {"Ana": "Sentences follow each other.", "Ben": "Nothing is said twice.", "m": "Ideas are connected."}
    for name, words in said.items():
        notes = tmp_path / f"{name}.txt"
        notes.write_text(words, encoding="utf-8")
        kind = "llm" if name == "m" else "human"
        assert run("attributes", "add", notes, *HERE, "--contributor", name, "--kind", kind)[0] == 0


@pytest.mark.usefixtures("project")
def test_estimate_run_and_show(run: Run) -> None:
    estimate = json.loads(run("conditions", "run", *HERE, "--dry-run", "--json")[1])
    assert (estimate["checklists"], estimate["judge_calls"], estimate["cost_usd"]) == (7, 7 * 18, 0.0)
    status, out, err = run("conditions", "run", *HERE, "--json")
    assert (status, json.loads(out)["missing"]) == (0, 0), err
    assert "Building sl:m for coherence" in err
    status, out, _ = run("conditions", "show", *HERE, "--permutations", 50, "--json")
    found = json.loads(out)
    assert [row["condition"] for row in found["conditions"]] == ["sl", "sh", "mh", "comb", "without", "without"]
    assert [member["condition"] for member in found["conditions"][1]["members"]] == ["sh:Ana", "sh:Ben"]
    first = found["differences"][0]
    assert (first["first"], first["second"]) == ("sl", "sh")
    assert {"difference", "low", "high", "p_permutation", "p_permutation_holm", "z_fisher"} <= set(first["spearman"])
    assert "WITHOUT Ana" in run("conditions", "show", *HERE, "--permutations", 50)[1]
    assert json.loads(run("checklist", "list", *HERE, "--json")[1]) == []
    assert len(json.loads(run("checklist", "list", *HERE, "--of-conditions", "--json")[1])) == 7


@pytest.mark.usefixtures("project")
def test_show_before_run_and_wrong_words(run: Run) -> None:
    status, out, err = run("conditions", "show", *HERE)
    assert (status, "Nothing has been scored" in out, "7 of the conditions" in err) == (0, True, True)
    status, _, err = run("conditions", "run", *HERE, "--conditions", "sl,xx")
    assert (status, "“xx” is no kind of condition" in err) == (2, True)


@pytest.mark.usefixtures("project")
def test_runs_of_a_study_are_listed_by_their_condition_and_never_shown_unasked(run: Run) -> None:
    assert run("conditions", "run", *HERE, "--conditions", "sh")[0] == 0
    listed = json.loads(run("runs", "list", "--project", "Small", "--json")[1])
    assert [each["condition"] for each in listed] == ["sh:Ben", "sh:Ana"]
    assert "condition sh:Ana" in run("runs", "list", "--project", "Small")[1]
    assert "condition sh:Ana" in run("runs", "show", listed[1]["run"])[1]
    status, _, err = run("results", "--project", "Small")
    assert (status, "Only studies of conditions" in err) == (2, True)
    assert "condition sh:Ana" in run("results", "--project", "Small", "--run", listed[1]["run"])[1]
