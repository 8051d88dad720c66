"""Better wordings for a question, proposed by a model from answers that people decided otherwise.

The prompt keeps the conditions that every question meets (InteractEval, section 3.4.3), as those for rewording do, and
asks that it be answerable from the text. Which proposal is any good is for a trial to say, on other texts.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from app.construction.stage import first_problem, tidy
from app.domain.checklist import Question
from app.domain.improvement import ProposedWording
from app.domain.judgment import Answer
from app.domain.project import Dimension, Task, Text
from app.errors import NotReadyError
from app.prompting import dimension_variables, load_prompt, task_variables
from app.providers.base import ChatModel, ChatRequest
from app.providers.structured import Structured, ask

IMPROVE = "question-improve"
MOST_WORDINGS = 5
MOST_CASES = 16
"""Errors that a model is shown: what is misread shows in a few, and all of hundreds would fill its memory."""
EXCERPT = 1_500
"""Characters of a text, and of its source, that a case shows."""


@dataclass(frozen=True, slots=True)
class DecidedError:
    """A text on which the judge said otherwise than was decided, with the reasons of both, "" for none."""

    text: Text
    said: Answer
    decided: Answer
    reason: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class ProposedWordings:
    """`request` and `answer` are kept on record."""

    wordings: tuple[ProposedWording, ...]
    request: ChatRequest
    answer: Structured


async def propose_wordings(
    model: ChatModel,
    task: Task,
    dimension: Dimension,
    question: Question,
    errors: Sequence[DecidedError],
    others: Sequence[str] = (),
) -> ProposedWordings:
    """Up to five, all different and none as it is now. others: the wordings of the checklist's other questions.

    Raises NotReadyError without errors, WrongSchemaError where the model keeps giving nothing new, UnsupportedError
    where the built-in rules know no answer.
    """
    if not errors:
        raise NotReadyError("The judge makes no error that a wording could mend.", "Decide about more texts.")
    request = improve_request(task, dimension, question, errors, others)
    answer = await ask(model, request, check=lambda value: _problem(value, question))
    return ProposedWordings(_new(answer.value, question), request, answer)


def improve_request(
    task: Task, dimension: Dimension, question: Question, errors: Sequence[DecidedError], others: Sequence[str]
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


def _case(number: int, error: DecidedError) -> dict[str, Any]:
    return {
        "number": number,
        "said": "no answer" if error.said is Answer.UNANSWERED else error.said.value,
        "reason": error.reason,
        "decided": error.decided.value,
        "why": error.why,
        "source": _excerpt(error.text.source),
        "text": _excerpt(error.text.text),
    }


def _mixed(errors: Sequence[DecidedError]) -> list[DecidedError]:
    """Those decided to be yes and the others in turn, so that neither kind crowds out the other."""
    missed = [error for error in errors if error.decided is Answer.YES]
    others = [error for error in errors if error.decided is not Answer.YES]
    pairs = zip_longest(missed, others)
    return [error for pair in pairs for error in pair if error is not None][:MOST_CASES]


def _excerpt(text: str) -> str:
    return text if len(text) <= EXCERPT else f"{text[:EXCERPT]} …"


def _new(value: dict[str, Any], question: Question) -> tuple[ProposedWording, ...]:
    """Tidied, each once, without what is there already."""
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
