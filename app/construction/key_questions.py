"""One key question per component, from what its attributes share (InteractEval, section 3.4.3)."""

from collections.abc import Mapping, Sequence
from typing import Any

from app.construction.stage import (
    Numbering,
    StageContext,
    StageResult,
    ask_stage,
    first_problem,
    merged,
    tidy,
    unknown_numbers,
)
from app.domain.attribute import Attribute
from app.domain.build import Stage
from app.domain.checklist import Component, Question, QuestionKind
from app.errors import NotReadyError
from app.providers.base import ChatModel


async def write_key_questions(
    model: ChatModel, context: StageContext, components: Sequence[Component], attributes: Sequence[Attribute]
) -> StageResult[tuple[Question, ...]]:
    """The key questions in the order of `components`, whose attributes must be among `attributes`.

    A question for which the model names no attribute rests on all of its component's. Raises NotReadyError without
    clustered components, WrongSchemaError where a component keeps having no question or several.
    """
    texts = texts_by_id(context, components, attributes)
    numbering = Numbering(merged(component.attributes for component in components))
    variables = {
        "components": [
            {
                "id": number,
                "name": component.name,
                "description": component.description,
                "attributes": attribute_variables(component, numbering, texts),
            }
            for number, component in enumerate(components, start=1)
        ]
    }
    value, record = await ask_stage(
        Stage.KEY_QUESTIONS,
        model,
        context,
        variables,
        check=lambda answer: _problem(answer, numbering, len(components)),
        items=len(components),
    )
    answers = {entry["component"]: entry for entry in value["questions"]}
    questions = tuple(
        Question(
            text=tidy(answers[number]["question"]),
            component=component.name,
            kind=QuestionKind.KEY,
            attributes=numbering.ids(answers[number]["attributes"]) or component.attributes,
            position=number - 1,
        )
        for number, component in enumerate(components, start=1)
    )
    return StageResult(questions, record)


def texts_by_id(
    context: StageContext, components: Sequence[Component], attributes: Sequence[Attribute]
) -> dict[int, str]:
    """Attribute texts by our id. Raises NotReadyError where components or their attributes are missing."""
    if not components or not all(component.attributes for component in components):
        raise NotReadyError(
            f"The components of {context.dimension.name} have no attributes yet.",
            "Cluster the attributes first, or remove components without any.",
        )
    texts = {attribute.id: attribute.text for attribute in attributes}
    if any(id_ not in texts for component in components for id_ in component.attributes):
        raise NotReadyError(
            f"A component of {context.dimension.name} rests on an attribute that is no longer in use.",
            "Cluster the attributes again.",
        )
    return texts


def attribute_variables(component: Component, numbering: Numbering, texts: Mapping[int, str]) -> list[dict[str, Any]]:
    return [{"id": numbering.number(id_), "text": texts[id_]} for id_ in component.attributes]


def question_problem(answer: dict[str, Any], numbering: Numbering, count: int) -> str | None:
    """What holds for key questions and sub-questions alike: known numbers, real text, no component forgotten."""
    entries = answer["questions"]
    asked = {entry["component"] for entry in entries}
    forgotten = [number for number in range(1, count + 1) if number not in asked]
    return first_problem(
        unknown_numbers(asked, count, "component"),
        numbering.problem((number for entry in entries for number in entry["attributes"]), "note"),
        None if all(entry["question"].strip() for entry in entries) else "a question is empty",
        f"no question for component {', '.join(map(str, forgotten))}" if forgotten else None,
    )


def _problem(answer: dict[str, Any], numbering: Numbering, count: int) -> str | None:
    surplus = len(answer["questions"]) > count
    return question_problem(answer, numbering, count) or ("a component has more than one question" if surplus else None)
