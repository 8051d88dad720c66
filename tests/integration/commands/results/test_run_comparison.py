"""runs compare on the command line."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., tuple[int, str, str]]
FEW = ("--permutations", 100, "--resamples", 100)


@pytest.fixture
def compared(run: Run, small: None, tmp_path: Path) -> tuple[str, ...]:
    """Two runs of one dimension: with a checklist of Ana's attributes, and with one of Ben's."""
    here = ("--project", "Small", "--dimension", "coherence")
    for name, said in (("Ana", "Sentences follow each other."), ("Ben", "Nothing is said twice.")):
        notes = tmp_path / f"{name}.txt"
        notes.write_text(said, encoding="utf-8")
        assert run("attributes", "add", notes, *here, "--contributor", name, "--kind", "human")[0] == 0
        assert run("build", *here, "--condition", f"sh:{name}", "--model", "rules", "--publish")[0] == 0
        assert run("score", *here, "--judge", "rules")[0] == 0
    return here


def test_runs_are_compared_in_a_document_in_words_and_in_files(
    run: Run, compared: tuple[str, ...], tmp_path: Path
) -> None:
    status, out, err = run("runs", "compare", *compared, "--baseline", 1, *FEW, "--json")
    assert status == 0, err
    (found,) = json.loads(out)
    assert (found["baseline"], found["run"], found["shared"], found["only_run"]) == (1, 2, 18, 0)
    assert {
        "a",
        "b",
        "difference",
        "low",
        "high",
        "p_permutation",
        "p_permutation_holm",
        "p_williams",
        "p_fisher",
    } <= set(found["spearman"])
    assert found["signature"].startswith("per-source|")
    status, out, err = run("runs", "compare", *compared, "--baseline", 1, "--run", 2, *FEW)
    assert status == 0, err
    assert "A = run 2, B = run 1" in out
    assert "Spearman: " in out
    status, _, err = run("runs", "compare", *compared, "--baseline", 1, "--run", 9)
    assert (status, "Run 9 has no scores on this dimension." in err) == (2, True)
    for ending in ("csv", "tex"):
        written = tmp_path / f"compared.{ending}"
        status, _, err = run("runs", "compare", *compared, "--baseline", 1, *FEW, "--output", written)
        assert status == 0, err
        rows = [line for line in written.read_text(encoding="utf-8-sig").splitlines() if "run 2" in line]
        assert len(rows) == 3, "a row for each coefficient"
