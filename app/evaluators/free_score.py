"""Ask a judge for a score in prose, and insist until one can be read."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from app.domain.task import Dimension, Task
from app.domain.text import Text
from app.errors import CutOffError, RefusedError, UnreadableScoreError
from app.evaluators.score_reading import FoundScore, find_score
from app.prompting import dimension_variables, load_prompt, task_variables
from app.providers.base import ChatModel, ChatReply, ChatRequest, Turn

ATTEMPTS = 3


def score_request(
    prompt: str, task: Task, dimension: Dimension, item: Text, more: Mapping[str, Any] | None = None, **how: Any
) -> ChatRequest:
    """The request of a prompt about one text; `more` are its further variables, `how` further fields."""
    variables = {
        "task": task_variables(task),
        "dimension": dimension_variables(dimension),
        "item": {"source": item.source, "text": item.text},
    }
    return ChatRequest(load_prompt(prompt).render(**variables, **(more or {})), **how)


async def ask_score(
    model: ChatModel, request: ChatRequest, dimension: Dimension, attempts: int = ATTEMPTS
) -> tuple[FoundScore, ChatReply]:
    """The score on the dimension's scale, its place in the reply, and the reply.

    An answer without a readable score is asked again with the reason, one that was cut off with twice the room. Raises
    RefusedError at once, CutOffError or UnreadableScoreError after the last attempt, and whatever the model raises.
    """
    for attempt in range(1, attempts + 1):
        reply = await model.complete(request)
        if reply.finish == "refused":
            raise RefusedError(f"{model.name} declined to answer.")
        last = attempt == attempts
        if reply.finish == "length":
            if last:
                raise CutOffError(f"The answer of {model.name} ended at the limit of output tokens.")
            request = replace(request, max_output_tokens=2 * request.max_output_tokens)
            continue
        try:
            return find_score(reply.text, dimension.low, dimension.high), reply
        except UnreadableScoreError as error:
            if last:
                raise
            correction = f"{error.message} Answer once more: one number from {dimension.low:g} to {dimension.high:g}."
            request = replace(request, turns=(*request.turns, Turn(reply.text.strip() or "(empty)", correction)))
    raise AssertionError("the last attempt returns or raises")
