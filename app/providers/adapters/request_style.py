"""Request style of a model: what is known beforehand, and what is learned when it objects."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Literal

from app.providers.adapters.output_room import OutputRoom
from app.providers.adapters.rejection import Rejection
from app.providers.base import ChatRequest
from app.providers.model_name import ModelName
from app.providers.model_options import efforts_of
from app.providers.specs import spec_of


@dataclass(frozen=True, slots=True)
class RequestStyle:
    """What to put into a request.

    temperature, top_p: whether these may be sent; a model that takes no temperature takes no top_p.
    json_schema: use the API's own schema mode; otherwise the schema stands in the prompt.
    cache_mark: mark the end of the constant part for the provider's prompt cache, where that can be refused.
    beta: ask at the provider's beta version of its API, where some models are before they are anywhere else.
    """

    temperature: bool = True
    limit_parameter: Literal["max_completion_tokens", "max_tokens"] = "max_tokens"
    json_schema: bool = True
    cache_mark: bool = False
    beta: bool = False
    top_p: bool = True


class Lesson(StrEnum):
    """One thing a model turned out to refuse."""

    TEMPERATURE = "temperature"
    LIMIT_PARAMETER = "limit parameter"
    JSON_SCHEMA = "json schema"
    CACHE_MARK = "cache mark"
    BETA = "beta version"
    TOP_P = "top_p"


_REFUSED_STATUS = (400, 404, 422, 501)
_NOT_SUPPORTED = re.compile(
    r"unsupported|not support|unrecogni[sz]ed|unknown|not permitted|extra[_ ](input|field|forbidden)|unexpected"
)
_SCHEMA_WORDS = re.compile(
    r"response_?format|json_?schema|output_?(config|format)|response_?(json_?)?schema|response_?mime_?type"
    r"|structured[ _]outputs?|json mode|grammar|guided"
)


def first_style(name: ModelName) -> RequestStyle:
    """What is known of a model before it was asked. Raises UnknownModelError where there is no such provider."""
    spec = spec_of(name.provider)
    return RequestStyle(
        temperature=not spec.models.no_temperature.match(name.model),
        limit_parameter=spec.limit_parameter,
        cache_mark=bool(spec.models.cache_mark.match(name.model)),
        beta=bool(spec.models.beta.match(name.model)),
    )


def memory_of(name: ModelName, most_output: int | None = None) -> "StyleMemory":
    """For a client of this model. most_output: a person's own limit on the tokens of an answer."""
    return StyleMemory(first_style(name), OutputRoom(most_output, reasons=efforts_of(name) != ()))


def lesson_of(rejection: Rejection, request: ChatRequest, style: RequestStyle) -> Lesson | None:
    """What the rejection teaches about the style the request was sent in; None where it is about something else."""
    if rejection.status not in _REFUSED_STATUS:
        return None
    gist = rejection.gist
    if not style.beta and "not found for api version v1" in gist:
        return Lesson.BETA
    if style.top_p and request.top_p is not None and re.search(r"top_?p\b", gist):
        return Lesson.TOP_P
    if style.temperature and request.temperature is not None and "temperature" in gist:
        return Lesson.TEMPERATURE
    if re.search(r"max_(completion_)?tokens", gist) and _NOT_SUPPORTED.search(gist):
        return Lesson.LIMIT_PARAMETER
    if style.cache_mark and "prompt_cache" in gist:
        return Lesson.CACHE_MARK
    if style.json_schema and request.schema is not None and _SCHEMA_WORDS.search(gist):
        return Lesson.JSON_SCHEMA
    return None


class StyleMemory:
    """The style one client has arrived at, and the room of its answers. Each lesson is learned once, so that asking
    again comes to an end."""

    def __init__(self, style: RequestStyle, room: OutputRoom | None = None) -> None:
        self.style = style
        self.room = room or OutputRoom()
        self._learned: set[Lesson] = set()

    def learn(self, lesson: Lesson, used: RequestStyle) -> bool:
        """Whether asking again makes sense; `used` is the style that was objected to.

        With many requests in flight several learn the same: those that were sent in an older style ask again too.
        """
        if lesson not in self._learned:
            self._learned.add(lesson)
            self.style = _without(self.style, lesson)
        return self.style != used


def _without(style: RequestStyle, lesson: Lesson) -> RequestStyle:
    match lesson:
        case Lesson.TEMPERATURE:
            return replace(style, temperature=False)
        case Lesson.TOP_P:
            return replace(style, top_p=False)
        case Lesson.LIMIT_PARAMETER:
            swapped = style.limit_parameter == "max_tokens"
            return replace(style, limit_parameter="max_completion_tokens" if swapped else "max_tokens")
        case Lesson.JSON_SCHEMA:
            return replace(style, json_schema=False)
        case Lesson.CACHE_MARK:
            return replace(style, cache_mark=False)
        case Lesson.BETA:
            return replace(style, beta=True)


def system_text(request: ChatRequest, style: RequestStyle) -> str:
    """The constant part of the prompt, with the schema in it where the API can't be given one."""
    if request.schema is None or style.json_schema:
        return request.prompt.system
    schema = json.dumps(request.schema, ensure_ascii=False)
    asked = f"Answer with a single JSON object and nothing else. It must satisfy this JSON Schema:\n{schema}"
    return f"{request.prompt.system}\n\n{asked}".strip()


def is_closed(schema: Mapping[str, Any], all_required: bool = False) -> bool:
    """Whether no object in the schema is open to further properties, which the strict schema modes demand.

    all_required: also demand that every property is required (OpenAI's strict mode).
    """
    if "properties" in schema or schema.get("type") == "object":
        if schema.get("additionalProperties") is not False:
            return False
        if all_required and set(schema.get("required", ())) != set(schema.get("properties", {})):
            return False
    return all(is_closed(inner, all_required) for inner in _subschemas(schema))


def _subschemas(schema: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    found: list[Any] = [*schema.get("properties", {}).values(), *schema.get("$defs", {}).values()]
    found += [schema["items"]] if "items" in schema else []
    for combination in ("anyOf", "oneOf", "allOf", "prefixItems"):
        found += schema.get(combination, [])
    return [inner for inner in found if isinstance(inner, Mapping)]
