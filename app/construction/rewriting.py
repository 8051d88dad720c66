"""One question of a draft worded anew, made simpler or split, or several merged: proposed by a model.

The paper leaves this to people; the prompts restate its conditions for questions (InteractEval, section 3.4.3).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from app.construction.stage import tidy
from app.domain.checklist import Question
from app.domain.questions.proposal import Action
from app.domain.task import Dimension, Task
from app.errors import InputError
from app.prompting import dimension_variables, load_prompt, task_variables
from app.providers.base import ChatModel, ChatRequest
from app.providers.structured import Structured, ask

# How many questions go in and how many may come out, at least and at most.
_TAKES = {Action.REPHRASE: (1, 1), Action.SIMPLER: (1, 1), Action.SPLIT: (1, 1), Action.MERGE: (2, 9)}
_GIVES = {Action.REPHRASE: (1, 1), Action.SIMPLER: (1, 1), Action.SPLIT: (2, 4), Action.MERGE: (1, 1)}


@dataclass(frozen=True, slots=True)
class Rewriting:
    """The new wordings and what the model says it changed; `request` and `answer` are kept on record."""

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
    """What the model makes of `questions`. others: the wordings of the checklist's other questions.

    Raises InputError for too few or too many questions, WrongSchemaError where the model keeps giving the wrong number
    of questions or nothing new, UnsupportedError where the built-in rules know no answer.
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
        questions=[{"component": q.component or dimension.name, "question": q.text} for q in questions],
        others=list(others),
    )
    request = ChatRequest(prompt, template.output_schema)
    before = {tidy(question.text) for question in questions} if action is not Action.MERGE else set()
    answer = await ask(model, request, check=lambda value: _problem(value, action, before))
    texts = tuple(tidy(text) for text in answer.value["questions"])
    return Rewriting(texts, tidy(answer.value["reason"]), request, answer)


def _problem(value: dict[str, Any], action: Action, before: set[str]) -> str | None:
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
