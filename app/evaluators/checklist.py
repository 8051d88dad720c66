"""The checklist evaluator: one call per text and dimension answers all questions (InteractEval, section 3.5)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.domain.checklist import Question
from app.domain.judgment import Answer, Judgment
from app.domain.task import Dimension, Task
from app.domain.text import Text
from app.errors import NotReadyError
from app.prompting import PromptTemplate, dimension_variables, load_prompt, task_variables
from app.providers.base import ChatModel, ChatReply, ChatRequest
from app.providers.structured import ask

PROMPT = "judge-checklist"
ANSWERS = (Answer.YES.value, Answer.NO.value)


@dataclass(frozen=True, slots=True)
class JudgedText:
    """One judgment per question, in the order asked. `reply` carries the usage of all attempts."""

    judgments: tuple[Judgment, ...]
    reply: ChatReply
    attempts: int

    @property
    def unanswered(self) -> int:
        return sum(judgment.answer is Answer.UNANSWERED for judgment in self.judgments)


def question_keys(count: int) -> tuple[str, ...]:
    """The keys that stand for questions in request and answer: q1, q2 ..."""
    return tuple(f"q{number}" for number in range(1, count + 1))


def judge_schema(count: int) -> dict[str, Any]:
    """An object with one required property per question, "yes" or "no", and nothing else: no answer passes for No."""
    keys = question_keys(count)
    return {
        "type": "object",
        "properties": {key: {"type": "string", "enum": list(ANSWERS)} for key in keys},
        "required": list(keys),
        "additionalProperties": False,
    }


def judge_request(
    template: PromptTemplate,
    task: Task,
    dimension: Dimension,
    questions: Sequence[Question],
    item: Text,
) -> ChatRequest:
    """The request that answers `questions` about `item`. Raises NotReadyError where there is nothing to ask."""
    if not questions:
        raise NotReadyError(f"The checklist of {dimension.name} asks nothing.", "Enable or add at least one question.")
    keys = question_keys(len(questions))
    prompt = template.render(
        task=task_variables(task),
        dimension=dimension_variables(dimension),
        questions=[{"key": key, "question": q.text} for key, q in zip(keys, questions, strict=True)],
        item={"source": item.source, "text": item.text},
    )
    return ChatRequest(prompt, judge_schema(len(questions)))


def read_answers(value: Mapping[str, Any], reply: ChatReply, questions: Sequence[Question]) -> tuple[Judgment, ...]:
    """The judgments in an answer. What is missing or neither "yes" nor "no" is unanswered, never No."""
    judgments = []
    for key, question in zip(question_keys(len(questions)), questions, strict=True):
        answer = value.get(key)
        read = Answer(answer) if answer in ANSWERS else Answer.UNANSWERED
        rationale = "" if read is Answer.UNANSWERED else reply.rationales.get(key, "")
        judgments.append(Judgment(question.id, read, rationale))
    return tuple(judgments)


async def judge(
    model: ChatModel,
    task: Task,
    dimension: Dimension,
    questions: Sequence[Question],
    item: Text,
    *,
    template: PromptTemplate | None = None,
) -> JudgedText:
    """Ask `model` all questions about one text.

    An answer that leaves questions open is asked again; if the last attempt still leaves some open, the answers it
    does give count and the others are unanswered. Raises WrongSchemaError where it gives none, NotReadyError without
    questions, and any other ProviderError of the model.
    """
    request = judge_request(template or load_prompt(PROMPT), task, dimension, questions, item)
    keys = question_keys(len(questions))

    def usable_part(value: dict[str, Any]) -> dict[str, Any] | None:
        return {key: value[key] for key in keys if value.get(key) in ANSWERS} or None

    answered = await ask(model, request, last_resort=usable_part)
    judgments = read_answers(answered.value, answered.reply, questions)
    return JudgedText(judgments, answered.reply, answered.attempts)
