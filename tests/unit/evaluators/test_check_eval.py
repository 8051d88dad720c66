"""CheckEval followed through its four stages and the share of yes."""

import asyncio
import json
from typing import Any

import pytest

from app.domain.checklist import Checklist, ChecklistStatus, Question
from app.domain.checklist_score import Evaluation
from app.domain.project import Dimension, Task, Text
from app.errors import NotReadyError
from app.evaluators.check_eval import METHOD, CheckEval
from app.evaluators.method import EvaluatorContext
from tests.support.scripted_model import Scripted, ScriptedModel

SEEDS = json.dumps(
    {"sub_aspects": [{"name": "Order", "questions": ["Is it in order?"]}, {"name": "Links", "questions": ["Linked?"]}]}
)


def more(*entries: tuple[int, str]) -> str:
    return json.dumps({"questions": [{"sub_aspect": place, "question": text} for place, text in entries]})


WIDER = more((1, "Does time run forward?"), (2, " linked? "))  # the second is there already
FINER = more((2, "Does each sentence follow from the one before?"))
KEEP = '{"keep": [1, 3, 4]}'
ITEM = Text("d", "The ferry sails.", source="A timetable.")


def scored(*replies: Scripted, checklist: Checklist | None = None, **given: Any) -> tuple[Evaluation, ScriptedModel]:
    model = ScriptedModel(replies)
    options = METHOD.read_options(given)
    evaluator = CheckEval(
        EvaluatorContext(model, Task("summary"), Dimension("coherence", "Parts fit."), options, checklist)
    )
    return asyncio.run(evaluator.score(ITEM)), model


def test_seeds_are_widened_refined_filtered_and_answered() -> None:
    found, model = scored(SEEDS, WIDER, FINER, KEEP, '{"q1": "yes", "q2": "no", "q3": "yes"}')
    assert [request.prompt.name for request in model.requests] == [
        *("check-eval-seeds", "check-eval-diversify", "check-eval-elaborate", "check-eval-filter", "judge-checklist")
    ]
    assert model.requests[1].prompt.variables["sub_aspects"][0] == {
        "id": 1,
        "name": "Order",
        "questions": ["Is it in order?"],
    }
    assert [entry["question"] for entry in model.requests[3].prompt.variables["questions"]] == [
        *("Is it in order?", "Does time run forward?", "Linked?", "Does each sentence follow from the one before?")
    ]
    asked = [entry["question"] for entry in model.requests[4].prompt.variables["questions"]]
    assert asked == ["Is it in order?", "Linked?", "Does each sentence follow from the one before?"]
    assert found.value == pytest.approx(1 + 4 * 2 / 3)  # 2 yes of 3
    assert found.coverage == 1
    assert found.details["answers"][1] == {"question": "Linked?", "answer": "no"}


def test_what_is_not_answered_is_no_no() -> None:
    partial = '{"q1": "yes", "q2": "yes"}'
    found, _ = scored(SEEDS, WIDER, FINER, KEEP, partial, partial, partial)
    assert (found.value, found.coverage) == (5.0, pytest.approx(2 / 3))
    assert found.details["answers"][2]["answer"] == "unanswered"


def test_a_number_nobody_gave_is_asked_again() -> None:
    found, model = scored(SEEDS, more((3, "Where?")), WIDER, FINER, '{"keep": []}', '{"keep": [1]}', '{"q1": "no"}')
    assert found.value == 1
    assert "numbered 1 to 2" in model.requests[2].turns[0].correction
    assert "at least one" in model.requests[5].turns[0].correction


def test_seeds_can_be_a_persons_key_questions() -> None:
    questions = (
        Question("Does it begin at the beginning?", "Order", key_question="Is it in order?", id=1),
        Question("Does it end at the end?", "Order", key_question="Is it in order?", id=2),
    )
    checklist = Checklist("coherence", 1, ChecklistStatus.PUBLISHED, "comb", "", questions=questions)
    found, model = scored(more(), more(), '{"keep": [1]}', '{"q1": "yes"}', checklist=checklist, seeds="checklist")
    assert found.value == 5
    assert model.requests[0].prompt.variables["sub_aspects"] == [
        {"id": 1, "name": "Order", "questions": ["Is it in order?"]}
    ]
    with pytest.raises(NotReadyError, match="no published checklist"):
        scored(seeds="checklist")
