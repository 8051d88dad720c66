import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from app.domain.checklist import Question
from app.domain.checklist_score import Answer, Judgment, checklist_score
from app.domain.project import Dimension, Task, Text
from app.errors import NotReadyError, WrongSchemaError
from app.evaluators.answer_reading import read_answers
from app.evaluators.checklist import ChecklistReply, judge, judge_request, judge_schema
from app.prompting import load_prompt
from app.providers.base import ChatReply, Usage
from tests.support.scripted_model import Scripted, ScriptedModel

QUESTIONS = [Question(f"Is point {n} met?", "Order", id=10 * n) for n in (1, 2, 3)]
ITEM = Text("doc", "The text itself.", source="The source.")
TASK, DIMENSION = Task("summary", "article"), Dimension("coherence", "Hangs together.")


def run(*replies: Scripted, questions: list[Question] | None = None) -> tuple[ChecklistReply, ScriptedModel]:
    model = ScriptedModel(replies)
    asked = QUESTIONS if questions is None else questions
    return asyncio.run(judge(model, TASK, DIMENSION, asked, ITEM)), model


def answers(judged: ChecklistReply) -> list[str]:
    return [judgment.answer.value for judgment in judged.judgments]


def test_the_schema_requires_every_answer_and_allows_nothing_else() -> None:
    validator = Draft202012Validator(judge_schema(2))
    assert validator.is_valid({"q1": "yes", "q2": "no"})
    wrong: list[dict[str, Any]] = [
        {},
        {"q1": "yes"},
        {"q1": "yes", "q2": "Yes"},
        {"q1": "yes", "q2": True},
        {"q1": "yes", "q2": None},
        {"q1": "yes", "q2": "no", "q3": "no"},
    ]
    assert [value for value in wrong if validator.is_valid(value)] == []


def test_the_request_holds_the_questions_in_the_constant_part_and_the_text_in_the_other() -> None:
    request = judge_request(load_prompt("judge-checklist"), TASK, DIMENSION, QUESTIONS, ITEM)
    assert "q3: Is point 3 met?" in request.prompt.system
    assert "The text itself." in request.prompt.user
    assert "The text itself." not in request.prompt.system
    assert request.prompt.variables["questions"][1] == {
        "key": "q2",
        "question": "Is point 2 met?",
        "guidance": "",
    }
    assert request.prompt.variables["item"] == {"source": "The source.", "text": "The text itself."}
    assert request.schema == judge_schema(3)
    assert request.temperature == 0


def test_guidance_reaches_the_judge_and_makes_it_another_request() -> None:
    template = load_prompt("judge-checklist")
    guided = [replace(QUESTIONS[0], guidance="One is enough."), *QUESTIONS[1:]]
    with_guidance = judge_request(template, TASK, DIMENSION, guided, ITEM)
    without = judge_request(template, TASK, DIMENSION, QUESTIONS, ITEM)
    assert "How to decide q1: One is enough." in with_guidance.prompt.system
    assert "How to decide" not in without.prompt.system
    assert with_guidance.digest("llama:judge") != without.digest("llama:judge")


def test_answers_come_back_under_the_questions_ids_with_their_reasons() -> None:
    reply = ChatReply('{"q3": "no", "q1": "yes", "q2": "yes"}', "rules", rationales={"q1": "it is", "q9": "?"})
    judged, _ = run(reply)
    assert judged.judgments == (
        Judgment(10, Answer.YES, "it is"),
        Judgment(20, Answer.YES),
        Judgment(30, Answer.NO),
    )


def test_a_missing_answer_is_asked_again() -> None:
    judged, model = run('{"q1": "yes", "q2": "no"}', '{"q1": "yes", "q2": "no", "q3": "no"}')
    assert answers(judged) == ["yes", "no", "no"]
    assert "lacks q3" in model.requests[1].turns[0].correction
    assert judged.reply.usage == Usage(20, 0, 10)


def test_answers_that_stay_missing_are_unanswered_never_no() -> None:
    judged, _ = run("gibberish", "{}", '{"q1": "yes", "q2": "not applicable"}')
    assert answers(judged) == ["yes", "unanswered", "unanswered"]
    score = checklist_score([judgment.answer for judgment in judged.judgments], 1, 5)
    assert (score.value, score.coverage) == (5.0, pytest.approx(1 / 3))


@pytest.mark.parametrize(
    "last",
    [
        "{}",
        "q1: Yes q2: No",
        '{"q1": "Yes", "q2": ["yes"], "q3": true}',
        '{"q1": "yes", "q1": "no"}',
        '{"q0": "yes", "q1": "no", "q2": "yes"}',  # counted from 0: its q1 answers another question
        '{"q1": "yes", "q2": "no", "q4": "yes"}',
    ],
)
def test_an_answer_without_any_valid_part_fails_by_name(last: str) -> None:
    with pytest.raises(WrongSchemaError):
        run("{}", "{}", last)


def test_reading_treats_anything_else_as_unanswered() -> None:
    reply = ChatReply("", "m", rationales={"q1": "because", "q2": "because"})
    read = read_answers({"q1": "no", "q2": "NO", "q3": {}}, reply, QUESTIONS)
    assert [(j.answer, j.rationale) for j in read] == [
        (Answer.NO, "because"),
        (Answer.UNANSWERED, ""),
        (Answer.UNANSWERED, ""),
    ]


def test_an_empty_checklist_is_said() -> None:
    with pytest.raises(NotReadyError, match="asks nothing"):
        run(questions=[])


def test_forty_questions_are_asked_in_one_call() -> None:
    questions = [Question(f"Question {n}?", "C", id=n) for n in range(1, 41)]
    reply = json.dumps({f"q{n}": "yes" if n % 2 else "no" for n in range(1, 41)})
    judged, model = run(reply, questions=questions)
    assert len(model.requests) == 1
    assert [j.question for j in judged.judgments if j.answer is Answer.YES] == list(range(1, 41, 2))
