"""Which questions of a draft may not apply to some texts: proposed by a model, with a reason for each.

The paper knows yes and no only, so this choice is ours. It is asked apart: the prompts that write questions stay to the
letter what they were, and so do their recordings and the wordings that projects have of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from app.construction.stage import first_problem, tidy, unknown_numbers
from app.domain.checklist import Question
from app.domain.task import Dimension, Task
from app.errors import NotReadyError
from app.prompting import dimension_variables, load_prompt, task_variables
from app.providers.base import ChatModel, ChatRequest
from app.providers.structured import Structured, ask

APPLICABILITY = "question-applicability"


@dataclass(frozen=True, slots=True)
class Applicability:
    """The questions that may not apply, each with the reason; `request` and `answer` are kept on record."""

    questions: tuple[tuple[Question, str], ...]
    request: ChatRequest
    answer: Structured


async def ask_applicability(
    model: ChatModel, task: Task, dimension: Dimension, questions: Sequence[Question]
) -> Applicability:
    """Raises NotReadyError without questions, WrongSchemaError where the model keeps naming others or gives no reason,
    UnsupportedError where the built-in rules know no answer."""
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
