import asyncio
import json
from typing import Any

import pytest

from app.construction.components import extract_components
from app.construction.stage import StageContext
from app.domain.attribute import Attribute
from app.domain.checklist import Component
from app.errors import InputError, NotReadyError, WrongSchemaError
from app.prompting import load_prompt
from app.providers.base import Usage
from tests.support.scripted_model import ScriptedModel


def named(*names: str) -> str:
    return json.dumps({"components": [{"name": name, "description": f"About {name}."} for name in names]})


def run(context: StageContext, attributes: list[Attribute], *replies: str, **options: Any) -> Any:
    model = ScriptedModel(replies)
    return asyncio.run(extract_components(model, context, attributes, **options)), model


def test_components_come_in_the_models_order_with_a_record(context: StageContext, attributes: list[Attribute]) -> None:
    result, model = run(context, attributes, named(" Order\n of facts ", "Links"))
    assert result.output == (
        Component("Order of facts", "About Order of facts .", position=0),
        Component("Links", "About Links.", position=1),
    )
    variables = model.requests[0].prompt.variables
    assert variables["attributes"][0] == {"id": 1, "text": "Facts come in order."}
    assert variables["max_components"] == 5
    record = result.record
    assert (record.stage, record.prompt, record.model) == ("components", "components@1", "scripted:model")
    assert record.digest == load_prompt("components").digest
    assert record.variables == variables
    assert record.reply == named(" Order\n of facts ", "Links")
    assert record.usage == Usage(10, 0, 5)


def test_contributors_do_not_reach_the_model(context: StageContext, attributes: list[Attribute]) -> None:
    _, model = run(context, attributes, named("Order"))
    assert "Ada" not in model.requests[0].prompt.user


def test_forty_components_are_asked_again_then_fail_by_name(context: StageContext, attributes: list[Attribute]) -> None:
    forty = named(*(f"Theme {n}" for n in range(40)))
    result, model = run(context, attributes, forty, named("Order"))
    assert len(result.output) == 1
    assert "40 components where at most 5" in model.requests[1].turns[0].correction
    with pytest.raises(WrongSchemaError, match="40 components where at most 5"):
        run(context, attributes, *[forty] * 3)


@pytest.mark.parametrize(
    ("reply", "says"),
    [(named(), "no component"), (named("A", " "), "no name"), (named("Order", " order"), "same name")],
)
def test_useless_components_are_asked_again(
    context: StageContext, attributes: list[Attribute], reply: str, says: str
) -> None:
    _, model = run(context, attributes, reply, named("Order"))
    assert says in model.requests[1].turns[0].correction


def test_never_more_components_than_attributes(context: StageContext, attributes: list[Attribute]) -> None:
    _, model = run(context, attributes[:2], named("Order", "Links"), max_components=9)
    assert model.requests[0].prompt.variables["max_components"] == 2


@pytest.mark.parametrize("number", [2, 10])
def test_numbers_outside_three_to_nine_are_refused(
    context: StageContext, attributes: list[Attribute], number: int
) -> None:
    with pytest.raises(InputError, match="3 to 9"):
        run(context, attributes, max_components=number)


def test_without_attributes_nothing_is_asked(context: StageContext) -> None:
    with pytest.raises(NotReadyError, match="coherence"):
        run(context, [])
