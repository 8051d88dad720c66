import asyncio
import json
from typing import Any

import pytest

from app.construction.components import cluster_attributes
from app.construction.stage import StageContext
from app.domain.attribute import Attribute
from app.domain.checklist import Component, DroppedAttribute
from app.errors import NotReadyError, WrongSchemaError
from tests.support.scripted_model import ScriptedModel

COMPONENTS = [Component("Order", "What comes when."), Component("Tone", position=1), Component("Links", position=2)]


def sorted_as(clusters: dict[int, list[int]], dropped: dict[int, str] | None = None) -> str:
    return json.dumps(
        {
            "clusters": [{"component": c, "attributes": members} for c, members in clusters.items()],
            "dropped": [{"attribute": a, "reason": reason} for a, reason in (dropped or {}).items()],
        }
    )


def run(context: StageContext, attributes: list[Attribute], *replies: str) -> Any:
    model = ScriptedModel(replies)
    return asyncio.run(cluster_attributes(model, context, COMPONENTS, attributes)), model


def test_attributes_are_placed_under_our_ids_and_empty_components_go_on_record(
    context: StageContext, attributes: list[Attribute]
) -> None:
    reply = sorted_as({3: [4, 3], 1: [1, 2]}, {5: "too vague", 6: "repeats note 1"})
    result, model = run(context, attributes, reply)
    clusters = result.output
    assert clusters.components == (
        Component("Order", "What comes when.", (101, 102), position=0),
        Component("Links", "", (104, 103), position=1),
    )
    assert [component.name for component in clusters.empty] == ["Tone"]
    assert clusters.dropped == (
        DroppedAttribute(105, "clusters", "too vague"),
        DroppedAttribute(106, "clusters", "repeats note 1"),
    )
    assert [a["id"] for a in model.requests[0].prompt.variables["attributes"]] == [1, 2, 3, 4, 5, 6]
    assert result.record.stage == "clusters"


def test_what_the_model_forgets_is_dropped_on_record(context: StageContext, attributes: list[Attribute]) -> None:
    result, _ = run(context, attributes, sorted_as({1: [1]}, {2: "  "}))
    assert [d.attribute for d in result.output.dropped] == [102, 103, 104, 105, 106]
    assert {d.reason for d in result.output.dropped} == {"not placed by the model"}


def test_an_attribute_may_stand_under_two_components_but_once_in_each(
    context: StageContext, attributes: list[Attribute]
) -> None:
    reply = json.dumps(
        {
            "clusters": [
                {"component": 1, "attributes": [1, 1, 2]},
                {"component": 2, "attributes": [1]},
                {"component": 1, "attributes": [2, 3]},
            ],
            "dropped": [{"attribute": 1, "reason": "unsure"}],
        }
    )
    clusters = run(context, attributes, reply)[0].output
    assert [component.attributes for component in clusters.components] == [(101, 102, 103), (101,)]
    assert 101 not in {d.attribute for d in clusters.dropped}


def test_every_attribute_is_accounted_for(context: StageContext, attributes: list[Attribute]) -> None:
    clusters = run(context, attributes, sorted_as({2: [2, 5], 3: [6]}, {1: "redundant"}))[0].output
    placed = {id_ for component in clusters.components for id_ in component.attributes}
    assert placed | {d.attribute for d in clusters.dropped} == {a.id for a in attributes}
    assert placed.isdisjoint(d.attribute for d in clusters.dropped)


@pytest.mark.parametrize(
    ("reply", "says"),
    [
        (sorted_as({4: [1]}), "no component 4; they are numbered 1 to 3"),
        (sorted_as({1: [0, 1, 101]}), "no note 0, 101; they are numbered 1 to 6"),
        (sorted_as({1: [1]}, {7: "x"}), "no note 7"),
        (sorted_as({1: []}, {1: "x"}), "no note is placed"),
        (sorted_as({}), "no note is placed"),
    ],
)
def test_unknown_numbers_and_empty_answers_are_asked_again(
    context: StageContext, attributes: list[Attribute], reply: str, says: str
) -> None:
    _, model = run(context, attributes, reply, sorted_as({1: [1]}))
    assert says in model.requests[1].turns[0].correction
    with pytest.raises(WrongSchemaError, match=says):
        run(context, attributes, *[reply] * 3)


def test_long_lists_may_have_long_answers(context: StageContext, attributes: list[Attribute]) -> None:
    many = [Attribute("coherence", "Ada", attributes[0].kind, f"Point {n}.", id=n) for n in range(1, 1001)]
    _, model = run(context, many, sorted_as({1: list(range(1, 1001))}))
    assert model.requests[0].max_output_tokens > 20_000


def test_without_components_nothing_is_asked(context: StageContext, attributes: list[Attribute]) -> None:
    with pytest.raises(NotReadyError, match="components"):
        asyncio.run(cluster_attributes(ScriptedModel([]), context, [], attributes))
