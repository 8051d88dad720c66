"""Ask for a JSON object and insist: parse, validate, re-ask with the reason, then fail by name."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from app.errors import CutOffError, NoAnswerError, RefusedError, WrongSchemaError
from app.providers.adapters.output_room import START, cut_off
from app.providers.base import ATTEMPTS, ChatModel, ChatReply, ChatRequest, Turn, Usage, discard
from app.providers.json_schema import UnreadableAnswerError, parse_object, schema_problem, wrapped_objects

MOST_CUT_OFF = 3  # with the room doubled each time, the last has as much as any model gives

Check = Callable[[dict[str, Any]], str | None]
_MOST_WRAPPED = 50  # a wrapper holds few objects
LastResort = Callable[[dict[str, Any]], dict[str, Any] | None]
Accept = Callable[[dict[str, Any]], bool]


@dataclass(frozen=True, slots=True)
class Structured:
    """A validated answer. `reply` is the last one, with usage and seconds of all attempts added up.

    `complete` is False where the last resort made do with a part of the answer.
    """

    value: dict[str, Any]
    reply: ChatReply
    attempts: int
    complete: bool = True


async def ask(
    model: ChatModel,
    request: ChatRequest,
    attempts: int = ATTEMPTS,
    check: Check | None = None,
    last_resort: LastResort | None = None,
    accept: Accept | None = None,
) -> Structured:
    """The model's answer as an object that satisfies `request.schema` and `check`.

    check: says what is wrong with an object of the right form, or None.
    last_resort: what to make of the last answer when all attempts are used up and it is at least an object; None
        from it means nothing can be made of it.
    accept: whether an object that doesn't have the form asked for is an answer all the same.

    An answer that was cut off is asked for again with twice the room, which is no attempt. Raises RefusedError at once
    (asking again doesn't change it), CutOffError where no more room can be given, NoAnswerError or WrongSchemaError
    after the last attempt, and whatever the model raises. Messages name what is wrong, never what the model wrote.
    """
    if request.schema is None:
        raise ValueError("structured answers need a schema")
    if attempts < 1:
        raise ValueError("attempts must be at least 1")
    asked: list[ChatRequest] = []
    try:
        return await _insist(model, request, attempts, check, last_resort, accept, asked)
    except (RefusedError, CutOffError, NoAnswerError, WrongSchemaError):
        await discard(model, asked)
        raise


async def _insist(
    model: ChatModel,
    request: ChatRequest,
    attempts: int,
    check: Check | None,
    last_resort: LastResort | None,
    accept: Accept | None,
    asked: list[ChatRequest],
) -> Structured:
    """`ask`, with what was asked put down in `asked`."""
    usage, seconds = Usage(), 0.0
    problem, attempt = "", 1
    while attempt <= attempts:
        asked.append(request)
        answer = await model.complete(request)
        usage, seconds = usage + answer.usage, seconds + answer.seconds
        reply = replace(answer, usage=usage, seconds=seconds)
        if reply.finish == "refused":
            raise RefusedError(f"{model.name} declined to answer.")
        if reply.finish == "length":
            request = with_more_room(model.name, request, answer)
            continue
        value, found = _examine(reply.text, request.schema, check)
        if value is not None and (found is None or (accept is not None and accept(value))):
            return Structured(value, reply, len(asked))
        problem = found or problem
        if attempt == attempts and value is not None and last_resort is not None:
            rest = last_resort(value)
            if rest is not None:
                await discard(model, asked)
                return Structured(rest, reply, len(asked), complete=False)
        request = replace(request, turns=(*request.turns, _correction(reply.text, problem)))
        attempt += 1
    if reply.silent:
        raise no_answer(model, reply)
    raise WrongSchemaError(
        f"{model.name} did not answer {request.prompt.label} as asked in {attempts} attempts: {problem}."
    )


def with_more_room(name: str, request: ChatRequest, reply: ChatReply) -> ChatRequest:
    """The same request once more after an answer that was cut off. Raises CutOffError where that makes no sense."""
    again = replace(request, cut_off=(*request.cut_off, reply.room))
    # Small rooms are those of earlier times and of models that were known not to reason.
    if reply.last_room or sum(not 0 < room < START for room in again.cut_off) >= MOST_CUT_OFF:
        raise cut_off(name, reply.room)
    return again


def no_answer(model: ChatModel, reply: ChatReply) -> NoAnswerError:
    """The error for a reply that says nothing."""
    how = f"ended its reply without an answer ({reply.ending})" if reply.ending else "gave an empty answer"
    return NoAnswerError(f"{model.name} {how}.")


def object_in(text: str, schema: Any) -> dict[str, Any] | None:
    """The object of an answer that `ask` took, read in the same way; None where it can't be read any more."""
    value, problem = _examine(text, schema, None)
    return value if problem is None else None


def fits(value: dict[str, Any], schema: Any) -> bool:
    """Whether an object has the form that a schema asks for."""
    return schema_problem(value, schema) is None


def _examine(text: str, schema: Any, check: Check | None) -> tuple[dict[str, Any] | None, str | None]:
    """The object, where there is one, and what is wrong with it, where something is."""
    try:
        value = parse_object(text)
    except UnreadableAnswerError as error:
        return None, str(error)
    problem = schema_problem(value, schema)
    if problem is not None:
        value, problem = _unwrapped(value, schema, problem)
    if problem is None and check is not None:
        problem = check(value)
    return value, problem


def _unwrapped(value: dict[str, Any], schema: Any, problem: str) -> tuple[dict[str, Any], str | None]:
    """The one object inside that satisfies the schema; else the value as it is, with its problem."""
    inner_ones = islice(wrapped_objects(value), _MOST_WRAPPED)
    fitting = [inner for inner in inner_ones if schema_problem(inner, schema) is None]
    if fitting and all(other == fitting[0] for other in fitting):
        return fitting[0], None
    return value, problem


def _correction(text: str, problem: str) -> Turn:
    # Some providers refuse an empty message in a conversation.
    return Turn(
        answer=text.strip() or "(empty)",
        correction=(
            f"This answer can't be used: {problem}. Give the whole answer once more as a single JSON object of the "
            "form that was described, with nothing before or after it."
        ),
    )
