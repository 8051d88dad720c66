"""score --trials and --draw."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.small_project import OPTIONS, small_csv

Run = Callable[..., tuple[int, str, str]]
HERE = ("--project", "Small", "--dimension", "coherence")


@pytest.fixture
def project(run: Run, tmp_path: Path) -> None:
    notes = tmp_path / "notes.txt"
    notes.write_text("- Sentences follow each other.\n- Nothing is said twice.\n", encoding="utf-8")
    assert run("import", small_csv(tmp_path / "small.csv", sources=12), "--project", "Small", *OPTIONS)[0] == 0
    assert run("attributes", "add", notes, *HERE, "--contributor", "Ana", "--kind", "human")[0] == 0
    assert run("build", *HERE, "--model", "rules", "--publish")[0] == 0


@pytest.mark.usefixtures("project")
def test_trials_have_a_spread_and_draws_are_compared_or_refused(run: Run, subtests: pytest.Subtests) -> None:
    found = json.loads(run("score", *HERE, "--draw", "4x3", "--trials", 2, "--dry-run", "--json")[1])
    assert [(s["seed"], s["texts"], s["texts_all"]) for s in found["samples"]] == [(1, 12, 36), (2, 12, 36)]
    assert found["calls"] == 24
    assert "Kolmogorov-Smirnov" in run("score", *HERE, "--sample", 0.5, "--dry-run")[1]
    assert "samples" not in json.loads(run("score", *HERE, "--dry-run", "--json")[1])
    for draw in ("4", "x", "4x", "0x3", "4x3x2", "many"):
        with subtests.test(draw=draw):
            status, _, err = run("score", *HERE, "--draw", draw)
            assert (status, "40x4" in err) == (2, True)
    status, out, err = run("score", *HERE, "--sample", 0.5, "--trials", 2, "--json")
    found = json.loads(out)
    assert status == 0, err
    assert [trial["dimensions"]["coherence"]["scored"] for trial in found["trials"]] == [18, 18]
    spread = found["spread"]["coherence"]
    assert spread["runs"] == [trial["run"] for trial in found["trials"]]
    assert set(spread["spearman"]) == {"values", "mean", "sd"}
    status, out, _ = run("score", *HERE, "--sample", 0.4, "--trials", 2)
    assert (status, "sd over trials" in out) == (0, True)
