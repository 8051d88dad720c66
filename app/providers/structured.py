"""Ask for a JSON object: parse and validate the answer, re-ask with the reason, and fail with a named error."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, NoReturn

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from app.domain.model_thoughts import answer_part
from app.domain.storable_text import storable_value
from app.errors import CutOffError, NoAnswerError, RefusedError, WrongSchemaError
from app.providers.adapters.request_style import START, cut_off
from app.providers.base import ATTEMPTS, ChatModel, ChatReply, ChatRequest, Turn, Usage, discard

_FENCED = re.compile(r"\s*```[a-zA-Z]*\s*\n(.*?)\n?\s*```\s*", re.DOTALL)
_OBJECT_START = re.compile(r"\{(?=\s*[\"}])")
# Qwen's <parameter=q1>, Claude's and MiniMax's <parameter name="q1">, GLM's <arg_key>q1</arg_key><arg_value>.
_PARAMETER = re.compile(
    r"(?:<parameter(?:=|\s{1,3}name=)[\"']?([\w-]{1,80})[\"']?>|<arg_key>([\w-]{1,80})</arg_key>\s{0,9}<arg_value>)"
    r"([^<]{0,4000})</"
)
_SHOWN_ERRORS = 5
_PROSE = object()


class UnreadableAnswerError(ValueError):
    """The answer holds no usable JSON object; the message says why."""


def parse_object(text: str) -> dict[str, Any]:
    """Return the one JSON object in an answer: bare, fenced, with prose around it, or as a tool call's parameters.

    Raises UnreadableAnswerError for no object, more than one, another JSON value, a key given twice, NaN and infinity.
    Line breaks inside strings are tolerated; characters that no database stores become U+FFFD.
    """
    value = _whole(text)
    if value is _PROSE:  # only now: in an object's strings anything may stand, a tag of thoughts too
        words = answer_part(text)
        value = _whole(words)
        if value is _PROSE:
            value = _parameters(words) or _only_object_within(words)
    if not isinstance(value, dict):
        raise UnreadableAnswerError("it is JSON, but not an object")
    try:
        mended: dict[str, Any] = storable_value(value)
    except RecursionError as error:
        raise UnreadableAnswerError("it is nested too deeply") from error
    return mended


def wrapped_objects(value: object, depth: int = 4) -> Iterator[dict[str, Any]]:
    """Yield the objects inside an object, including those written as strings: an answer may be wrapped, such as in a
    tool call."""
    if isinstance(value, str) and value.lstrip().startswith("{"):
        try:
            value = parse_object(value)
        except UnreadableAnswerError:
            return
        yield value
    if depth and isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            if isinstance(inner, dict):
                yield inner
            yield from wrapped_objects(inner, depth - 1)


def schema_problem(value: Mapping[str, Any], schema: Mapping[str, Any]) -> str | None:
    """Return what is wrong with the value, in words, or None. At most five problems are named."""
    errors = sorted(Draft202012Validator(schema).iter_errors(value), key=lambda error: list(map(str, error.path)))
    if not errors:
        return None
    # The validator objects once for each missing property, and each time all of them are named.
    said = list(dict.fromkeys(map(_describe, errors)))
    more = [f"and {len(said) - _SHOWN_ERRORS} more"] if len(said) > _SHOWN_ERRORS else []
    return "; ".join(said[:_SHOWN_ERRORS] + more)


def _whole(text: str) -> Any:
    """Return the JSON that the text is, in a fence or bare, or _PROSE."""
    fenced = _FENCED.fullmatch(text)
    try:
        return _DECODER.decode((fenced[1] if fenced else text).strip())
    except UnreadableAnswerError:
        raise
    except (ValueError, RecursionError):
        return _PROSE


def _parameters(text: str) -> dict[str, Any]:
    """Return the parameters of a tool call in tags, such as <parameter=q1>yes</parameter>; {} for other texts."""
    found = [(match[1] or match[2], match[3].strip()) for match in _PARAMETER.finditer(text)]
    return _distinct([(name, _scalar(written)) for name, written in found])


def _scalar(written: str) -> Any:
    try:
        return _DECODER.decode(written)
    except UnreadableAnswerError:
        raise
    except (ValueError, RecursionError):
        return written


def _only_object_within(text: str) -> dict[str, Any]:
    found: list[dict[str, Any]] = []
    position = 0
    while match := _OBJECT_START.search(text, position):
        try:
            value, position = _DECODER.raw_decode(text, match.start())
        except UnreadableAnswerError:
            raise
        except RecursionError as error:
            raise UnreadableAnswerError("it is nested too deeply") from error
        except json.JSONDecodeError as error:
            # What starts like an object but isn't one is a broken answer; an inner part must not pass for the whole.
            raise UnreadableAnswerError(f"it isn't valid JSON: {error.msg}") from error
        except ValueError as error:
            raise UnreadableAnswerError("it holds a number that can't be read") from error
        found.append(value)
    if not found:
        raise UnreadableAnswerError("it holds no JSON object")
    if len(found) > 1:
        raise UnreadableAnswerError(f"it holds {len(found)} JSON objects instead of one")
    return found[0]


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        raise UnreadableAnswerError("a key is given twice in the same object")
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise UnreadableAnswerError(f"{name} isn't a JSON number")


_DECODER = json.JSONDecoder(object_pairs_hook=_distinct, parse_constant=_refuse_constant, strict=False)


def _describe(error: ValidationError) -> str:
    where = _path(error)
    expected: Any = error.validator_value
    match error.validator:
        case "required":
            present = error.instance if isinstance(error.instance, dict) else {}
            return f"{where} lacks {', '.join(name for name in expected if name not in present)}"
        case "additionalProperties":
            return f"{where} has properties that weren't asked for"
        case "enum":
            return f"{where} must be one of {', '.join(map(str, expected))}"
        case "type":
            return f"{where} must be of type {expected}"
        case rule:
            return f"{where} breaks the rule {rule} ({expected})"


def _path(error: ValidationError) -> str:
    said = ""
    for part in error.path:
        said += f"[{part}]" if isinstance(part, int) else f".{part}"
    return said.removeprefix(".") or "the object"


MOST_CUT_OFF = 3  # with the room doubled each time, the last has as much as any model gives

Check = Callable[[dict[str, Any]], str | None]
_MOST_WRAPPED = 50  # a wrapper holds few objects
LastResort = Callable[[dict[str, Any]], dict[str, Any] | None]
Accept = Callable[[dict[str, Any]], bool]


@dataclass(frozen=True, slots=True)
class Structured:
    """A validated answer. `reply` is the last one, with usage and seconds of all attempts added up.

    `complete` is False if the last resort used a part of the answer.
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
    """Return the model's answer as an object that satisfies `request.schema` and `check`.

    check: returns what is wrong with an object that fits the schema, or None.
    last_resort: makes something of the last answer, if it is an object, when all attempts are used up; returns None if
    it can't.
    accept: whether an object that doesn't fit the schema is an answer all the same.

    An answer that was cut off is requested again with twice the room, which doesn't count as an attempt. Raises
    RefusedError at once (asking again doesn't change it), CutOffError if no more room is possible, NoAnswerError or
    WrongSchemaError after the last attempt, and whatever the model raises. Messages say what is wrong, never what the
    model wrote.
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
    """Do what `ask` says, and add the sent requests to `asked`."""
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
    """Return the request to repeat after an answer that was cut off. Raises CutOffError if that makes no sense."""
    again = replace(request, cut_off=(*request.cut_off, reply.room))
    # Small rooms are those of earlier times and of models that were known not to reason.
    if reply.last_room or sum(not 0 < room < START for room in again.cut_off) >= MOST_CUT_OFF:
        raise cut_off(name, reply.room)
    return again


def no_answer(model: ChatModel, reply: ChatReply) -> NoAnswerError:
    """Return the error for an empty reply."""
    how = f"ended its reply without an answer ({reply.ending})" if reply.ending else "gave an empty answer"
    return NoAnswerError(f"{model.name} {how}.")


def object_in(text: str, schema: Any) -> dict[str, Any] | None:
    """Return the object of an answer that `ask` accepted, read in the same way; None if it can't be read any more."""
    value, problem = _examine(text, schema, None)
    return value if problem is None else None


def fits(value: dict[str, Any], schema: Any) -> bool:
    """Return whether an object satisfies a schema."""
    return schema_problem(value, schema) is None


def _examine(text: str, schema: Any, check: Check | None) -> tuple[dict[str, Any] | None, str | None]:
    """Return the object, None without one, and what is wrong with it, None if nothing is."""
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
    """Return the one object inside that satisfies the schema; else the value itself, with its problem."""
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
