import asyncio
import json

import pytest

from app.construction.pipeline import STAGES, BuiltChecklist, build_checklist
from app.construction.stage import Stage, StageContext, StageRecord
from app.domain.attribute import Attribute
from app.domain.checklist import ChecklistStatus, QuestionKind
from app.errors import WrongSchemaError
from app.prompting import load_prompt
from tests.support.scripted_model import ScriptedModel

SCRIPT = {
    Stage.COMPONENTS: {"components": [{"name": n, "description": ""} for n in ("Order", "Tone", "Links")]},
    Stage.CLUSTERS: {
        "clusters": [{"component": 1, "attributes": [1, 2, 6]}, {"component": 3, "attributes": [3, 4]}],
        "dropped": [{"attribute": 5, "reason": "too vague"}],
    },
    Stage.KEY_QUESTIONS: {
        "questions": [
            {"component": 1, "question": "Is it in order?", "attributes": []},
            {"component": 2, "question": "Is it linked?", "attributes": []},
        ]
    },
    # Attributes are numbered by cluster here: 101, 102, 106, 103, 104 -> 1 to 5.
    Stage.SUB_QUESTIONS: {
        "questions": [
            {"component": 1, "question": "Do facts come in order?", "attributes": [1]},
            {"component": 1, "question": "Is the order of facts good?", "attributes": [3]},
            {"component": 2, "question": "Are sentences linked?", "attributes": [4]},
            {"component": 2, "question": "Is it nice?", "attributes": [5]},
        ]
    },
    Stage.VALIDATION: {
        "questions": [
            {"sources": [1, 2], "question": "Do facts come in order?", "reason": "same point"},
            {"sources": [3], "question": "Are sentences linked?", "reason": ""},
        ],
        "dropped": [{"question": 4, "reason": "taste"}],
    },
}
REPLIES = [json.dumps(SCRIPT[stage]) for stage in STAGES]


def build(context: StageContext, attributes: list[Attribute]) -> BuiltChecklist:
    return asyncio.run(build_checklist(ScriptedModel(REPLIES), context, attributes))


def test_the_stages_run_in_order_and_feed_each_other(context: StageContext, attributes: list[Attribute]) -> None:
    built = build(context, attributes)
    assert [component.name for component in built.components] == ["Order", "Links"]
    assert [component.name for component in built.empty_components] == ["Tone"]
    assert [question.text for question in built.key_questions] == ["Is it in order?", "Is it linked?"]
    assert [(q.text, q.attributes) for q in built.questions] == [
        ("Do facts come in order?", (101, 106)),
        ("Are sentences linked?", (103,)),
    ]
    assert [(d.attribute, d.stage, d.reason) for d in built.dropped] == [
        (105, "clusters", "too vague"),
        (104, "validation", "taste"),
    ]
    assert [change.kind.value for change in built.changes] == ["merged", "kept", "dropped"]
    assert tuple(record.stage for record in built.records) == STAGES


def test_it_becomes_a_draft_whose_questions_all_have_attributes(
    context: StageContext, attributes: list[Attribute]
) -> None:
    draft = build(context, attributes).as_checklist("coherence", 1, "comb", "scripted:model")
    assert draft.status is ChecklistStatus.DRAFT
    assert [(q.kind, q.position) for q in draft.questions] == [
        (QuestionKind.KEY, 0),
        (QuestionKind.KEY, 1),
        (QuestionKind.SUB, 2),
        (QuestionKind.SUB, 3),
    ]
    assert all(question.attributes for question in draft.questions)
    assert [question.text for question in draft.asked] == ["Do facts come in order?", "Are sentences linked?"]
    assert {q.key_question for q in draft.asked} == {"Is it in order?", "Is it linked?"}


def test_each_stage_can_have_its_own_model(context: StageContext, attributes: list[Attribute]) -> None:
    models = {stage: ScriptedModel([reply], f"m:{stage}") for stage, reply in zip(STAGES, REPLIES, strict=True)}
    built = asyncio.run(build_checklist(models, context, attributes))
    assert [record.model for record in built.records] == [f"m:{stage}" for stage in STAGES]


def test_finished_stages_are_told_before_a_later_one_fails(context: StageContext, attributes: list[Attribute]) -> None:
    told: list[StageRecord] = []
    model = ScriptedModel([*REPLIES[:2], "no", "no", "no"])
    with pytest.raises(WrongSchemaError, match="key-questions@1"):
        asyncio.run(build_checklist(model, context, attributes, on_stage=told.append))
    assert [record.stage for record in told] == [Stage.COMPONENTS, Stage.CLUSTERS]


def test_a_projects_own_wording_is_used_and_recorded(attributes: list[Attribute], context: StageContext) -> None:
    own = load_prompt("components", source=load_prompt("components").source.replace("Several", "Some"))
    worded = StageContext(context.task, context.dimension, {Stage.COMPONENTS: own})
    built = build(worded, attributes)
    assert built.records[0].digest == own.digest != load_prompt("components").digest
