"""Run of one stage: a model is asked about its units."""

from collections.abc import Collection
from dataclasses import replace

from app.construction.clusters import cluster_attributes
from app.construction.components import extract_components
from app.construction.key_questions import write_key_questions
from app.construction.stage import StageContext, StageRecord
from app.construction.steps.answer import StageAnswer
from app.construction.steps.inputs import Inputs, digests, items
from app.construction.sub_questions import write_sub_questions
from app.construction.validation import validate_questions
from app.domain.build import Build, Stage, stage_of
from app.domain.checklist import Component, Question, QuestionKind
from app.errors import NotReadyError
from app.providers.base import ChatModel

NEEDS = {
    Stage.COMPONENTS: "Add attributes first.",
    Stage.CLUSTERS: "Find the components first.",
    Stage.KEY_QUESTIONS: "Place the attributes under components first.",
    Stage.SUB_QUESTIONS: "Write the key questions first.",
    Stage.VALIDATION: "Write the sub-questions first.",
}


async def ask(
    stage: Stage,
    units: Collection[str],
    build: Build,
    inputs: Inputs,
    model: ChatModel,
    context: StageContext,
) -> tuple[StageAnswer, StageRecord]:
    """One request about these units of the stage; what is not among them stays out of it.

    Raises NotReadyError where the stages before have not made what it needs, and what the stages raise.
    """
    now = digests(build, inputs)
    asked = {name: now[name] for name in units if name in now and stage_of(name) is stage}
    if not asked:
        raise NotReadyError(f"There is nothing to make for the {stage.value} of {inputs.dimension.name}.", NEEDS[stage])
    answer = StageAnswer(stage, asked)
    match stage:
        case Stage.COMPONENTS:
            return await _components(answer, build, inputs, model, context)
        case Stage.CLUSTERS:
            return await _clusters(answer, build, inputs, model, context)
        case Stage.VALIDATION:
            return await _validation(answer, build, model, context)
    return await _questions(answer, build, inputs, model, context)


async def _components(
    answer: StageAnswer, build: Build, inputs: Inputs, model: ChatModel, context: StageContext
) -> tuple[StageAnswer, StageRecord]:
    result = await extract_components(model, context, inputs.attributes, build.max_components)
    return replace(answer, components=tuple((c.name, c.description) for c in result.output)), result.record


async def _clusters(
    answer: StageAnswer, build: Build, inputs: Inputs, model: ChatModel, context: StageContext
) -> tuple[StageAnswer, StageRecord]:
    wanted = items(list(answer.made_from))
    attributes = [attribute for attribute in inputs.attributes if attribute.id in wanted]
    components = [Component(c.name, c.description, id=c.id) for c in build.components]
    some = len(attributes) < len(inputs.attributes)
    result = await cluster_attributes(model, context, components, attributes, may_drop_all=some)
    under = {a.id: tuple(c.id for c in result.output.components if a.id in c.attributes) for a in attributes}
    reasons = {dropped.attribute: dropped.reason for dropped in result.output.dropped}
    placements = {id_: (components, reasons.get(id_, "")) for id_, components in under.items()}
    return replace(answer, placements=placements), result.record


async def _questions(
    answer: StageAnswer, build: Build, inputs: Inputs, model: ChatModel, context: StageContext
) -> tuple[StageAnswer, StageRecord]:
    wanted = items(list(answer.made_from))
    texts = inputs.texts
    components = [
        Component(c.name, c.description, build.members(c.id, texts), id=c.id)
        for c in build.components
        if c.id in wanted
    ]
    if answer.stage is Stage.KEY_QUESTIONS:
        result = await write_key_questions(model, context, components, inputs.attributes)
    else:
        names = {c.id: c.name for c in components}
        keys = [
            Question(q.text, names[q.component], QuestionKind.KEY) for q in build.key_questions if q.component in names
        ]
        result = await write_sub_questions(model, context, components, keys, inputs.attributes)
    written = {
        component.id: tuple((q.text, q.attributes) for q in result.output if q.component == component.name)
        for component in components
    }
    return replace(answer, questions=written), result.record


async def _validation(
    answer: StageAnswer, build: Build, model: ChatModel, context: StageContext
) -> tuple[StageAnswer, StageRecord]:
    names = {component.id: component.name for component in build.components}
    questions = [
        Question(q.text, names.get(q.component, ""), attributes=q.attributes, id=q.id) for q in build.sub_questions
    ]
    result = await validate_questions(model, context, questions)
    changes = tuple(
        (change.kind, tuple(q.id for q in change.before), change.after.text if change.after else "", change.reason)
        for change in result.output.changes
    )
    return replace(answer, changes=changes), result.record
