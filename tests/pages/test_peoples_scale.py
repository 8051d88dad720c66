"""Scores on people's scale: what the section says, and the file with both scores."""

import csv
import io
from collections.abc import Callable
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from app.services.results.raters import scores_on_rating_scale
from app.services.results.result_files import MAPPED, mapped_csv
from app.services.results.results import Choices, DimensionResult, results_of
from app.services.runtime.workbench import Workbench
from tests.support.result_screen import shown

FEW = Choices(resamples=100)


@pytest.fixture
def result(read_demo: Workbench) -> DimensionResult:
    return results_of(read_demo, 1, FEW)[0]


def strict(result: DimensionResult) -> DimensionResult:
    """A judge that agrees with people and is stricter by 0.9 points; one text is unrated."""
    rows = [replace(row, score=None if row.human is None else max(1.0, row.human - 0.9)) for row in result.rows]
    return replace(result, rows=(replace(rows[0], text=0, human=None), *rows))


def test_a_strict_judge_gets_a_map_and_both_scores_are_kept(read_demo: Workbench, result: DimensionResult) -> None:
    found = strict(result)
    scale = scores_on_rating_scale(read_demo, found)
    assert scale is not None
    assert scale.found.offered
    rows = list(csv.DictReader(io.StringIO(mapped_csv([(found, scale)]).decode("utf-8-sig"))))
    assert len(rows) == len(found.rows)
    for row, written in zip(found.rows, rows, strict=True):
        assert float(written["score"]) == pytest.approx(row.score)
        assert float(written[MAPPED]) == pytest.approx(scale.scores[row.text])
    assert rows[0]["human"] == "", "an unrated text is mapped too"


def test_what_is_no_better_is_not_offered(read_demo: Workbench, result: DimensionResult) -> None:
    scale = scores_on_rating_scale(read_demo, result)
    assert scale is not None
    assert not scale.found.offered
    assert "points" not in scale.found.to_json()
    assert scores_on_rating_scale(read_demo, replace(result, rows=result.rows[:30])) is None


def test_the_section_says_what_the_map_changes(read_demo: Workbench, open_results: Callable[..., AppTest]) -> None:
    app = open_results()
    app.session_state["unfolded_scale"] = True
    app.run()
    assert not app.exception
    assert "cross-fitted by source" in shown(app)
