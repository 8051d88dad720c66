"""Key questions, sub-questions, rewritten attributes, when a question applies, and better wordings of one question."""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any

import numpy as np

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
from app.domain.checklist import LONGEST_EXAMPLE, MOST_EXAMPLES, Action, Component, Example, Question, QuestionKind
from app.domain.checklist_score import Answer
from app.domain.improvement import DECIDABLE, ProposedWording, TriedWording, WordingTrial, best_tried, compared_wordings
from app.domain.project import Dimension, Task, Text
from app.errors import InputError, NotReadyError
from app.prompting import dimension_variables, load_prompt, task_variables
from app.providers.base import ChatModel, ChatRequest
from app.providers.structured import Structured, ask, object_in

IMPROVE = "question-improve"
MOST_WORDINGS = 5
MOST_CASES = 16
"""Most errors shown to a model: a few show what is misread, and hundreds wouldn't fit its context."""
EXCERPT = 1_500
"""Most characters of a text, and of its source, that a case shows."""


@dataclass(frozen=True, slots=True)
class JudgeMistake:
    """A text on which the judge's answer differs from the decision, with the reasons of both, "" for none."""

    text: Text
    said: Answer
    decided: Answer
    reason: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class ProposedWordings:
    """Proposed wordings of a question; `request` and `answer` are recorded."""

    wordings: tuple[ProposedWording, ...]
    request: ChatRequest
    answer: Structured


async def propose_wordings(
    model: ChatModel,
    task: Task,
    dimension: Dimension,
    question: Question,
    errors: Sequence[JudgeMistake],
    others: Sequence[str] = (),
) -> ProposedWordings:
    """Return up to five new, different wordings. others: the wordings of the checklist's other questions.

    Raises NotReadyError without errors, WrongSchemaError if the model keeps proposing nothing new, UnsupportedError if
    the built-in rules know no answer.
    """
    if not errors:
        raise NotReadyError("The judge makes no error that a wording could mend.", "Decide about more texts.")
    request = improve_request(task, dimension, question, errors, others)
    answer = await ask(model, request, check=lambda value: _problem(value, question))
    return ProposedWordings(_new(answer.value, question), request, answer)


def improve_request(
    task: Task, dimension: Dimension, question: Question, errors: Sequence[JudgeMistake], others: Sequence[str]
) -> ChatRequest:
    template = load_prompt(IMPROVE)
    prompt = template.render(
        task=task_variables(task),
        dimension=dimension_variables(dimension),
        question={
            "component": question.component or dimension.name,
            "question": question.text,
            "guidance": question.guidance,
            "must_not": question.must_not,
        },
        errors=[_case(number, error) for number, error in enumerate(_mixed(errors), start=1)],
        others=list(others),
        count=MOST_WORDINGS,
    )
    return ChatRequest(prompt, template.output_schema)


def _case(number: int, error: JudgeMistake) -> dict[str, Any]:
    return {
        "number": number,
        "said": "no answer" if error.said is Answer.UNANSWERED else error.said.value,
        "reason": error.reason,
        "decided": error.decided.value,
        "why": error.why,
        "source": _excerpt(error.text.source),
        "text": _excerpt(error.text.text),
    }


def _mixed(errors: Sequence[JudgeMistake]) -> list[JudgeMistake]:
    """Return errors decided as yes and as no in turn, so that neither kind crowds out the other."""
    missed = [error for error in errors if error.decided is Answer.YES]
    others = [error for error in errors if error.decided is not Answer.YES]
    pairs = zip_longest(missed, others)
    return [error for pair in pairs for error in pair if error is not None][:MOST_CASES]


def _excerpt(text: str) -> str:
    return text if len(text) <= EXCERPT else f"{text[:EXCERPT]} …"


def _new(value: dict[str, Any], question: Question) -> tuple[ProposedWording, ...]:
    """Return the proposed wordings, tidied, each once, without the present one."""
    found: dict[tuple[str, str], ProposedWording] = {}
    now = (tidy(question.text), tidy(question.guidance))
    for entry in value["proposals"]:
        words = tidy(entry["question"]), tidy(entry["guidance"])
        if words != now:
            found.setdefault(words, ProposedWording(*words, tidy(entry["reason"])))
    return tuple(found.values())[:MOST_WORDINGS]


def _problem(value: dict[str, Any], question: Question) -> str | None:
    return first_problem(
        None if all(entry["question"].strip() for entry in value["proposals"]) else "a question is empty",
        None if _new(value, question) else "it holds nothing but the question as it is",
    )


SETS = 6
"""Sets of examples tried on the development half besides a random one."""
FEWEST_FOR_EXAMPLES = 12
"""Decided answers of the development half below which too few are left to try examples on."""
RANDOM = "drawn at random, for comparison"
WRITTEN = "written by hand"
Ask = Callable[[ProposedWording, Sequence[int]], Awaitable[Mapping[int, Answer]]]
"""Asks the judge about these texts; returns text id -> answer, without those that have no reply."""


def example_of(text: Text, answer: Answer, reason: str = "") -> Example:
    """Return an example of a decided text; a long text is cut."""
    words = " ".join(text.text.split())
    cut = words if len(words) <= LONGEST_EXAMPLE else f"{words[: LONGEST_EXAMPLE - 2]} …"
    return Example(cut, answer.value, " ".join(reason.split())[:LONGEST_EXAMPLE])


def example_sets(
    decided: Mapping[int, Answer], mistaken: Collection[int], rng: np.random.Generator
) -> list[tuple[int, ...]]:
    """Return SETS sets of texts for examples, then a random one; up to MOST_EXAMPLES each, balanced over answers.

    The first sets prefer texts that the judge got wrong: these show where the threshold is.
    """
    first = [_balanced(decided, mistaken, rng) for _ in range(SETS)]
    return [*dict.fromkeys(first), _balanced(decided, (), rng)]


def _balanced(decided: Mapping[int, Answer], preferred: Collection[int], rng: np.random.Generator) -> tuple[int, ...]:
    piles = []
    for answer in DECIDABLE:
        pile = [text for text, said in decided.items() if said is answer]
        drawn = [pile[place] for place in rng.permutation(len(pile))]
        piles.append(sorted(drawn, key=lambda text: text not in preferred))  # stable: as drawn among equals
    in_turn = [text for row in zip_longest(*piles) for text in row if text is not None]
    least = min((len(pile) for pile in piles if pile), default=0) * sum(bool(pile) for pile in piles)
    return tuple(in_turn[: min(MOST_EXAMPLES, least)])


@dataclass(frozen=True, slots=True)
class TriedExamples:
    """Results of sets of examples. `tried` on the development half, a random set last; `best` is an index in it, never
    the last. On the proof half `proof` compares no examples with the best ones, `beside` random ones with the best
    ones."""

    tried: tuple[TriedWording, ...]
    best: int | None
    proof: WordingTrial | None
    beside: WordingTrial | None


async def try_examples(
    now: ProposedWording,
    development: Mapping[int, Answer],
    proof: Mapping[int, Answer],
    examples: Mapping[int, Example],
    documents: Mapping[int, str],
    ask: Ask,
    rng: np.random.Generator,
    written: Sequence[Example] = (),
) -> TriedExamples:
    """Choose the examples that correct most errors of the development half, and test them once on the other half.

    A text that is an example isn't asked about with it. proof: empty to leave the test out. written: a person's own
    examples, tried instead of chosen ones. Raises NotReadyError for too few decided answers, or only one kind of them.
    """
    if len(development) < FEWEST_FOR_EXAMPLES or len(set(development.values())) < 2:
        raise NotReadyError(
            "Examples need a yes and a no, and texts to try them on.",
            f"Decide about {FEWEST_FOR_EXAMPLES} texts of the development half or more, with different answers.",
        )
    before = await ask(now, tuple(development))
    mistaken = {text for text, said in before.items() if said is not development[text]}
    *chosen, drawn = example_sets(development, mistaken, rng)
    sets = [("from what the judge gets wrong", tuple(examples[text] for text in texts)) for texts in chosen]
    tried = []
    for why, shown in [
        *([(WRITTEN, tuple(written))] if written else sets),
        (RANDOM, tuple(examples[t] for t in drawn)),
    ]:
        wording = ProposedWording(now.text, now.guidance, why, shown)
        others = _not_shown(development, examples, shown)
        after = await ask(wording, tuple(others))
        tried.append(TriedWording(wording, compared_wordings(before, after, others, documents)))
    best, proven, beside = best_tried(tried[:-1], now), None, None
    if best is not None and proof:
        proof = _not_shown(proof, examples, written)
        first, then, random = [
            await ask(wording, tuple(proof)) for wording in (now, tried[best].wording, tried[-1].wording)
        ]
        proven = compared_wordings(first, then, proof, documents)
        beside = compared_wordings(random, then, proof, documents)
    return TriedExamples(tuple(tried), best, proven, beside)


def _not_shown(
    decided: Mapping[int, Answer], examples: Mapping[int, Example], shown: Sequence[Example]
) -> dict[int, Answer]:
    """Return the decided texts that are not among the examples and contain no passage that is."""
    passages = [example.text.removesuffix(" …") for example in shown]
    return {
        text: answer
        for text, answer in decided.items()
        if not any(passage in examples[text].text for passage in passages)
    }


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
