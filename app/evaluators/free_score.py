"""Ask a judge for a score in prose, and insist until one can be read."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from app.domain.task import Dimension, Task
from app.domain.text import Text
from app.domain.wording.abstention import abstention_in_prose
from app.errors import AbstainedError, CutOffError, NoAnswerError, RefusedError, UnreadableScoreError
from app.evaluators.score_reading import FoundScore, find_score
from app.prompting import dimension_variables, load_prompt, task_variables
from app.providers.base import ATTEMPTS, ChatModel, ChatReply, ChatRequest, Turn, discard
from app.providers.structured import no_answer, with_more_room


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

    An answer without a readable score is asked again with the reason, one that was cut off with twice the room, which
    is no attempt. Raises RefusedError at once, so AbstainedError where the judge says that it can't tell or that it
    doesn't apply, CutOffError where no more room can be given, NoAnswerError or UnreadableScoreError after the last
    attempt, and whatever the model raises.
    """
    asked: list[ChatRequest] = []
    try:
        return await _insist(model, request, dimension, attempts, asked)
    except (RefusedError, CutOffError, NoAnswerError, UnreadableScoreError):
        await discard(model, asked)
        raise


async def _insist(
    model: ChatModel, request: ChatRequest, dimension: Dimension, attempts: int, asked: list[ChatRequest]
) -> tuple[FoundScore, ChatReply]:
    attempt = 1
    while attempt <= attempts:
        asked.append(request)
        reply = await model.complete(request)
        if reply.finish == "refused":
            raise RefusedError(f"{model.name} declined to answer.")
        if reply.finish == "length":
            request = with_more_room(model.name, request, reply)
            continue
        if why := abstention_in_prose(reply.text):
            raise AbstainedError(why)
        try:
            return find_score(reply.text, dimension.low, dimension.high), reply
        except UnreadableScoreError as error:
            if attempt == attempts and reply.silent:
                raise no_answer(model, reply) from None
            if attempt == attempts:
                raise
            correction = f"{error.message} Answer once more: one number from {dimension.low:g} to {dimension.high:g}."
            request = replace(request, turns=(*request.turns, Turn(reply.text.strip() or "(empty)", correction)))
            attempt += 1
    raise AssertionError("the last attempt returns or raises")
