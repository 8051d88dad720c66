"""runs compare on the command line."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.small_project import OPTIONS, small_csv

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def compared(run: Run, tmp_path: Path) -> tuple[str, ...]:
    """Two runs of one dimension: with a checklist of Ana's attributes, and with one of Ben's."""
    here = ("--project", "Small", "--dimension", "coherence")
    assert run("import", small_csv(tmp_path / "small.csv"), "--project", "Small", *OPTIONS)[0] == 0
    for name, said in (("Ana", "Sentences follow each other."), ("Ben", "Nothing is said twice.")):
        notes = tmp_path / f"{name}.txt"
        notes.write_text(said, encoding="utf-8")
        assert run("attributes", "add", notes, *here, "--contributor", name, "--kind", "human")[0] == 0
        assert run("build", *here, "--condition", f"sh:{name}", "--model", "rules", "--publish")[0] == 0
        assert run("score", *here, "--judge", "rules")[0] == 0
    return here


def test_a_document_a_comparison(run: Run, compared: tuple[str, ...]) -> None:
    status, out, err = run("runs", "compare", *compared, "--baseline", 1, "--permutations", 100, "--json")
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


def test_in_words(run: Run, compared: tuple[str, ...]) -> None:
    status, out, err = run("runs", "compare", *compared, "--baseline", 1, "--run", 2, "--permutations", 100)
    assert status == 0, err
    assert "A = run 2, B = run 1" in out
    assert "Spearman: " in out
    status, _, err = run("runs", "compare", *compared, "--baseline", 1, "--run", 9)
    assert (status, "Run 9 has no scores on this dimension." in err) == (2, True)


@pytest.mark.parametrize("ending", ["csv", "tex"])
def test_comparison_is_written_with_a_row_for_each_coefficient(
    run: Run, compared: tuple[str, ...], tmp_path: Path, ending: str
) -> None:
    written = tmp_path / f"compared.{ending}"
    status, _, err = run("runs", "compare", *compared, "--baseline", 1, "--permutations", 100, "--output", written)
    assert status == 0, err
    rows = [line for line in written.read_text(encoding="utf-8-sig").splitlines() if "run 2" in line]
    assert len(rows) == 3
