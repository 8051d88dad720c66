"""Definitions as in a paper at import, and how far ratings on dimensions go together."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from scipy import stats

from tests.support.small_project import OPTIONS, small_csv

Run = Callable[..., tuple[int, str, str]]


def test_import_takes_a_papers_definitions_of_the_dimensions_it_has(run: Run, tmp_path: Path) -> None:
    file = small_csv(tmp_path / "small.csv")
    options = [*OPTIONS, "--rating", "Warmth=c1"]
    assert run("import", file, "--project", "Small", *options, "--definitions", "gptscore")[0] == 0
    rubrics = {d["name"]: d["rubric"] for d in json.loads(run("dimension", "list", "--project", "Small", "--json")[1])}
    assert rubrics["coherence"].endswith("?")
    assert rubrics["Warmth"] == ""
    status, _, err = run("import", file, "--project", "Other", *options, "--definitions", "bleu")
    assert (status, "gptscore" in err) == (2, True)


def test_a_paper_that_defines_none_of_the_dimensions_is_refused(run: Run, tmp_path: Path) -> None:
    file = small_csv(tmp_path / "small.csv")
    options = ("--map", "text=text", "--rating", "Warmth=c1", "--definitions", "interacteval")
    assert run("import", file, "--project", "Small", *options)[0] == 2


def test_correlations_of_ratings_are_those_of_scipy(run: Run, tmp_path: Path) -> None:
    assert run("import", small_csv(tmp_path / "small.csv"), "--project", "Small", *OPTIONS)[0] == 0
    (found,) = json.loads(run("dimension", "correlations", "--project", "Small", "--json")[1])
    expected = stats.spearmanr([4.5, 3, 1.5] * 6, [5, 4, 2] * 6).statistic
    assert (found["first"], found["second"], found["n"]) == ("coherence", "fluency", 18)
    assert found["spearman"]["value"] == pytest.approx(expected)
    assert "coherence" in run("dimension", "correlations", "--project", "Small", "--level", "per-source")[1]


PAPER = """Text before.
| Dimension | Questions |
|---|---|
| Coherence |
- Does one sentence lead to the next?
- Is the order clear? - Does it avoid gaps? |
| Dimension | Questions |
| Fluency |
- Is each sentence whole? |
Text after | with | bars.
"""


def test_a_papers_checklist_is_imported_by_its_dimension(run: Run, tmp_path: Path) -> None:
    assert run("import", small_csv(tmp_path / "small.csv"), "--project", "Small", *OPTIONS)[0] == 0
    paper = tmp_path / "paper.txt"
    paper.write_text(PAPER, encoding="utf-8")
    here = ("--project", "Small", "--dimension", "coherence")
    assert run("checklist", "import", paper, *here, "--publish")[0] == 0
    shown = json.loads(run("checklist", "export", *here, "--format", "json")[1])
    assert [question["text"] for question in shown["questions"]] == [
        "Does one sentence lead to the next?",
        "Is the order clear?",
        "Does it avoid gaps?",
    ]
    status, _, err = run("checklist", "import", paper, "--project", "Small", "--dimension", "tone")
    assert (status, "fluency" in err) == (2, True)
