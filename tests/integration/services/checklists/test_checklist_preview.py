"""A trial answers as a run would, and leaves no result behind."""

import json

import pytest

from app.domain.checklist_score import Answer
from app.errors import NotFoundError, NotReadyError
from app.services.checklists.checklists import ChecklistView, new_draft, versions_of, view_checklist
from app.services.checklists.draft_edits import QuestionWording, edit_question, switch_question
from app.services.checklists.preview import (
    PreviewScore,
    drawn_text,
    judge_preview,
    preview_score,
    preview_text,
    preview_texts,
)
from app.services.runtime.workbench import Workbench
from app.services.scoring.runs import list_runs
from tests.support.fake_llm.behaviour import Answer as Reply
from tests.support.fake_llm.server import FakeLlm
from tests.support.projects import ready_to_score


@pytest.fixture
def view(workbench: Workbench) -> ChecklistView:
    """A draft of three questions, the first of which weighs 2."""
    dimension = ready_to_score(workbench)
    draft = new_draft(workbench, versions_of(workbench, dimension.id)[0].id)
    edit_question(workbench, draft.asked[0], QuestionWording(draft.asked[0].text, "Order", weight=2))
    return view_checklist(workbench, dimension.id)


def test_a_judge_answers_with_reasons_and_both_scores(workbench: Workbench, llm: FakeLlm, view: ChecklistView) -> None:
    answers = {f"q{n}": {"reason": f"because {n}", "answer": "no" if n == 2 else "yes"} for n in (1, 2, 3)}
    llm.script(Reply(json.dumps(answers)))
    trial = judge_preview(workbench, view, drawn_text(workbench, 1, 0), "llama:judge")
    said = [(trial.judgments[q.id].answer, trial.judgments[q.id].rationale) for q in view.checklist.asked]
    assert said == [(Answer.YES, "because 1"), (Answer.NO, "because 2"), (Answer.YES, "because 3")]
    assert trial.score == PreviewScore(equal=1 + 4 * 2 / 3, weighted=1 + 4 * 3 / 4, answered=3, asked=3)
    assert trial.model == "llama:judge"
    assert list_runs(workbench) == []


def test_the_same_trial_is_not_paid_twice(workbench: Workbench, llm: FakeLlm, view: ChecklistView) -> None:
    answers = {f"q{n}": {"reason": "so", "answer": "yes"} for n in (1, 2, 3)}
    llm.script(Reply(json.dumps(answers)))
    text = drawn_text(workbench, 1, 0)
    assert judge_preview(workbench, view, text, "llama:judge") == judge_preview(workbench, view, text, "llama:judge")
    assert len(llm.requests) == 1


def test_by_hand_what_is_left_open_counts_as_neither(view: ChecklistView) -> None:
    first, second, _ = (question.id for question in view.checklist.asked)
    assert preview_score(view, {first: Answer.YES, second: Answer.NO}) == PreviewScore(3.0, 1 + 4 * 2 / 3, 2, 3)
    assert preview_score(view, {}) == PreviewScore(None, None, 0, 3)


def test_texts_are_found_by_their_words_and_drawn_by_a_seed(workbench: Workbench, view: ChecklistView) -> None:
    assert [text.text for text in preview_texts(workbench, 1, "number 11")] == ["Text number 11."]
    drawn = {drawn_text(workbench, 1, seed).id for seed in range(20)}
    assert len(drawn) > 3
    assert drawn_text(workbench, 1, 7) == drawn_text(workbench, 1, 7)
    with pytest.raises(NotFoundError):
        preview_text(workbench, 1, 999)


def test_what_asks_nothing_is_said(workbench: Workbench, view: ChecklistView) -> None:
    for question in view.checklist.asked:
        switch_question(workbench, question.id, False)
    empty = view_checklist(workbench, view.dimension.id)
    with pytest.raises(NotReadyError, match="asks nothing"):
        judge_preview(workbench, empty, drawn_text(workbench, 1, 0), "rules")
    with pytest.raises(NotReadyError, match="no texts"):
        drawn_text(workbench, 2, 0)
