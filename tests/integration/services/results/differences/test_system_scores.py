"""Mean scores of systems, and the difference of two, as experts' answers correct the judge."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from app.domain.checklist_score import Answer
from app.domain.project import Dimension, Task, Text
from app.meta_evaluation.judges.difference import difference_verdict
from app.services.checklists.answer_draws import draw_texts
from app.services.results import run_comparison
from app.services.results.question_analysis import expert_side
from app.services.results.results import Choices, DimensionResult, cached_results
from app.services.results.run_comparison import system_scores as scores_of
from app.services.runtime.workbench import Workbench
from app.services.scoring.runs import RunOptions, start_run, work_on
from tests.support.answering import answer_all
from tests.support.projects import small_checklist

CHECKLIST, TEXTS = 1, 60


@pytest.fixture
def workbench(scored_by_rules: Callable[[int], Workbench]) -> Workbench:
    return scored_by_rules(TEXTS)


@pytest.fixture
def result(workbench: Workbench) -> DimensionResult:
    """Fifteen sources, each with a text of four systems; the judge finds nothing wrong with any."""
    (result,) = cached_results(workbench, [1], Choices("dataset"))
    return result


def _experts_mark_down(workbench: Workbench, result: DimensionResult, system: str) -> None:
    """They say no to the first question about each text of one system, and else what the judge says."""
    draw = draw_texts(workbench, CHECKLIST, TEXTS, seed=3)
    systems = {row.text: row.system_id for row in result.rows}
    with workbench.database.read() as work:
        questions = [question.id for question in work.checklists.get(CHECKLIST).asked]
    given = {
        (text, question): Answer.NO if place == 0 and systems[text] == system else Answer.YES
        for text in draw.texts
        for place, question in enumerate(questions)
    }
    answer_all(workbench, draw, "Ana", given)


def test_without_experts_the_judge_stands_alone(workbench: Workbench, result: DimensionResult) -> None:
    found = scores_of(workbench, result)
    assert found is not None
    assert [(each.system, each.n, each.n_human, each.estimate) for each in found.means] == [
        (f"s{n}", 15, 0, None) for n in range(4)
    ]
    apart = found.difference("s0", "s1")
    assert (apart.paired, apart.n, apart.judge_only.value, apart.corrected) == (True, 15, 0, None)


def test_experts_correct_each_system_and_pairs_of_them(workbench: Workbench, result: DimensionResult) -> None:
    _experts_mark_down(workbench, result, "s0")
    found = scores_of(workbench, result)
    assert found is not None
    s0, s1, *_ = found.means
    assert s0.estimate is not None
    assert s1.estimate is not None
    assert (s0.n_human, s0.estimate.human_only.value) == (15, pytest.approx(1 + 4 * 2 / 3))
    assert s0.estimate.bias == pytest.approx(4 / 3)
    assert s1.estimate.human_only.value == 5
    apart = found.difference("s0", "s1")
    assert (apart.paired, apart.n, apart.n_human) == (True, 15, 15)
    assert apart.corrected is not None
    assert apart.corrected.value == pytest.approx(-4 / 3)
    assert difference_verdict(apart).startswith("s1 is 1.33 higher than s0")


def test_probabilities_of_the_draw_are_passed_on(
    workbench: Workbench, result: DimensionResult, monkeypatch: pytest.MonkeyPatch
) -> None:
    _experts_mark_down(workbench, result, "s0")
    side = expert_side(workbench, result)
    assert side is not None
    chances = np.linspace(0.2, 0.9, TEXTS)
    chances[side.texts.index(result.rows[0].text)] = np.nan
    monkeypatch.setattr(run_comparison, "expert_side", lambda *_: replace(side, probability=chances))
    found = scores_of(workbench, result)
    assert found is not None
    assert found.means[0].n_human == 14, "a text that was never drawn by chance corrects nothing"
    assert all(each.estimate and each.estimate.weighted for each in found.means)
    assert not found.difference("s0", "s1").paired, "with which probability both were drawn is not known"


def test_one_system_is_not_compared(workbench: Workbench) -> None:
    with workbench.database.write() as work:
        project = work.projects.add("One", Task())
        dimension = work.projects.add_dimension(project.id, Dimension("order"))
        work.texts.add_many(project.id, [Text(f"d{n}", f"Text number {n}.", "only") for n in range(6)])
        small_checklist(work, dimension.id)
    run = start_run(workbench, project.id, RunOptions((dimension,), "rules"))
    work_on(workbench, run)
    (result,) = cached_results(workbench, [run], Choices("dataset"))
    assert run_comparison.counted_rows(result)
    assert scores_of(workbench, result) is None
