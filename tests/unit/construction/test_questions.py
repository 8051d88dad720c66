"""Key questions and sub-questions: the same answer form, different rules about how many."""

import asyncio
import json
from typing import Any

import pytest

from app.construction.questions import write_key_questions, write_sub_questions
from app.construction.stage import StageContext
from app.domain.attribute import Attribute
from app.domain.checklist import Component, Question, QuestionKind
from app.errors import NotReadyError, WrongSchemaError
from tests.support.scripted_model import ScriptedModel

COMPONENTS = [Component("Order", "d", (102, 101)), Component("Links", attributes=(104, 101), position=1)]
KEYS = [
    Question("Is it in order?", "Order", QuestionKind.KEY, attributes=(102, 101)),
    Question("Is it linked?", "Links", QuestionKind.KEY, attributes=(104, 101), position=1),
]


def asked(*entries: tuple[int, str, list[int]]) -> str:
    return json.dumps({"questions": [{"component": c, "question": q, "attributes": a} for c, q, a in entries]})


def keys(context: StageContext, attributes: list[Attribute], *replies: str) -> Any:
    model = ScriptedModel(replies)
    return asyncio.run(write_key_questions(model, context, COMPONENTS, attributes)), model


def subs(context: StageContext, attributes: list[Attribute], *replies: str) -> Any:
    model = ScriptedModel(replies)
    return asyncio.run(write_sub_questions(model, context, COMPONENTS, KEYS, attributes)), model


def test_key_questions_follow_the_components_and_keep_lineage(
    context: StageContext, attributes: list[Attribute]
) -> None:
    # Numbers go by first appearance: 102 -> 1, 101 -> 2, 104 -> 3.
    result, model = keys(context, attributes, asked((2, "Is it\n linked?", []), (1, "Is it in order?", [2])))
    assert result.output == (
        Question("Is it in order?", "Order", QuestionKind.KEY, attributes=(101,), position=0),
        Question("Is it linked?", "Links", QuestionKind.KEY, attributes=(104, 101), position=1),
    )
    assert model.requests[0].prompt.variables["components"][1] == {
        "id": 2,
        "name": "Links",
        "description": "",
        "attributes": [{"id": 3, "text": "Pronouns point to something."}, {"id": 2, "text": "Facts come in order."}],
    }


GOOD = asked((1, "A?", [1]), (2, "B?", [3]))


@pytest.mark.parametrize(
    ("reply", "says"),
    [
        (asked((1, "A?", [1])), "no question for component 2"),
        (asked((1, "A?", [1]), (2, "B?", [3]), (2, "C?", [3])), "more than one question"),
        (asked((1, "A?", [1]), (3, "B?", [3])), "no component 3"),
        (asked((1, "A?", [9]), (2, "B?", [3])), "no note 9"),
        (asked((1, " ", [1]), (2, "B?", [3])), "a question is empty"),
        (asked(), "no question for component 1, 2"),
    ],
)
def test_there_is_exactly_one_key_question_per_component(
    context: StageContext, attributes: list[Attribute], reply: str, says: str
) -> None:
    _, model = keys(context, attributes, reply, GOOD)
    assert says in model.requests[1].turns[0].correction
    with pytest.raises(WrongSchemaError):
        keys(context, attributes, *[reply] * 3)


def test_sub_questions_are_grouped_by_component_and_inherit_missing_lineage(
    context: StageContext, attributes: list[Attribute]
) -> None:
    reply = asked((2, "Pronouns?", [3, 3]), (1, "Time?", []), (1, "Facts?", [2]), (2, "facts?", [1]))
    result, model = subs(context, attributes, reply)
    order = {"component": "Order", "key_question": "Is it in order?"}
    assert result.output == (
        Question("Time?", **order, attributes=(102, 101), position=0),
        Question("Facts?", **order, attributes=(101, 102), position=1),
        Question("Pronouns?", "Links", key_question="Is it linked?", attributes=(104,), position=2),
    )
    assert model.requests[0].prompt.variables["components"][0]["key_question"] == "Is it in order?"


def test_no_component_stays_without_sub_question(context: StageContext, attributes: list[Attribute]) -> None:
    _, model = subs(context, attributes, asked((1, "A?", []), (1, "B?", [])), GOOD)
    assert "no question for component 2" in model.requests[1].turns[0].correction


def test_missing_inputs_are_said(context: StageContext, attributes: list[Attribute]) -> None:
    model = ScriptedModel([])
    with pytest.raises(NotReadyError, match="no attributes yet"):
        asyncio.run(write_key_questions(model, context, [Component("Order")], attributes))
    with pytest.raises(NotReadyError, match="no attributes yet"):
        asyncio.run(write_key_questions(model, context, [], attributes))
    with pytest.raises(NotReadyError, match="no longer in use"):
        asyncio.run(write_key_questions(model, context, COMPONENTS, attributes[1:]))
    with pytest.raises(NotReadyError, match="no key question"):
        asyncio.run(write_sub_questions(model, context, COMPONENTS, KEYS[:1], attributes))
