"""The checklist evaluator's one call: a judge answers questions about a text (InteractEval, section 3.5)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from app.domain.checklist import Question
from app.domain.judgment import Answer, Judgment
from app.domain.task import Dimension, Task
from app.domain.text import Text
from app.errors import NotReadyError
from app.evaluators.answer_probabilities import probabilities_of_yes
from app.evaluators.options import shown
from app.prompting import PromptTemplate, dimension_variables, load_prompt, task_variables
from app.providers.base import ChatModel, ChatReply, ChatRequest
from app.providers.structured import ask

PROMPT = "judge-checklist"
PROMPT_WITH_REASONS = "judge-checklist-reasons"
ANSWERS = (Answer.YES.value, Answer.NO.value)
ALTERNATIVES = 5  # enough to hold both words in a few spellings


@dataclass(frozen=True, slots=True)
class JudgeOptions:
    """How a judge is asked. The defaults are the paper's: one call per text, answers only.

    reasons: a short reason with each answer (a model that is no LLM gives its reasons anyway).
    repeats: asked so often; more than once at temperature 1, because at 0 a repeat would only be an echo.
    soft: P(yes) from log-probabilities beside each answer.
    per_question: one call per question instead of one for all.
    reversed_order: the last question first, in the one call; shows whether answers depend on where a question stands.
    """

    reasons: bool = field(
        default=False, metadata=shown("Reasons with the answers", "A short one with each. More tokens, so dearer.")
    )
    repeats: int = field(
        default=1,
        metadata=shown(
            "Ask how often",
            "Asked several times, a judge shows how steady it is; a text's score is the mean. More than once, it is "
            "asked at temperature 1, for at 0 it would mostly repeat itself. Each repeat costs as much.",
        ),
    )
    soft: bool = field(
        default=False,
        metadata=shown(
            "How sure the judge is",
            "Beside each yes or no its probability of yes, from the log-probabilities of its words. Results can then "
            "also be computed from these. OpenAI, Google and most servers of one's own give them; Anthropic doesn't.",
        ),
    )
    per_question: bool = field(
        default=False,
        metadata=shown("One call for each question", "No answer can lean on another, at many times the cost."),
    )
    reversed_order: bool = field(
        default=False,
        metadata=shown(
            "Last question first",
            "The questions of the one call in reversed order. Scores are no better for it; beside those of the usual "
            "order they show whether an answer depends on where its question stands.",
            only={"per_question": (False,)},
            later=True,
        ),
    )

    def prompt(self, is_llm: bool = True) -> str:
        return PROMPT_WITH_REASONS if self.reasons and is_llm else PROMPT

    def calls(self, left: Sequence[Question]) -> list[tuple[Question, ...]]:
        """The questions of each call, in the order in which they are asked; none where none is left."""
        if self.per_question:
            return [(question,) for question in left]
        return [tuple(reversed(left) if self.reversed_order else left)] if left else []


PLAIN = JudgeOptions()


@dataclass(frozen=True, slots=True)
class ChecklistReply:
    """One judgment per question, in the order asked. `reply` carries the usage of all attempts."""

    judgments: tuple[Judgment, ...]
    reply: ChatReply


def question_keys(count: int) -> tuple[str, ...]:
    """The keys that stand for questions in request and answer: q1, q2 ..."""
    return tuple(f"q{number}" for number in range(1, count + 1))


def judge_schema(count: int, reasons: bool = False) -> dict[str, Any]:
    """An object with one required property per question, "yes" or "no", and nothing else: no answer passes for No.

    With reasons each property is an object of "reason" and then "answer", nothing else.
    """
    answer: dict[str, Any] = {"type": "string", "enum": list(ANSWERS)}
    if reasons:
        answer = _object({"reason": {"type": "string"}, "answer": answer})
    return _object(dict.fromkeys(question_keys(count), answer))


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def judge_request(
    template: PromptTemplate,
    task: Task,
    dimension: Dimension,
    questions: Sequence[Question],
    item: Text,
    options: JudgeOptions = PLAIN,
    repeat: int = 0,
) -> ChatRequest:
    """The request that answers `questions` about `item`. Raises NotReadyError where there is nothing to ask."""
    if not questions:
        raise NotReadyError(f"The checklist of {dimension.name} asks nothing.", "Enable or add at least one question.")
    keys = question_keys(len(questions))
    prompt = template.render(
        task=task_variables(task),
        dimension=dimension_variables(dimension),
        questions=[
            {"key": key, "question": q.text, "guidance": q.guidance} for key, q in zip(keys, questions, strict=True)
        ],
        item={"source": item.source, "text": item.text},
    )
    return ChatRequest(
        prompt,
        judge_schema(len(questions), template.name == PROMPT_WITH_REASONS),
        temperature=0.0 if options.repeats == 1 else 1.0,
        sample=repeat,
        top_logprobs=ALTERNATIVES if options.soft else 0,
    )


def read_answers(
    value: Mapping[str, Any], reply: ChatReply, questions: Sequence[Question], repeat: int = 0
) -> tuple[Judgment, ...]:
    """The judgments in an answer. What is missing or neither "yes" nor "no" is unanswered, never No."""
    keys = question_keys(len(questions))
    p_yes = probabilities_of_yes(reply.logprobs, keys) if reply.logprobs else {}
    judgments = []
    for key, question in zip(keys, questions, strict=True):
        answer, reason = _answer(value.get(key))
        if answer is Answer.UNANSWERED:
            judgments.append(Judgment(question.id, answer, repeat=repeat))
        else:
            rationale = reason or reply.rationales.get(key, "")
            judgments.append(Judgment(question.id, answer, rationale, repeat, p_yes.get(key)))
    return tuple(judgments)


def _answer(value: object) -> tuple[Answer, str]:
    """An answer and its reason, in either of the two forms."""
    if isinstance(value, Mapping):
        answer, reason = value.get("answer"), str(value.get("reason") or "").strip()
    else:
        answer, reason = value, ""
    return (Answer(answer) if answer in ANSWERS else Answer.UNANSWERED), reason


async def judge(
    model: ChatModel,
    task: Task,
    dimension: Dimension,
    questions: Sequence[Question],
    item: Text,
    *,
    template: PromptTemplate | None = None,
    options: JudgeOptions = PLAIN,
    repeat: int = 0,
) -> ChecklistReply:
    """Ask `model` all questions about one text, in one call.

    An answer that leaves questions open is asked again; if the last attempt still leaves some open, the answers it
    does give count and the others are unanswered. Raises WrongSchemaError where it gives none or names questions that
    weren't asked, NotReadyError without questions, and any other ProviderError of the model.
    """
    used = template or load_prompt(options.prompt(model.is_llm))
    request = judge_request(used, task, dimension, questions, item, options, repeat)
    keys = question_keys(len(questions))

    def usable_part(value: dict[str, Any]) -> dict[str, Any] | None:
        if not value.keys() <= set(keys):  # who counts from 0 means another question by q1: none of it can be trusted
            return None
        return {key: value[key] for key in keys if _answer(value.get(key))[0] is not Answer.UNANSWERED} or None

    answered = await ask(model, request, last_resort=usable_part)
    judgments = read_answers(answered.value, answered.reply, questions, repeat)
    return ChecklistReply(judgments, answered.reply)
