"""Key questions broken down into the sub-questions that a judge answers (InteractEval, section 3.4.3)."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from app.construction.key_questions import attribute_variables, question_problem, texts_by_id
from app.construction.stage import Numbering, StageContext, StageResult, ask_stage, merged, tidy
from app.domain.attribute import Attribute
from app.domain.build import Stage
from app.domain.checklist import Component, Question
from app.errors import NotReadyError
from app.providers.base import ChatModel


async def write_sub_questions(
    model: ChatModel,
    context: StageContext,
    components: Sequence[Component],
    key_questions: Sequence[Question],
    attributes: Sequence[Attribute],
) -> StageResult[tuple[Question, ...]]:
    """At least one sub-question per component, in the order of `components`.

    A question for which the model names no attribute rests on all of its component's; a question that repeats another
    to the letter is joined with it. Raises NotReadyError where a component has no key question, WrongSchemaError where
    the model keeps leaving a component without sub-question.
    """
    texts = texts_by_id(context, components, attributes)
    keys = {question.component: question.text for question in key_questions}
    if any(component.name not in keys for component in components):
        raise NotReadyError(
            f"A component of {context.dimension.name} has no key question.", "Write the key questions first."
        )
    numbering = Numbering(merged(component.attributes for component in components))
    variables = {
        "components": [
            {
                "id": number,
                "name": component.name,
                "key_question": keys[component.name],
                "attributes": attribute_variables(component, numbering, texts),
            }
            for number, component in enumerate(components, start=1)
        ]
    }
    value, record = await ask_stage(
        Stage.SUB_QUESTIONS,
        model,
        context,
        variables,
        check=lambda answer: question_problem(answer, numbering, len(components)),
        items=len(texts),
    )
    entries = sorted(value["questions"], key=lambda entry: entry["component"])
    questions = [_read(entry, numbering, components, keys) for entry in entries]
    return StageResult(join_repeated(questions), record)


def join_repeated(questions: Sequence[Question]) -> tuple[Question, ...]:
    """Questions worded alike as one, with the attributes of all; positions follow the order."""
    joined: dict[str, Question] = {}
    for question in questions:
        wording = question.text.casefold()
        first = joined.get(wording)
        both = merged([first.attributes, question.attributes]) if first else question.attributes
        joined[wording] = replace(first or question, attributes=both)
    return tuple(replace(question, position=position) for position, question in enumerate(joined.values()))


def _read(
    entry: dict[str, Any], numbering: Numbering, components: Sequence[Component], keys: dict[str, str]
) -> Question:
    component = components[int(entry["component"]) - 1]
    return Question(
        text=tidy(entry["question"]),
        component=component.name,
        key_question=keys[component.name],
        attributes=numbering.ids(entry["attributes"]) or component.attributes,
    )
