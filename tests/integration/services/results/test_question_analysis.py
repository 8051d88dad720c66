"""Answers of a run, laid out for the analysis of its questions."""

from pathlib import Path

from app.domain.checklist import ChecklistStatus
from app.services.checklists.draft_edits import QuestionWording, edit_question, remove_question
from app.services.results.question_analysis import questions_of
from app.services.results.result_texts import draft_to_edit
from app.services.results.results import Choices, cached_results
from app.services.scoring.runs import RunOptions, start_run, work_on
from tests.support.projects import ready_to_score, workbench_at


def test_the_analysis_rests_on_the_texts_of_the_result(tmp_path: Path) -> None:
    bench = workbench_at(tmp_path)
    dimension = ready_to_score(bench, texts=40)
    work_on(bench, start_run(bench, 1, RunOptions((dimension,), "rules")))
    (result,) = cached_results(bench, [1], Choices("dataset", resamples=20))
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


def test_editing_a_question_of_a_published_version_starts_a_draft_and_then_stays_with_it(tmp_path: Path) -> None:
    bench = workbench_at(tmp_path)
    dimension = ready_to_score(bench)
    with bench.database.read() as work:
        asked = work.checklists.get(1).asked[1]
    draft, there = draft_to_edit(bench, dimension.id, asked)
    assert (draft.version, draft.status, draft.parent) == (2, ChecklistStatus.DRAFT, 1)
    assert (there.text, there in draft.asked) == (asked.text, True)
    assert draft_to_edit(bench, dimension.id, asked) == (draft, there)
    edit_question(bench, there, QuestionWording("Is the second part where it belongs?", "Order"))
    again, reworded = draft_to_edit(bench, dimension.id, asked)
    assert (again.version, reworded.id, reworded.text) == (2, there.id, "Is the second part where it belongs?")


def test_a_question_that_the_draft_no_longer_has_is_edited_in_a_draft_of_the_version_that_has_it(
    tmp_path: Path,
) -> None:
    bench = workbench_at(tmp_path)
    dimension = ready_to_score(bench)
    with bench.database.read() as work:
        asked = work.checklists.get(1).asked[1]
    _, there = draft_to_edit(bench, dimension.id, asked)
    remove_question(bench, there)
    draft, found = draft_to_edit(bench, dimension.id, asked)
    assert (draft.version, draft.parent, found.text) == (3, 1, asked.text)
