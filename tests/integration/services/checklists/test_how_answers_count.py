"""Questions of which a yes is bad, required ones and thresholds of a grade, from the draft to the score."""

import json

import numpy as np
import pytest

from app.domain.checklist import Checklist, Question
from app.domain.project import Dimension
from app.domain.version_changes import DiffKind, compare_checklists
from app.errors import InputError
from app.services.checklists.checklists import get_checklist, hints_of, new_draft, publish, versions_of, view_checklist
from app.services.checklists.draft_edits import QuestionWording, edit_question, history_of, undo
from app.services.checklists.question_proposals import propose_validation
from app.services.results.results import Choices, results_of
from app.services.results.rubric_xray import experts_inconsistent, rubric_xray
from app.services.runtime.workbench import Workbench
from app.services.scoring.runs import RunOptions, start_run, work_on
from tests.support.fake_llm.behaviour import Answer as Reply
from tests.support.fake_llm.server import FakeLlm
from tests.support.projects import ready_to_score


@pytest.fixture
def dimension(workbench: Workbench) -> Dimension:
    return ready_to_score(workbench, texts=4, questions=4)


@pytest.fixture
def draft(workbench: Workbench, dimension: Dimension) -> Checklist:
    return new_draft(workbench, versions_of(workbench, dimension.id)[0].id)


def marked(workbench: Workbench, draft: Checklist, place: int, **marks: object) -> None:
    question = draft.asked[place]
    wording = QuestionWording(question.text, question.component, **marks)  # type: ignore[arg-type]
    edit_question(workbench, question, wording)


def test_marks_are_edits_that_can_be_undone(workbench: Workbench, draft: Checklist) -> None:
    marked(workbench, draft, 0, must_not=True, cap=2, grade=" clear  enough ")
    (first, *_) = get_checklist(workbench, draft.id).asked
    assert (first.must_not, first.cap, first.grade) == (True, 2.0, "clear enough")
    (change,) = compare_checklists(draft, get_checklist(workbench, draft.id)).questions
    assert change.kinds == (DiffKind.COUNTS,)
    undo(workbench, draft.id, history_of(workbench, draft.id)[0].id)
    assert get_checklist(workbench, draft.id).asked == draft.asked


def test_a_cap_outside_of_the_scale_and_a_grade_of_one_or_four_are_refused(
    workbench: Workbench, draft: Checklist
) -> None:
    for cap in (0.5, 5, float("nan")):
        with pytest.raises(InputError):
            marked(workbench, draft, 0, cap=cap)
    for place in range(4):
        marked(workbench, draft, place, grade="clear")
        if place in (0, 3):
            with pytest.raises(InputError, match="clear"):
                publish(workbench, draft.id)


def test_scores_follow_and_the_judge_is_asked_the_same(
    workbench: Workbench, llm: FakeLlm, dimension: Dimension, draft: Checklist
) -> None:
    answers = [
        ("yes", "yes", "yes", "yes"),
        ("no", "no", "yes", "no"),
        ("no", "yes", "no", "yes"),
        ("no", "yes", "", ""),
    ]
    replies = [Reply(json.dumps({f"q{n}": said for n, said in enumerate(given, start=1) if said})) for given in answers]
    before = sent(workbench, llm, dimension, replies)
    marked(workbench, draft, 0, must_not=True)
    marked(workbench, draft, 1, cap=2)
    for place in (2, 3):
        marked(workbench, draft, place, grade="clear")
    publish(workbench, draft.id)
    assert sent(workbench, llm, dimension, replies) == before
    (result,) = results_of(workbench, 2, Choices("dataset", resamples=50))
    # Points of three: the first and the last two, which are one.
    assert [row.score for row in result.rows] == pytest.approx([1 + 4 * 2 / 3, 2, 1 + 4 * 2.5 / 3, 5])
    xray = rubric_xray(workbench, result)
    assert xray is not None
    assert xray.inconsistent == (1, 1)
    assert xray.inconsistent_experts is None, "nobody answered"


def test_pairs_that_contradict_in_answers_of_experts_are_counted() -> None:
    asked = [
        Question("Is it long?", "A", id=1),
        *(Question(f"At least {n}?", "A", id=n, grade="clear") for n in (2, 3)),
    ]
    people = np.array([[[1, 0, 1], [0, 1, 0], [1, 0, 1]], [[0, 0, 1], [1, 1, 1], [np.nan, np.nan, 1]]], dtype=float)
    assert experts_inconsistent(asked, people) == (3, 2), "pairs of each expert, texts"
    assert experts_inconsistent(asked, np.full((0, 3, 3), np.nan)) is None


def sent(workbench: Workbench, llm: FakeLlm, dimension: Dimension, replies: list[Reply]) -> list[object]:
    llm.script(*replies, *[replies[-1]] * 2)  # the last leaves questions open, and is asked again
    llm.requests.clear()
    run = start_run(workbench, 1, RunOptions((dimension,), "llama:judge", use_cache=False, reuse=False))
    work_on(workbench, run, concurrency=1)
    return [request.body for request in llm.requests]


def test_the_validator_leaves_marked_questions_alone(
    workbench: Workbench, llm: FakeLlm, dimension: Dimension, draft: Checklist
) -> None:
    question = draft.asked[0]
    edit_question(workbench, question, QuestionWording("Does it contain errors?", question.component, must_not=True))
    assert question.id not in hints_of(workbench, view_checklist(workbench, dimension.id))
    listed = [{"sources": [n], "question": q.text, "reason": ""} for n, q in enumerate(draft.asked[1:], start=1)]
    llm.script(Reply(json.dumps({"questions": listed, "dropped": []})))
    llm.requests.clear()
    assert propose_validation(workbench, draft.id, "llama:judge") == 0
    assert "contain errors" not in json.dumps(llm.requests[-1].body)
