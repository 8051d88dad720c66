"""From a model's words to one validated JSON object; nothing is ever evaluated.

Reasons for refusal go to the model when it is asked again and into stored errors, so they name places and rules of
the schema and never quote what the model wrote.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NoReturn

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from app.domain.storable_text import storable_value
from app.domain.wording.answer_text import answer_part

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
    """The one JSON object in an answer: bare, fenced, with prose around it, or as the parameters of a tool's call.

    Refused with UnreadableAnswerError: no object, more than one, another JSON value instead, a key given twice,
    NaN and infinity. Line breaks inside strings are tolerated; characters that no database stores become U+FFFD.
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
    """The objects inside an object, also those that are written out in a string: what a model put around its answer,
    such as the call of a tool, has the answer in one of them."""
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
    """What is wrong with the value, in words, or None. At most five problems are named."""
    errors = sorted(Draft202012Validator(schema).iter_errors(value), key=lambda error: list(map(str, error.path)))
    if not errors:
        return None
    # The validator objects once for each missing property, and each time all of them are named.
    said = list(dict.fromkeys(map(_describe, errors)))
    more = [f"and {len(said) - _SHOWN_ERRORS} more"] if len(said) > _SHOWN_ERRORS else []
    return "; ".join(said[:_SHOWN_ERRORS] + more)


def _whole(text: str) -> Any:
    """The JSON that the text is, in a fence or bare, or _PROSE."""
    fenced = _FENCED.fullmatch(text)
    try:
        return _DECODER.decode((fenced[1] if fenced else text).strip())
    except UnreadableAnswerError:
        raise
    except (ValueError, RecursionError):
        return _PROSE


def _parameters(text: str) -> dict[str, Any]:
    """What a call of a tool written with tags sets, such as <parameter=q1>yes</parameter>; empty for any other text."""
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
