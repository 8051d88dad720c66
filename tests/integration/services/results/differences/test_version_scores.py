"""What another version of a checklist changed, by the same judge on the same texts."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from app.domain.checklist_score import Answer
from app.services.checklists.answer_draws import draw_texts
from app.services.results.results import Choices, DimensionResult, cached_result
from app.services.results.run_comparison import other_versions, version_difference
from app.services.runtime.workbench import Workbench
from app.services.scoring.runs import RunOptions, start_run, work_on
from tests.support.answering import answer_all
from tests.support.prepared import Prepared, prepared
from tests.support.projects import ready_to_score, small_checklist, workbench_at

TEXTS = 24


def _scored_in_two_versions(workbench: Workbench) -> None:
    """The first version has three questions and two runs, the second two questions and one run."""
    dimension = ready_to_score(workbench, texts=TEXTS)
    for _ in range(2):
        work_on(workbench, start_run(workbench, 1, RunOptions((dimension,), "rules")))
    with workbench.database.write() as work:
        small_checklist(work, dimension.id, questions=2)
    work_on(workbench, start_run(workbench, 1, RunOptions((dimension,), "rules")))


@pytest.fixture(scope="module")
def in_two_versions() -> Prepared[None]:
    """Made once; each test has a copy."""
    return prepared(_scored_in_two_versions)


@pytest.fixture
def workbench(in_two_versions: Prepared[None], tmp_path: Path) -> Iterator[Workbench]:
    in_two_versions.copy(tmp_path)
    made = workbench_at(tmp_path)
    yield made
    made.database.close()


@pytest.fixture
def newer(workbench: Workbench) -> DimensionResult:
    """The result of the second version."""
    found = cached_result(workbench, 3, 1, Choices("dataset"))
    assert found is not None
    assert found.version == 2
    return found


def _answers(workbench: Workbench, checklist: int, last: Answer) -> None:
    """One expert says yes to all but the last question."""
    draw = draw_texts(workbench, checklist, TEXTS, seed=3)
    with workbench.database.read() as work:
        questions = [question.id for question in work.checklists.get(checklist).asked]
    said = dict.fromkeys(questions, Answer.YES) | {questions[-1]: last}
    answer_all(workbench, draw, "Ana", {(text, question): said[question] for text in draw.texts for question in said})


def test_the_newest_run_of_each_other_version_is_there(workbench: Workbench, newer: DimensionResult) -> None:
    (other,) = other_versions(workbench, 1, newer)
    assert (other.version, other.run.id) == (1, 2)
    apart = version_difference(workbench, replace(newer, rows=newer.rows[:1]), other)
    assert (apart.texts, apart.difference) == (1, None)
    first = cached_result(workbench, 1, newer.dimension.id)
    assert first is not None
    assert [(each.version, each.run.id) for each in other_versions(workbench, 1, first)] == [(2, 3)]


def test_what_is_missing_is_said_and_the_judge_stands_alone(workbench: Workbench, newer: DimensionResult) -> None:
    _answers(workbench, 1, Answer.NO)
    (other,) = other_versions(workbench, 1, newer)
    found = version_difference(workbench, newer, other)
    assert found.texts == TEXTS
    assert found.difference is not None
    assert (found.difference.judge_only.value, found.difference.corrected) == (0, None)
    assert "answered every question of Version 2 on 0." in found.missing


def test_experts_who_answered_both_versions_correct_the_difference(
    workbench: Workbench, newer: DimensionResult
) -> None:
    """No to one of three questions is 1 + 4 * 2 / 3, to one of two 3."""
    _answers(workbench, 1, Answer.NO)
    _answers(workbench, 2, Answer.NO)
    (other,) = other_versions(workbench, 1, newer)
    found = version_difference(workbench, newer, other)
    assert found.missing == ""
    assert found.difference is not None
    assert found.difference.human_only is not None
    assert found.difference.human_only.value == pytest.approx(3 - (1 + 4 * 2 / 3))
    assert (found.difference.paired, found.difference.n_human, found.difference.documents) == (True, TEXTS, 6)
    assert found.difference.a == "Version 2"
