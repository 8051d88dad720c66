"""Key questions, sub-questions, rewritten questions, when a question applies, and what a checklist covers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
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
from app.domain.checklist import Action, Component, Question, QuestionKind
from app.domain.project import Dimension, Task
from app.errors import InputError, NotReadyError
from app.prompting import dimension_variables, load_prompt, task_variables
from app.providers.base import ChatModel, ChatRequest
from app.providers.structured import Structured, ask, object_in


async def write_key_questions(
    model: ChatModel, context: StageContext, components: Sequence[Component], attributes: Sequence[Attribute]
) -> StageResult[tuple[Question, ...]]:
    """Return key questions in the order of `components`, whose attributes must be among `attributes`.

    A question for which the model names no attribute rests on all of its component's. Raises NotReadyError without
    clustered components, WrongSchemaError if a component keeps having no question or several.
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
        check=lambda answer: _key_question_problem(answer, numbering, len(components)),
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
    """Return attribute texts by our id. Raises NotReadyError if components or their attributes are missing."""
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
    """Return what is wrong with key questions or sub-questions: unknown numbers, empty text, a forgotten component.
    None if nothing is."""
    entries = answer["questions"]
    asked = {entry["component"] for entry in entries}
    forgotten = [number for number in range(1, count + 1) if number not in asked]
    return first_problem(
        unknown_numbers(asked, count, "component"),
        numbering.problem((number for entry in entries for number in entry["attributes"]), "note"),
        None if all(entry["question"].strip() for entry in entries) else "a question is empty",
        f"no question for component {', '.join(map(str, forgotten))}" if forgotten else None,
    )


def _key_question_problem(answer: dict[str, Any], numbering: Numbering, count: int) -> str | None:
    surplus = len(answer["questions"]) > count
    return question_problem(answer, numbering, count) or ("a component has more than one question" if surplus else None)


async def write_sub_questions(
    model: ChatModel,
    context: StageContext,
    components: Sequence[Component],
    key_questions: Sequence[Question],
    attributes: Sequence[Attribute],
) -> StageResult[tuple[Question, ...]]:
    """Return at least one sub-question per component, in the order of `components`.

    A question for which the model names no attribute rests on all of its component's; a question that repeats another
    word for word is merged with it. Raises NotReadyError if a component has no key question, WrongSchemaError if the
    model keeps leaving a component without sub-question.
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
    """Return questions with equal wordings merged, with the attributes of all; positions follow the order."""
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


# How many questions go in and how many may come out, at least and at most.
_TAKES = {Action.REPHRASE: (1, 1), Action.SIMPLER: (1, 1), Action.SPLIT: (1, 1), Action.MERGE: (2, 9)}
_GIVES = {Action.REPHRASE: (1, 1), Action.SIMPLER: (1, 1), Action.SPLIT: (2, 4), Action.MERGE: (1, 1)}


@dataclass(frozen=True, slots=True)
class Rewriting:
    """New wordings and what the model says it changed; `request` and `answer` are recorded."""

    texts: tuple[str, ...]
    reason: str
    request: ChatRequest
    answer: Structured


def prompt_name(action: Action) -> str:
    return f"question-{action.value}"


async def rewrite(
    model: ChatModel,
    task: Task,
    dimension: Dimension,
    action: Action,
    questions: Sequence[Question],
    others: Sequence[str] = (),
) -> Rewriting:
    """Return the model's new wordings of `questions`. others: the wordings of the checklist's other questions.

    Raises InputError for too few or too many questions, WrongSchemaError if the model keeps giving the wrong number of
    questions or nothing new, UnsupportedError if the built-in rules know no answer.
    """
    least, most = _TAKES[action]
    if not least <= len(questions) <= most:
        raise InputError(
            f"“{action.value}” can't be asked for {len(questions)} question{'s' * (len(questions) != 1)}.",
            "Choose one." if most == 1 else f"Choose {least} to {most}.",
        )
    template = load_prompt(prompt_name(action))
    prompt = template.render(
        task=task_variables(task),
        dimension=dimension_variables(dimension),
        questions=[
            {"component": q.component or dimension.name, "question": q.text, "must_not": q.must_not} for q in questions
        ],
        others=list(others),
    )
    request = ChatRequest(prompt, template.output_schema)
    before = {tidy(question.text) for question in questions} if action is not Action.MERGE else set()
    answer = await ask(model, request, check=lambda value: _rewriting_problem(value, action, before))
    texts = tuple(tidy(text) for text in answer.value["questions"])
    return Rewriting(texts, tidy(answer.value["reason"]), request, answer)


def _rewriting_problem(value: dict[str, Any], action: Action, before: set[str]) -> str | None:
    texts = [tidy(text) for text in value["questions"]]
    least, most = _GIVES[action]
    if not least <= len(texts) <= most:
        wanted = str(least) if least == most else f"{least} to {most}"
        return f"it holds {len(texts)} questions where {wanted} are wanted"
    if not all(texts):
        return "a question is empty"
    if len({text.casefold() for text in texts}) < len(texts):
        return "a question is repeated"
    return "the question is unchanged" if set(texts) == before else None


APPLICABILITY = "question-applicability"


@dataclass(frozen=True, slots=True)
class Applicability:
    """The questions that may not apply, each with the reason; `request` and `answer` are recorded."""

    questions: tuple[tuple[Question, str], ...]
    request: ChatRequest
    answer: Structured


async def ask_applicability(
    model: ChatModel, task: Task, dimension: Dimension, questions: Sequence[Question]
) -> Applicability:
    """Return which questions may not apply. Raises NotReadyError without questions, WrongSchemaError if the model keeps
    naming others or gives no reason, UnsupportedError if the built-in rules know no answer."""
    if not questions:
        raise NotReadyError("There is no question left to ask about.", "Switch one on, or add one.")
    template = load_prompt(APPLICABILITY)
    prompt = template.render(
        task=task_variables(task),
        dimension=dimension_variables(dimension),
        questions=[{"id": number, "question": q.text} for number, q in enumerate(questions, start=1)],
    )
    request = ChatRequest(prompt, template.output_schema)
    answer = await ask(
        model,
        request,
        check=lambda value: first_problem(
            unknown_numbers((entry["question"] for entry in value["questions"]), len(questions), "question"),
            None if all(entry["reason"].strip() for entry in value["questions"]) else "a reason is empty",
        ),
    )
    reasons = {int(entry["question"]): tidy(entry["reason"]) for entry in answer.value["questions"]}
    named = tuple((questions[number - 1], reason) for number, reason in sorted(reasons.items()))
    return Applicability(named, request, answer)


COVERAGE = "checklist-coverage"


def coverage_request(
    task: Task, dimension: Dimension, questions: Sequence[str], attributes: Sequence[str]
) -> ChatRequest:
    """Return a request that asks which questions cover each attribute. It doesn't name contributors or lineage."""
    template = load_prompt(COVERAGE)
    prompt = template.render(
        task=task_variables(task),
        dimension=dimension_variables(dimension),
        questions=[{"id": number, "question": text} for number, text in enumerate(questions, start=1)],
        attributes=[{"id": number, "text": text} for number, text in enumerate(attributes, start=1)],
    )
    return ChatRequest(prompt, template.output_schema)


async def ask_coverage(model: ChatModel, request: ChatRequest) -> Structured:
    """Return the answer to a `coverage_request`, in which each attribute occurs once.

    Raises WrongSchemaError if the model keeps leaving attributes out or names others.
    """
    asked = request.prompt.variables
    questions, attributes = len(asked["questions"]), len(asked["attributes"])

    def check(value: dict[str, Any]) -> str | None:
        numbers = [entry["attribute"] for entry in value["attributes"]]
        named = (number for entry in value["attributes"] for number in entry["questions"])
        return first_problem(
            unknown_numbers(named, questions, "question"),
            None if sorted(numbers) == list(range(1, attributes + 1)) else "not every note stands there once",
        )

    return await ask(model, request, check=check)


def coverage_in(text: str) -> dict[str, Any] | None:
    """Return an answer that `ask_coverage` accepted, None if it can't be read any more."""
    return object_in(text, load_prompt(COVERAGE).output_schema)
