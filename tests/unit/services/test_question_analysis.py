"""Answers of a run, laid out for the analysis of its questions."""

from pathlib import Path

import numpy as np

from app.domain.checklist import ChecklistStatus
from app.services.checklists import new_draft
from app.services.question_analysis import majority_of, questions_of
from app.services.result_texts import version_to_edit
from app.services.results import Choices, kept_results
from app.services.scoring import RunOptions, start_run, work_on
from tests.support.projects import ready_to_score, workbench_at

NAN = np.nan


def test_the_analysis_rests_on_the_texts_of_the_result(tmp_path: Path) -> None:
    bench = workbench_at(tmp_path)
    dimension = ready_to_score(bench, texts=40)
    work_on(bench, start_run(bench, 1, RunOptions((dimension,), "rules")))
    (result,) = kept_results(bench, 1, Choices("dataset", resamples=20))
    found = questions_of(bench, result)
    assert found is not None
    assert found.texts == len(result.compared)
    assert [question.id for question in found.questions] == [1, 2, 3]
    with bench.database.read() as work:
        counts = work.results.answer_counts(1, dimension.id)
    for question, item in zip(found.questions, found.analysis.items, strict=True):
        yes = counts[question.id].get("yes", 0)  # type: ignore[call-overload]
        assert item.yes_share == yes / item.n
    assert questions_of(bench, result) is found


def test_repeats_count_by_majority() -> None:
    cube = np.array([[[1.0, 0]], [[1.0, 1]], [[0.0, NAN]]])
    assert majority_of(cube)[0, 0] == 1
    assert np.isnan(majority_of(cube)[0, 1])


def test_a_question_is_edited_in_the_newest_draft_that_asks_it(tmp_path: Path) -> None:
    bench = workbench_at(tmp_path)
    dimension = ready_to_score(bench)
    with bench.database.read() as work:
        asked = work.checklists.get(1).asked[0]
    assert version_to_edit(bench, dimension.id, asked) == (1, asked)
    new_draft(bench, 1)
    version, there = version_to_edit(bench, dimension.id, asked)
    with bench.database.read() as work:
        draft = work.checklists.find(dimension.id, version)
    assert draft is not None
    assert draft.status is ChecklistStatus.DRAFT
    assert (there.text, there in draft.asked) == (asked.text, True)
