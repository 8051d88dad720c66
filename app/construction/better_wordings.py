"""Better wordings of one question, which a model proposes from its mistakes."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from app.construction.stage import (
    first_problem,
    tidy,
)
from app.domain.checklist import Question
from app.domain.checklist_score import Answer
from app.domain.improvement import ProposedWording
from app.domain.project import Dimension, Task, Text
from app.errors import NotReadyError
from app.prompting import dimension_variables, load_prompt, task_variables
from app.providers.base import ChatModel, ChatRequest
from app.providers.structured import Structured, ask

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
