"""A draft tried on texts that a run scored: asked as a run would ask, and nothing of it counts."""

import json
import re
from collections.abc import Mapping
from typing import Any

import pytest

from app.domain.project import Dimension
from app.errors import InputError, NotReadyError, ProviderError
from app.services.checklists.checklists import ChecklistView, new_draft, versions_of, view_checklist
from app.services.checklists.draft_edits import QuestionWording, edit_question, switch_question
from app.services.improvement.draft_trial import try_draft
from app.services.results.results import cached_results
from app.services.runtime.workbench import Workbench
from app.services.scoring.runs import RunOptions, list_runs, start_run, work_on
from tests.support.fake_llm.behaviour import Answer, Status, all_yes
from tests.support.fake_llm.server import FakeLlm, Usual
from tests.support.projects import ready_to_score

JUDGE, TEXTS, QUESTIONS = "llama:judge", 6, 4


def all_no(schema: Mapping[str, Any] | None) -> str:
    return json.dumps(dict.fromkeys((schema or {}).get("required", ()), "no"))


@pytest.fixture
def usual() -> Usual:
    return Answer(all_yes)


@pytest.fixture
def dimension(workbench: Workbench) -> Dimension:
    return ready_to_score(workbench, TEXTS, QUESTIONS)


def scored(workbench: Workbench, dimension: Dimension, judge: str = JUDGE, **options: Any) -> int:
    run = start_run(workbench, 1, RunOptions((dimension,), judge, **options))
    work_on(workbench, run)
    return run


def draft_of(workbench: Workbench, dimension: Dimension, reworded: int = 1) -> ChecklistView:
    draft = new_draft(workbench, versions_of(workbench, dimension.id)[0].id)
    for question in draft.asked[:reworded]:
        edit_question(workbench, question, QuestionWording(f"{question.text} Really?", question.component))
    return view_checklist(workbench, dimension.id, draft.version)


def test_only_what_changed_is_asked_and_both_scores_stand_beside_people(
    workbench: Workbench, llm: FakeLlm, dimension: Dimension
) -> None:
    run = scored(workbench, dimension)
    rows = cached_results(workbench, [run])[0].rows
    view, before = draft_of(workbench, dimension), len(llm.requests)
    llm.usual = Answer(all_no)
    wanted = [rows[3].text, rows[0].text, rows[5].text]
    trial = try_draft(workbench, view, run, wanted)
    assert [text.row.text for text in trial.texts] == wanted
    assert {text.before for text in trial.texts} == {5.0}
    assert {text.after for text in trial.texts} == {4.0}  # three of four are a yes, as before
    asked = [len(re.findall(r"^q\d+: ", json.dumps(r.body).replace("\\n", "\n"), re.M)) for r in llm.requests[before:]]
    assert asked == [1, 1, 1]
    people = [4.0, 1.0, 1.0]
    assert [text.human for text in trial.texts] == people
    assert trial.distance == (pytest.approx(3.0), pytest.approx(2.0))
    assert trial.moved == (3, 0, 0)
    assert len(list_runs(workbench)) == 1
    assert cached_results(workbench, [run])[0].rows == rows, "nothing of it counts"


def test_texts_without_a_score_are_counted(workbench: Workbench, llm: FakeLlm, dimension: Dimension) -> None:
    run = scored(workbench, dimension)
    texts = [row.text for row in cached_results(workbench, [run])[0].rows]
    view = draft_of(workbench, dimension)
    llm.usual = lambda received: Status(400) if "Text number 0." in json.dumps(received.body) else Answer(all_no)
    trial = try_draft(workbench, view, run, texts[:2])
    assert (trial.failed, len(trial.scored)) == (1, 1)
    assert trial.why
    llm.usual = Status(400)
    with pytest.raises(ProviderError):
        try_draft(workbench, draft_of(workbench, dimension, 2), run, texts[:2])


def test_what_cannot_be_tried_says_why(workbench: Workbench, llm: FakeLlm, dimension: Dimension) -> None:
    run = scored(workbench, dimension)
    metric = scored(workbench, dimension, evaluator="llm-score")
    view = draft_of(workbench, dimension)
    texts = [row.text for row in cached_results(workbench, [run])[0].rows]
    with pytest.raises(NotReadyError, match="None of these texts"):
        try_draft(workbench, view, run, [9999])
    with pytest.raises(InputError, match="asked no checklist"):
        try_draft(workbench, view, metric, texts)
    for question in view.checklist.asked:
        switch_question(workbench, question.id, False)
    with pytest.raises(NotReadyError, match="asks nothing"):
        try_draft(workbench, view_checklist(workbench, dimension.id, view.checklist.version), run, texts)
