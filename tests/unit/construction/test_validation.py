import asyncio
import json
from typing import Any

import pytest

from app.construction.stage import StageContext
from app.construction.validation import ValidationChange, validate_questions
from app.domain.checklist import Question
from app.errors import NotReadyError, WrongSchemaError
from tests.support.scripted_model import ScriptedModel

FIRST = Question("Is it in order?", "Order", key_question="K1", attributes=(101, 102), position=0)
SECOND = Question("Is the order right?", "Order", key_question="K1", attributes=(102, 103), position=1)
THIRD = Question("Is it not unlinked?", "Links", key_question="K2", attributes=(104,), position=2)
FOURTH = Question("Is it funny?", "Links", key_question="K2", attributes=(104, 105), position=3)
QUESTIONS = [FIRST, SECOND, THIRD, FOURTH]


def reviewed(*entries: tuple[list[int], str, str], dropped: dict[int, str] | None = None) -> str:
    return json.dumps(
        {
            "questions": [{"sources": s, "question": q, "reason": r} for s, q, r in entries],
            "dropped": [{"question": number, "reason": reason} for number, reason in (dropped or {}).items()],
        }
    )


def run(context: StageContext, *replies: str) -> Any:
    model = ScriptedModel(replies)
    return asyncio.run(validate_questions(model, context, QUESTIONS)), model


def kinds(changes: tuple[ValidationChange, ...]) -> list[str]:
    return [change.kind.value for change in changes]


def test_the_diff_says_what_was_merged_reworded_and_dropped_and_why(context: StageContext) -> None:
    reply = reviewed(
        ([3], "Is it linked?", "double negation"), ([1, 2], "Are facts in order?", "same"), dropped={4: "irrelevant"}
    )
    result, model = run(context, reply)
    validation = result.output
    merged = Question("Are facts in order?", "Order", key_question="K1", attributes=(101, 102, 103), reason="same")
    reworded = Question("Is it linked?", "Links", key_question="K2", attributes=(104,), reason="double negation")
    assert [(c.kind, c.before, c.after and c.after.text, c.reason) for c in validation.changes] == [
        ("merged", (FIRST, SECOND), "Are facts in order?", "same"),
        ("reworded", (THIRD,), "Is it linked?", "double negation"),
        ("dropped", (FOURTH,), None, "irrelevant"),
    ]
    assert [(q.text, q.component, q.attributes, q.reason) for q in validation.questions] == [
        (q.text, q.component, q.attributes, q.reason) for q in (merged, reworded)
    ]
    assert [q.position for q in validation.questions] == [0, 1]
    assert model.requests[0].prompt.variables["questions"][3] == {
        "id": 4,
        "component": "Links",
        "question": "Is it funny?",
    }


def test_kept_questions_are_untouched(context: StageContext) -> None:
    reply = reviewed(*(([n], q.text, "") for n, q in enumerate(QUESTIONS, start=1)))
    validation = run(context, reply)[0].output
    assert validation.questions == tuple(QUESTIONS)
    assert kinds(validation.changes) == ["kept"] * 4


def test_unmentioned_questions_are_kept_and_missing_reasons_are_said(context: StageContext) -> None:
    validation = run(context, reviewed(([2], "Better?", " "), dropped={3: ""}))[0].output
    assert kinds(validation.changes) == ["kept", "reworded", "dropped", "kept"]
    assert [change.reason for change in validation.changes] == [
        "not mentioned by the model",
        "no reason given by the model",
        "no reason given by the model",
        "not mentioned by the model",
    ]


def test_used_beats_dropped_and_equal_wordings_are_joined(context: StageContext) -> None:
    reply = reviewed(([1], "Same?", "a"), ([3], "same?", "b"), ([4], FOURTH.text, ""), dropped={1: "x", 2: "y"})
    validation = run(context, reply)[0].output
    assert kinds(validation.changes) == ["reworded", "dropped", "reworded", "kept"]
    assert [(q.text, q.attributes) for q in validation.questions] == [
        ("Same?", (101, 102, 104)),
        (FOURTH.text, (104, 105)),
    ]


def test_every_question_is_in_the_diff_and_keeps_an_attribute(context: StageContext) -> None:
    validation = run(context, reviewed(([4, 1, 4], "One?", "r"), ([4], "Two?", "r")))[0].output
    assert {q.text for change in validation.changes for q in change.before} == {q.text for q in QUESTIONS}
    assert all(question.attributes for question in validation.questions)


@pytest.mark.parametrize(
    ("reply", "says"),
    [
        (reviewed(([5], "A?", "")), "no question 5"),
        (reviewed(([1], "A?", ""), dropped={0: "x"}), "no question 0"),
        (reviewed(([], "A?", "")), "no source"),
        (reviewed(([1], " ", "")), "a question is empty"),
        (reviewed(dropped={1: "x", 2: "x", 3: "x", 4: "x"}), "no question is left"),
    ],
)
def test_impossible_reviews_are_asked_again(context: StageContext, reply: str, says: str) -> None:
    _, model = run(context, reply, reviewed(([1], "A?", "")))
    assert says in model.requests[1].turns[0].correction
    with pytest.raises(WrongSchemaError, match=says):
        run(context, *[reply] * 3)


def test_without_questions_nothing_is_asked(context: StageContext) -> None:
    with pytest.raises(NotReadyError, match="coherence"):
        asyncio.run(validate_questions(ScriptedModel([]), context, []))
