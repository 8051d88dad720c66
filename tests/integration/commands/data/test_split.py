"""split lock, show, look, open on the command line."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.support.small_project import OPTIONS, small_csv

Run = Callable[..., tuple[int, str, str]]


def document(result: tuple[int, str, str]) -> Any:
    status, out, err = result
    assert status == 0, err
    return json.loads(out)


def test_lock_show_and_open(run: Run, tmp_path: Path) -> None:
    here = ("--project", "Small")
    assert run("import", small_csv(tmp_path / "small.csv", sources=12), *here, *OPTIONS)[0] == 0
    assert document(run("split", "show", *here, "--json")) is None
    assert "Nothing is locked" in run("split", "show", *here)[1]
    locked = document(run("split", "lock", *here, "--share", 0.25, "--by", "Ana", "--json"))
    assert (locked["documents"], locked["documents_all"], locked["texts"], locked["looks"]) == (3, 12, 9, [])
    assert run("split", "lock", *here, "--by", "Ana")[0] == 2
    status, _, err = run("split", "look", *here, "--run", 1, "--by", "Ana")
    assert (status, "no scores on the locked texts" in err) == (2, True)
    assert run("split", "open", *here, "--by", "Ana", "--yes")[0] == 0
    assert document(run("split", "show", *here, "--json")) is None


def test_a_look_is_counted_and_marked(run: Run, tmp_path: Path) -> None:
    here = ("--project", "Small", "--dimension", "coherence")
    notes = tmp_path / "notes.txt"
    notes.write_text("- Sentences follow each other.\n- Nothing is said twice.\n", encoding="utf-8")
    assert run("import", small_csv(tmp_path / "small.csv", sources=12), "--project", "Small", *OPTIONS)[0] == 0
    assert run("attributes", "add", notes, *here, "--contributor", "Ana", "--kind", "human")[0] == 0
    assert run("build", *here, "--condition", "comb", "--model", "rules", "--publish")[0] == 0
    assert run("split", "lock", "--project", "Small", "--by", "Ana")[0] == 0
    scored = document(run("score", *here, "--judge", "rules", "--locked", "--json"))
    assert scored["dimensions"]["coherence"]["scored"] == 6
    status, _, err = run("results", "--project", "Small", "--run", scored["run"])
    assert (status, "split look" in err) == (2, True)
    looked = document(run("split", "look", "--project", "Small", "--run", scored["run"], "--by", "Ben", "--json"))
    assert [(each["who"], each["runs"]) for each in looked["split"]["looks"]] == [("Ben", [scored["run"]])]
    assert looked["results"][0]["locked_split"] is True
    assert looked["results"][0]["n"] == 6
    assert "Looks so far: 1" in run("split", "show", "--project", "Small")[1]
    assert "Looks so far: 2" in run("split", "look", "--project", "Small", "--run", scored["run"], "--by", "Ben")[1]
