"""The examples in docs/examples do what they say, as somebody starts them who has nothing but the program."""

import csv
import json
import os
import sys
from pathlib import Path

import pytest

from tests.support.made_data import made_data
from tests.support.notebook import cells_of, run_example, run_notebook
from tests.support.repository import ROOT

pytestmark = pytest.mark.long

EXAMPLES = ROOT / "docs" / "examples"
NOTEBOOK = EXAMPLES / "agreement.ipynb"
SUMMEVAL = "summeval_model_annotations.aligned.paired.jsonl"


@pytest.fixture
def environment() -> dict[str, str]:
    """The program beside this Python is the one that is found, with the code beside these tests."""
    beside = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    code = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH", ""))))
    return {"PATH": beside, "PYTHONPATH": code}


@pytest.mark.slow
def test_the_walk_in_a_terminal_ends_with_a_checklist_and_figures(tmp_path: Path, environment: dict[str, str]) -> None:
    said = run_example(["sh", str(EXAMPLES / "terminal.sh")], tmp_path, environment)
    made = tmp_path / "example"
    assert "Order" in said
    assert "<html" in (made / "checklist.html").read_text(encoding="utf-8")
    (result,) = json.loads((made / "results.json").read_text(encoding="utf-8"))
    assert (result["dimension"], result["judge"]) == ("Order", "rules")
    assert result["groups_used"] == result["groups_all"] == 4
    assert result["spearman"]["low"] is not None
    assert "Spearman" in said, "it ends with the figures"
    with (made / "scores.csv").open(encoding="utf-8") as file:
        assert {row["dimension"] for row in csv.DictReader(file)} == {"Order"}


@pytest.mark.slow
def test_the_notebook_runs_without_summeval(tmp_path: Path, environment: dict[str, str]) -> None:
    """It compares the figure that it works out by hand with the one that the workbench says."""
    said = run_notebook(NOTEBOOK, tmp_path, environment)
    assert said.rstrip().endswith("There is no SummEval here.")


@pytest.mark.slow
def test_the_notebook_takes_a_slice_of_summeval(tmp_path: Path, environment: dict[str, str]) -> None:
    said = run_notebook(NOTEBOOK, tmp_path, environment | {"SUMMEVAL": str(made_data(SUMMEVAL))})
    assert " texts; " in said.splitlines()[-1]
    assert said.rstrip().endswith("over 5 sources")


@pytest.mark.slow
def test_the_notebook_judges_without_a_project_or_a_key(tmp_path: Path, environment: dict[str, str]) -> None:
    said = run_notebook(EXAMPLES / "judge.ipynb", tmp_path, environment)
    assert said.rstrip().endswith("over 4 texts")


@pytest.mark.parametrize("notebook", sorted(EXAMPLES.glob("*.ipynb")), ids=lambda path: path.stem)
def test_no_output_is_kept_with_a_notebook(notebook: Path) -> None:
    code = [cell for cell in cells_of(notebook) if cell["cell_type"] == "code"]
    assert len(code) > 2
    assert [cell for cell in code if cell["outputs"] or cell["execution_count"] is not None] == []
