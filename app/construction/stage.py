"""Common parts of the stages: their context, the record of requests, and numbering of inputs."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from app.domain.build import Stage
from app.domain.project import Dimension, Task
from app.prompting import dimension_variables, load_prompt, task_variables
from app.providers.base import ChatModel, ChatRequest, Usage
from app.providers.structured import Check, Structured, ask

Output = TypeVar("Output")

BASE_OUTPUT_TOKENS = 4096
OUTPUT_TOKENS_PER_ITEM = 24


@dataclass(frozen=True, slots=True)
class StageContext:
    """The task and the dimension that the checklist is for."""

    task: Task
    dimension: Dimension


@dataclass(frozen=True, slots=True)
class StageRecord:
    """One request of a stage. `variables` are those of the prompt (with numbers, not our ids)."""

    stage: Stage
    prompt: str
    digest: str
    model: str
    variables: Mapping[str, Any]
    reply: str
    usage: Usage


@dataclass(frozen=True, slots=True)
class StageResult(Generic[Output]):
    output: Output
    record: StageRecord


async def ask_stage(
    stage: Stage, model: ChatModel, context: StageContext, variables: Mapping[str, Any], *, check: Check, items: int
) -> tuple[dict[str, Any], StageRecord]:
    """Return the stage's answer, valid by schema and `check`, and its record.

    items: the number of things the answer is about; long answers get a higher limit on output tokens.
    """
    template = load_prompt(stage)
    prompt = template.render(
        task=task_variables(context.task), dimension=dimension_variables(context.dimension), **variables
    )
    limit = BASE_OUTPUT_TOKENS + OUTPUT_TOKENS_PER_ITEM * items
    request = ChatRequest(prompt, template.output_schema, max_output_tokens=limit)
    answer = await ask(model, request, check=check)
    return answer.value, _record(stage, model, request, answer)


def _record(stage: Stage, model: ChatModel, request: ChatRequest, answer: Structured) -> StageRecord:
    return StageRecord(
        stage=stage,
        prompt=request.prompt.label,
        digest=request.prompt.digest,
        model=model.name,
        variables=request.prompt.variables,
        reply=answer.reply.text,
        usage=answer.reply.usage,
    )


class Numbering:
    """Numbers 1..n for our ids: models copy small numbers without mistakes, and they reveal nothing."""

    def __init__(self, ids: Iterable[int]) -> None:
        self._ids = tuple(dict.fromkeys(ids))
        self._numbers = {id_: number for number, id_ in enumerate(self._ids, start=1)}

    def number(self, id_: int) -> int:
        return self._numbers[id_]

    def ids(self, numbers: Iterable[int]) -> tuple[int, ...]:
        """Return our ids, each once, in the order given."""
        return tuple(dict.fromkeys(self._ids[int(number) - 1] for number in numbers))

    def problem(self, numbers: Iterable[int], what: str) -> str | None:
        return unknown_numbers(numbers, len(self._ids), what)


def unknown_numbers(numbers: Iterable[int], count: int, what: str) -> str | None:
    """Return a sentence on numbers that stand for nothing; None without any."""
    unknown = sorted({int(number) for number in numbers if not 1 <= number <= count})
    if not unknown:
        return None
    shown = ", ".join(map(str, unknown[:10]))
    return f"there is no {what} {shown}; they are numbered 1 to {count}"


def first_problem(*problems: str | None) -> str | None:
    return next((problem for problem in problems if problem), None)


def tidy(text: str) -> str:
    """Return a name or question on one line, without spaces around."""
    return " ".join(text.split())


def merged(groups: Iterable[Sequence[int]]) -> tuple[int, ...]:
    """Return the union of ids, each once, in order of first occurrence."""
    return tuple(dict.fromkeys(id_ for group in groups for id_ in group))
