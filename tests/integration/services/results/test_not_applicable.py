"""“Does not apply” from the draft to the figures: asked, answered, reused, counted apart and agreed upon."""

import json
import re
from collections.abc import Mapping
from io import BytesIO
from typing import Any

import pandas as pd
import pytest

from app.domain.checklist_score import Answer
from app.domain.project import Dimension
from app.domain.version_changes import compare_checklists
from app.errors import InputError
from app.services.checklists.answer_draws import draw_texts
from app.services.checklists.answer_files import answers_csv, import_answers
from app.services.checklists.assignments import progress
from app.services.checklists.checklist_files import export_file, import_checklist_file
from app.services.checklists.checklists import new_draft, publish, versions_of, view_checklist
from app.services.checklists.draft_edits import QuestionWording, edit_question, history_of, undo
from app.services.checklists.expert_answers import answer, expert_answers
from app.services.results.corrected_shares import corrected_shares
from app.services.results.question_analysis import asked_of_experts, questions_of
from app.services.results.result_texts import question_shares, run_counts
from app.services.results.results import results_of
from app.services.runtime.workbench import Workbench
from app.services.scoring.runs import RunOptions, start_run, work_on
from tests.support.fake_llm.behaviour import Answer as Reply
from tests.support.fake_llm.behaviour import all_yes
from tests.support.fake_llm.server import FakeLlm, Usual
from tests.support.projects import ready_to_score

JUDGE = "llama:judge"
TEXTS, QUESTIONS = 8, 3


def where_it_may(schema: Mapping[str, Any] | None) -> str:
    """ "does not apply" wherever it is offered, else yes."""
    answers = (schema or {}).get("properties", {})
    return json.dumps({key: "does not apply" if len(one["enum"]) > 2 else "yes" for key, one in answers.items()})


@pytest.fixture
def usual() -> Usual:
    return Reply(all_yes)


@pytest.fixture
def dimension(workbench: Workbench) -> Dimension:
    return ready_to_score(workbench, TEXTS, QUESTIONS)


def allow(workbench: Workbench, dimension: Dimension, *places: int) -> int:
    """The id of a new published version in which these questions may not apply."""
    draft = new_draft(workbench, versions_of(workbench, dimension.id)[0].id)
    for place in places:
        question = draft.asked[place]
        edit_question(
            workbench, question, QuestionWording(question.text, question.component, may_not_apply=True), "Ana"
        )
    return publish(workbench, draft.id).id


def scored(workbench: Workbench, dimension: Dimension) -> int:
    run_id = start_run(workbench, 1, RunOptions((dimension,), JUDGE))
    work_on(workbench, run_id)
    return run_id


def test_allowing_it_is_an_edit_like_others(workbench: Workbench, dimension: Dimension) -> None:
    before = versions_of(workbench, dimension.id)[0]
    draft = new_draft(workbench, before.id)
    question = draft.asked[1]
    edit_question(workbench, question, QuestionWording(question.text, question.component, may_not_apply=True), "Ana")
    view = view_checklist(workbench, dimension.id)
    assert [q.may_not_apply for q in view.checklist.asked] == [False, True, False]
    assert str(compare_checklists(before, view.checklist)) == "1 allowed not to apply"
    for format_name in ("json", "yaml", "csv"):
        file = export_file(workbench, view, format_name)
        again = import_checklist_file(workbench, dimension.id, file, f"c.{format_name}").checklist
        assert [q.may_not_apply for q in again.asked] == [False, True, False]
    assert b"does not apply" in export_file(workbench, view, "promptfoo")
    (change,) = history_of(workbench, draft.id)
    assert (change.who, change.what) == ("Ana", "changed whether a question may not apply")
    undo(workbench, draft.id, change.id, "Ana")
    with workbench.database.read() as work:
        assert not any(q.may_not_apply for q in work.checklists.get(draft.id).asked)


def test_only_the_question_that_may_now_not_apply_is_asked_again(
    workbench: Workbench, llm: FakeLlm, dimension: Dimension
) -> None:
    scored(workbench, dimension)
    allow(workbench, dimension, 1)
    llm.usual = Reply(where_it_may)
    before = len(llm.requests)
    run = scored(workbench, dimension)
    asked = [json.dumps(request.body).replace("\\n", "\n") for request in llm.requests[before:]]
    assert [len(re.findall(r"^q\d+: ", body, re.M)) for body in asked] == [1] * TEXTS
    with workbench.database.read() as work:
        rows = work.results.scored(run, dimension.id)
        assert {(row.score, row.coverage) for row in rows} == {(5.0, 1.0)}
    allow(workbench, dimension)
    before = len(llm.requests)
    scored(workbench, dimension)
    assert len(llm.requests) == before, "what didn't apply in the version before counts again"


def test_it_is_counted_apart_and_a_text_where_nothing_applies_has_no_score(
    workbench: Workbench, llm: FakeLlm, dimension: Dimension
) -> None:
    allow(workbench, dimension, 0, 1, 2)
    llm.usual = Reply(where_it_may)
    run = scored(workbench, dimension)
    assert run_counts(workbench, run)["coherence"] == {
        "scored": TEXTS,
        "failed": 0,
        "unanswered": 0,
        "coverage": 1.0,
        "does_not_apply": 3 * TEXTS,
        "nothing_applies": TEXTS,
    }
    with workbench.database.read() as work:
        assert all(row.nothing_applies and not row.counts(True) for row in work.results.scored(run, dimension.id))
    (result,) = [each for each in results_of(workbench, run) if each.dimension.id == dimension.id]
    assert (result.nothing_applies, result.to_json()["nothing_applies"]) == (TEXTS, TEXTS)
    assert any(f"No question applies to {TEXTS} of the texts" in said for said in result.meta.cautions)
    shares = question_shares(workbench, run, dimension.id)
    assert [(s.yes_share, s.not_applicable, s.unanswered) for s in shares] == [(None, TEXTS, 0)] * 3


def test_a_judge_that_can_not_tell_is_asked_once_and_counted_apart_from_failures(
    workbench: Workbench, llm: FakeLlm, dimension: Dimension
) -> None:
    llm.usual = Reply(lambda _: '{"q1": "yes", "q2": "not enough information", "q3": "no"}')
    run = scored(workbench, dimension)
    assert len(llm.requests) == TEXTS
    counts = run_counts(workbench, run)["coherence"]
    assert (counts["failed"], counts["unanswered"], counts["cannot_tell"]) == (0, TEXTS, TEXTS)
    assert "does_not_apply" not in counts
    assert [share.cannot_tell for share in question_shares(workbench, run, dimension.id)] == [0, TEXTS, 0]


def test_experts_give_it_by_hand_and_by_file_where_the_question_allows_it(
    workbench: Workbench, dimension: Dimension
) -> None:
    version = allow(workbench, dimension, 1)
    draw = draw_texts(workbench, version, 2, seed=1)
    first, second, _ = (q.id for q in expert_answers(workbench, version).checklist.asked)
    answer(workbench, draw, "Ana", draw.texts[0], second, Answer.NOT_APPLICABLE)
    with pytest.raises(InputError, match="doesn't allow"):
        answer(workbench, draw, "Ana", draw.texts[0], first, Answer.NOT_APPLICABLE)
    assert b"does not apply" in answers_csv(workbench, version)
    sheet = pd.read_csv(BytesIO(answers_csv(workbench, version, "Ben")), dtype=str, keep_default_na=False)
    filled = sheet.assign(answer="N/A").to_csv(index=False)
    found = import_answers(workbench, version, filled.encode(), "ben.csv")
    assert (found.kept, len(found.skipped)) == (2, 4)
    assert {reason for _, reason in found.skipped} == {
        "This question doesn't allow “does not apply”; answer yes, no or skip."
    }
    assert [(one.expert, one.does_not_apply, one.skipped) for one in progress(expert_answers(workbench, version))] == [
        ("Ana", 1, 0),
        ("Ben", 2, 0),
    ]


def test_agreement_on_it_has_its_own_figure_and_yes_and_no_leave_it_out(
    workbench: Workbench, llm: FakeLlm, dimension: Dimension
) -> None:
    version = allow(workbench, dimension, 1)
    llm.usual = Reply(where_it_may)
    run = scored(workbench, dimension)
    draw = draw_texts(workbench, version, 6, seed=1)
    first, second, third = (q.id for q in expert_answers(workbench, version).checklist.asked)
    for expert in ("Ana", "Ben"):
        for place, text in enumerate(draw.texts):
            for question in (first, third):
                answer(workbench, draw, expert, text, question, Answer.NO if place % 2 else Answer.YES)
            answer(workbench, draw, expert, text, second, Answer.YES if place < 2 else Answer.NOT_APPLICABLE)
    (result,) = [each for each in results_of(workbench, run) if each.dimension.id == dimension.id]
    found = asked_of_experts(workbench, result)
    assert found is not None
    ((question, agreed),) = found.applicability
    assert question.id == second
    assert (agreed.people_share, agreed.people_n) == (pytest.approx(8 / 12), 12)
    assert (agreed.judge_share, agreed.judge_n, agreed.people.value) == (1.0, 6, pytest.approx(1.0))
    assert agreed.judge.n == 6
    assert found.questions[1][1].people.n == 2, "yes and no are compared where it applies"
    corrected = corrected_shares(workbench, result)
    assert corrected is not None
    assert corrected.questions[1].estimate is None
    analysed = questions_of(workbench, result)
    assert analysed is not None
    item = analysed.analysis.items[1]
    assert (item.n, item.n_undefined) == (0, 0)
    assert item.n_inapplicable == len(result.compared)
