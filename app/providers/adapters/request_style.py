"""Request style of a model: what is known beforehand, and what its refusals teach."""

import asyncio
import contextlib
import hashlib
import json
import os
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Literal
from urllib.parse import urlsplit

from app.errors import CutOffError
from app.providers.adapters.provider_errors import Rejection
from app.providers.base import ChatReply, ChatRequest
from app.providers.model_name import ModelName
from app.providers.model_options import efforts_of
from app.providers.pricing import estimate_input_tokens
from app.providers.specs import JsonForm, spec_of
from app.settings import settings

START = 32_768
MOST = 131_072  # no model of today takes more than 128,000
LEAST = 16  # below it not even one answer fits
LOOSEST = 256  # what is asked for at least where the window seems full: our count of the input is an estimate
_TOO_LONG_STATUS = (400, 413, 422)

_ABOUT = re.compile(
    r"max_?(completion_|output_|new_)?tokens|maxoutputtokens|max_tokens|n_predict|in the completion|output tokens"
)
_TOO_LARGE = re.compile(r"too large|exceed|at most|maximum|less than or equal|must be|<=|range|however|context|invalid")
_WINDOWS = (
    r"(?:maximum )?context (?:length|window|size) (?:is|of)(?: only)? (\d+)",
    r"context limit: \d+ \+ \d+ > (\d+)",
    r"must be <= (\d+)",
)
_INPUTS = (
    r"(?:has|passed|given:?|with) `?(\d+)`? (?:input|prompt|`inputs`)",
    r"\((\d+) in the (?:messages|prompt)",
    r"context limit: (\d+) \+",
    r"> \d+ - (\d+)\)",
)
_LIMITS = (
    r"supports? at most (\d+)",
    r"> (\d+), which is the maximum",
    r"less than or equal to `?(\d+)",
    r"\[\s*1\s*,\s*(\d+)\s*\]",
    r"at most (\d+)",
    r"maximum (?:value|limit|number)[^.\d]{0,40}(?:is|of|:) `?(\d+)",
)
_BELOW = (r"to (\d+) \(exclusive\)",)


class OutputAllowance:
    """What one client has learned about the output tokens that its model's answers need.

    most: a person's own limit. reasons: False if the model is known not to reason: then the room starts with what the
    answer itself needs, because providers count the room against their limits on tokens a minute.
    """

    def __init__(self, most: int | None = None, reasons: bool = True) -> None:
        self._start = START if reasons else 0
        self._most = most or MOST
        self._window: int | None = None
        # Tokens by the model's own count for one of ours; the largest met so far.
        self._ratio = 1.0

    def of(self, request: ChatRequest, name: str) -> int:
        """Return the tokens for this request's answer. Raises CutOffError if it was cut off and no more is possible."""
        given = self._given(request)
        if request.cut_off and given <= request.cut_off[-1]:
            raise cut_off(name, request.cut_off[-1])
        return given

    def noted(self, reply: ChatReply, request: ChatRequest, room: int) -> ChatReply:
        """Return the reply with the room it had. If it filled its room, later requests start with twice as much."""
        if reply.finish != "length":
            return replace(reply, room=room)
        if 0 < reply.usage.output_tokens < room // 2:  # something else cut it off: a server's own window, or chance
            return reply
        self._start = max(self._start, START, 2 * room)
        again = replace(request, cut_off=(*request.cut_off, room))
        return replace(reply, room=room, last_room=self._given(again) <= room)

    def _given(self, request: ChatRequest) -> int:
        more = max(START, 2 * request.cut_off[-1]) if request.cut_off else 0
        given = min(self._most, max(self._start, request.max_output_tokens, more))
        if self._window is not None:
            left = self._window - round(self._ratio * estimate_input_tokens(request)) - LEAST
            given = min(given, max(left, LOOSEST))
        return given

    def smaller(self, rejection: Rejection, request: ChatRequest, room: int) -> int | None:
        """Return the smaller room to ask with; None if the rejection is about something else, or none is left."""
        if rejection.status not in _TOO_LONG_STATUS:
            return None
        said = _plain_numbers(rejection.gist)
        if not (_ABOUT.search(said) and _TOO_LARGE.search(said)):
            return None
        window, taken = _number(_WINDOWS, said), _number(_INPUTS, said)
        if window is not None and taken is not None:
            self._window = window
            self._ratio = max(self._ratio, taken / max(1, estimate_input_tokens(request)))
            left = window - taken
        else:
            limit, above = _number(_LIMITS, said), _number(_BELOW, said)
            left = limit if limit is not None else above - 1 if above is not None else room // 2
            left = min(left, room - 1)
            self._most = min(self._most, max(left, LEAST))
        return min(left, room - 1) if min(left, room - 1) >= LEAST else None


def cut_off(name: str, room: int) -> CutOffError:
    limit = f"the limit of {room:,} output tokens" if room else "the limit of output tokens"
    return CutOffError(f"The answer of {name} ended at {limit}.")


def _plain_numbers(said: str) -> str:
    """Return the text without commas between thousands."""
    return re.sub(r"(?<=\d),(?=\d{3})", "", said)


def _number(patterns: tuple[str, ...], said: str) -> int | None:
    for pattern in patterns:
        if match := re.search(pattern, said):
            return int(match[1])
    return None


@dataclass(frozen=True, slots=True)
class RequestStyle:
    """What to put into a request.

    temperature, top_p: whether these may be sent; a model that takes no temperature takes no top_p.
    json_form: how JSON is requested; unless it is "json_schema", the prompt contains the schema too.
    schema_in_prompt: the prompt contains the schema in any form. Some local servers enforce it without showing it to
    the model, and some accept and ignore it.
    system_message: whether the constant part is a system message; else it opens the first message.
    cache_mark: mark the end of the constant part for the provider's prompt cache, where that can be refused.
    beta: use the provider's beta API, where some models appear first.
    """

    temperature: bool = True
    limit_parameter: Literal["max_completion_tokens", "max_tokens"] = "max_tokens"
    json_form: JsonForm = "json_schema"
    cache_mark: bool = False
    beta: bool = False
    top_p: bool = True
    schema_in_prompt: bool = False
    system_message: bool = True

    @property
    def json_schema(self) -> bool:
        return self.json_form == "json_schema"


class LearnedRefusal(StrEnum):
    """A thing that a model turned out to refuse."""

    TEMPERATURE = "temperature"
    LIMIT_PARAMETER = "limit parameter"
    JSON_FORM = "form of JSON"
    JSON_SCHEMA_BESIDE = "schema beside json_object"
    CACHE_MARK = "cache mark"
    BETA = "beta version"
    TOP_P = "top_p"
    SYSTEM_MESSAGE = "system message"


LOOKS, LOOK_SECONDS = 8, 0.02
"""How long requests wait for the one that tries out a style. A refusal comes at once, an answer takes longer.
Several short waits, so that a busy event loop reads the refusal first."""

_REFUSED_STATUS = (400, 404, 422, 501)
# llama-cpp-python answers 500 to what it doesn't take, and so do gateways.
_WORDS_OF_500 = re.compile(
    r"response_?format|system (role|message)|roles must alternate|validation error|input should be"
    r"|unsupported|not support|not permitted|unexpected keyword|unrecogni[sz]ed"
)
_NO_SYSTEM = re.compile(
    r"system role|system messages? (is |are )?(not|un)|roles must alternate|only user and assistant roles"
    r"|not support .?system|unexpected role|unknown role|developer instruction is not enabled"
)
# Names the part "schema", not "json_schema".
_NAMES_SCHEMA = re.compile(r"\bschema\b")
_NOT_SUPPORTED = re.compile(
    r"unsupported|not support|unrecogni[sz]ed|unknown|not permitted|extra[_ ](input|field|forbidden)|unexpected"
)
_SCHEMA_WORDS = re.compile(
    r"response_?format|json_?schema|output_?(config|format)|response_?(json_?)?schema|response_?mime_?type"
    r"|structured[ _]outputs?|json mode|grammar|guided"
)


def first_style(name: ModelName) -> RequestStyle:
    """Return what is known of a model before it was asked. Raises UnknownModelError for an unknown provider."""
    spec = spec_of(name.provider)
    return RequestStyle(
        temperature=not spec.models.no_temperature.match(name.model),
        limit_parameter=spec.limit_parameter,
        cache_mark=bool(spec.models.cache_mark.match(name.model)),
        beta=bool(spec.models.beta.match(name.model)),
        schema_in_prompt="json_object_schema" in spec.json_forms,
    )


def memory_of(name: ModelName, most_output: int | None = None, address: str = "") -> "StyleMemory":
    """Return a new client's memory of this model.

    most_output: a person's own limit on the tokens of an answer. address: the server's; all clients of one model at one
    server share the style that one of them learned, in later processes too.
    """
    forms, at = spec_of(name.provider).json_forms, (str(name), address.rstrip("/"))
    learned = _LEARNED.get(at) if address else None
    if learned is None:
        learned = LearnedStyle(first_style(name), forms, _digest(*at))
        if address:
            learned = _LEARNED.setdefault(at, learned)
    return StyleMemory(learned, OutputAllowance(most_output, reasons=efforts_of(name) != ()))


@dataclass(frozen=True, slots=True)
class LearnedFacts:
    """What a server taught about one of its models; None for unknown. schema: the form of JSON it took; schema_kept:
    whether its last answer was JSON and nothing else. differences: what requests leave out or name differently, in
    words."""

    schema: JsonForm | None = None
    schema_kept: bool | None = None
    logprobs: bool | None = None
    context_tokens: int | None = None
    differences: tuple[str, ...] = ()


def learned_at(address: str) -> dict[str, LearnedFacts]:
    """Return model -> what this process has learned of it at an address, in the order in which they were asked."""
    here = address.rstrip("/")
    return {name: learned.facts() for (name, at), learned in list(_LEARNED.items()) if at == here}


def forget_styles() -> None:
    """Forget the styles of all models, as in a new process, which reads the file of learned styles again."""
    _LEARNED.clear()


MOST_KEPT = 500
"""Models in the file of learned styles; the oldest are removed first."""
_KEPT_STYLE: Mapping[str, tuple[object, ...]] = {
    "temperature": (True, False),
    "top_p": (True, False),
    "system_message": (True, False),
    "limit_parameter": ("max_tokens", "max_completion_tokens"),
}
_keeping = threading.Lock()


def _digest(name: str, address: str) -> str:
    """Return the key of a model at an address in the file of learned styles: an address may be confidential. "" for an
    address with a password or a query, which isn't stored in any form."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return ""
    secret = not parts.netloc or "@" in parts.netloc or parts.query
    return "" if secret else hashlib.sha256(f"{name}\n{address}".encode()).hexdigest()


def _read_styles_file() -> dict[str, Any]:
    """Return the file of learned styles; empty if there is none, or another program wrote it."""
    try:
        found = json.loads(settings().learned_styles.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _write_styles_file(digest: str, learned: Mapping[str, Any]) -> None:
    """Write a model's learned style to the file. Failing to write only costs a later process a request or two."""
    with _keeping, contextlib.suppress(OSError):
        kept = _read_styles_file()
        kept.pop(digest, None)
        kept[digest] = learned
        file = settings().learned_styles
        file.parent.mkdir(parents=True, exist_ok=True)
        beside = file.with_suffix(f".{os.getpid()}.part")
        beside.write_text(json.dumps(dict(list(kept.items())[-MOST_KEPT:])), encoding="utf-8")
        beside.replace(file)


def lesson_of(rejection: Rejection, request: ChatRequest, style: RequestStyle) -> LearnedRefusal | None:
    """Return what the rejection teaches about the style of the request; None if it is about something else."""
    gist = rejection.gist
    named = rejection.status == 500 and _WORDS_OF_500.search(gist)
    if rejection.status not in _REFUSED_STATUS and not named:
        return None
    if not style.beta and "not found for api version v1" in gist:
        return LearnedRefusal.BETA
    if style.top_p and request.top_p is not None and re.search(r"top_?p\b", gist):
        return LearnedRefusal.TOP_P
    if style.temperature and request.temperature is not None and "temperature" in gist:
        return LearnedRefusal.TEMPERATURE
    if re.search(r"max_(completion_)?tokens", gist) and _NOT_SUPPORTED.search(gist):
        return LearnedRefusal.LIMIT_PARAMETER
    if style.cache_mark and "prompt_cache" in gist:
        return LearnedRefusal.CACHE_MARK
    if style.system_message and system_text(request, style) and _NO_SYSTEM.search(gist):
        return LearnedRefusal.SYSTEM_MESSAGE
    if _SCHEMA_WORDS.search(gist) or (style.json_form == "json_object_schema" and _NAMES_SCHEMA.search(gist)):
        if request.schema is None or style.json_form == "prompt":
            return None
        beside = style.json_form == "json_object_schema" and _NAMES_SCHEMA.search(gist)
        return LearnedRefusal.JSON_SCHEMA_BESIDE if beside else LearnedRefusal.JSON_FORM
    return None


class LearnedStyle:
    """The style that the clients of one model have arrived at. Each lesson is learned once and forms of JSON are tried
    in order, so that repeated requests come to an end.

    `proven`: the kinds of request, with a schema or without, that the server has answered in this style; all for a
    vendor's model, as those are known. The rest as in LearnedFacts.

    digest: its key for later processes; "" to store nothing. A stored form of JSON that is refused now is learned again
    from the beginning.
    """

    def __init__(
        self, style: RequestStyle, json_forms: Sequence[JsonForm] = ("json_schema", "prompt"), digest: str = ""
    ) -> None:
        self.first = self.style = style
        self.proven: set[bool] = set() if "json_object_schema" in json_forms else {True, False}
        self.logprobs: bool | None = None
        self.schema_kept: bool | None = None
        self.window: int | None = None
        self._forms = json_forms
        self._learned: set[LearnedRefusal] = set()
        self._lock = threading.Lock()
        self._digest = digest
        self._recalled_form: JsonForm | None = None
        if digest:
            self._recall(_read_styles_file().get(digest))
        self._kept = self._lasting()

    def _recall(self, kept: object) -> None:
        """Take over what an earlier process learned, as far as it can be read."""
        if not isinstance(kept, dict):
            return
        known = {name: kept[name] for name, values in _KEPT_STYLE.items() if kept.get(name) in values}
        self.style = replace(self.style, **known)
        for form in self._forms:
            if form == kept.get("json_form") and form != self.first.json_form:
                self.style, self._recalled_form = replace(self.style, json_form=form), form
        self.proven |= {kind for kind in (True, False) if kept.get("with_schema" if kind else "without_schema") is True}
        schema_kept, logprobs, window = (kept.get(name) for name in ("schema_kept", "logprobs", "window"))
        self.schema_kept = schema_kept if isinstance(schema_kept, bool) else None
        self.logprobs = logprobs if isinstance(logprobs, bool) else None
        self.window = window if type(window) is int and window > 0 else None

    def _lasting(self) -> dict[str, Any]:
        """Return what to store for later processes."""
        style = {name: getattr(self.style, name) for name in (*_KEPT_STYLE, "json_form")}
        proven = {"with_schema": True in self.proven, "without_schema": False in self.proven}
        return style | proven | {"schema_kept": self.schema_kept, "logprobs": self.logprobs, "window": self.window}

    def keep(self) -> None:
        """Store changes for later processes, unless only `schema_kept` changed, as it may with each answer."""
        now, before = self._lasting(), self._kept
        same = {"schema_kept": None if before["schema_kept"] is None else now["schema_kept"]}
        if self._digest and now != before | same:
            self._kept = now
            _write_styles_file(self._digest, now)

    def learn(self, lesson: LearnedRefusal, used: RequestStyle) -> bool:
        """Learn from a refusal; return whether to ask again. `used` is the style that was refused.

        With many requests in flight several learn the same: those sent in an older style ask again too.
        """
        with self._lock:
            if lesson in (LearnedRefusal.JSON_FORM, LearnedRefusal.JSON_SCHEMA_BESIDE):
                if self.style.json_form == used.json_form:
                    form = self.first.json_form if self._recalled_form == used.json_form else self._next_form(lesson)
                    self.style, self._recalled_form = replace(self.style, json_form=form), None
            elif lesson not in self._learned:
                self._learned.add(lesson)
                self.style = _without(self.style, lesson)
            return self.style != used

    def facts(self) -> LearnedFacts:
        now, first = self.style, self.first
        differences = [
            f"no {name.replace('_', ' ')}"
            for name in ("temperature", "top_p", "system_message")
            if getattr(first, name) and not getattr(now, name)
        ]
        if now.limit_parameter != first.limit_parameter:
            differences.append(now.limit_parameter)
        form = now.json_form if self.schema_kept is not None else None
        return LearnedFacts(form, self.schema_kept, self.logprobs, self.window, tuple(differences))

    def _next_form(self, lesson: LearnedRefusal) -> JsonForm:
        """Return the next form of JSON to try. A server that refuses the schema beside json_object may take json_object
        alone. If it refuses json_object in other words it takes no form; no further request is spent on finding out."""
        now = self.style.json_form
        if now == "json_object_schema" and lesson is LearnedRefusal.JSON_FORM:
            return "prompt"
        following = self._forms[self._forms.index(now) + 1 :]
        return following[0] if following else "prompt"


_LEARNED: dict[tuple[str, str], LearnedStyle] = {}
"""Learned styles by model and address."""


class StyleMemory:
    """What one client knows of its model: the style of requests, and the room of its answers."""

    def __init__(self, learned: LearnedStyle, room: OutputAllowance | None = None) -> None:
        self.room = room or OutputAllowance()
        self._learned = learned
        self._trials: dict[bool, asyncio.Future[None]] = {}

    @property
    def style(self) -> RequestStyle:
        return self._learned.style

    def learn(self, lesson: LearnedRefusal, used: RequestStyle) -> bool:
        """See LearnedStyle.learn."""
        return self._learned.learn(lesson, used)

    def answered(self, request: ChatRequest) -> None:
        """Note that the server answered this request in the present style."""
        if request.given is None:
            self._learned.proven.add(request.schema is not None)
            self._learned.keep()

    def gave_json(self, text: str) -> None:
        """Note the text of an answer that was requested as JSON."""
        self._learned.schema_kept = text.strip().startswith("{")
        self._learned.keep()

    def refused(self, rejection: Rejection) -> None:
        """Note the context length that a refusal names."""
        if rejection.status in _TOO_LONG_STATUS:
            said = _plain_numbers(rejection.gist)
            self._learned.window = _number(_WINDOWS, said) or self._learned.window
            self._learned.keep()

    def gave_logprobs(self, given: bool) -> None:
        """Note whether requested log-probabilities came."""
        self._learned.logprobs = given
        self._learned.keep()

    @contextmanager
    def trial(self, request: ChatRequest) -> Iterator[bool]:
        """Within the block, make others wait if this request tries out the style: it is the client's first of its kind,
        and the style isn't proven. Yields whether it does."""
        kind = request.schema is not None
        if request.given is not None or kind in self._trials or kind in self._learned.proven:
            yield False
            return
        self._trials[kind] = asyncio.get_running_loop().create_future()
        try:
            yield True
        finally:
            self._trials[kind].set_result(None)

    async def wait_for_trial(self, request: ChatRequest) -> None:
        """Wait while another request tries out the style. After LOOKS looks without a refusal the style counts as
        accepted: the server is working on an answer."""
        trial = self._trials.get(request.schema is not None)
        if trial is None or request.given is not None:
            return
        looks, style = 0, self.style
        while not trial.done() and looks < LOOKS:
            await asyncio.wait([trial], timeout=LOOK_SECONDS)
            looks = looks + 1 if self.style == style else 0
            style = self.style


def _without(style: RequestStyle, lesson: LearnedRefusal) -> RequestStyle:
    match lesson:
        case LearnedRefusal.TEMPERATURE:
            return replace(style, temperature=False)
        case LearnedRefusal.TOP_P:
            return replace(style, top_p=False)
        case LearnedRefusal.LIMIT_PARAMETER:
            swapped = style.limit_parameter == "max_tokens"
            return replace(style, limit_parameter="max_completion_tokens" if swapped else "max_tokens")
        case LearnedRefusal.CACHE_MARK:
            return replace(style, cache_mark=False)
        case LearnedRefusal.BETA:
            return replace(style, beta=True)
        case LearnedRefusal.SYSTEM_MESSAGE:
            return replace(style, system_message=False)
        case _:
            raise ValueError(lesson)


def system_text(request: ChatRequest, style: RequestStyle) -> str:
    """Return the constant part of the prompt, with the schema if the API can't take one or may not show it."""
    if request.schema is None or (style.json_schema and not style.schema_in_prompt):
        return request.prompt.system
    schema = json.dumps(request.schema, ensure_ascii=False)
    asked = f"Answer with a single JSON object and nothing else. It must satisfy this JSON Schema:\n{schema}"
    return f"{request.prompt.system}\n\n{asked}".strip()


def opening_texts(request: ChatRequest, style: RequestStyle) -> tuple[str, str]:
    """Return the system message, "" for none, and the first message of the user."""
    system, user = system_text(request, style), request.prompt.user
    return (system, user) if style.system_message or not system else ("", f"{system}\n\n{user}")


def is_closed(schema: Mapping[str, Any], all_required: bool = False) -> bool:
    """Return whether no object in the schema allows further properties, as the strict schema modes demand.

    all_required: also demand that every property is required (OpenAI's strict mode).
    """
    if "properties" in schema or schema.get("type") == "object":
        if schema.get("additionalProperties") is not False:
            return False
        if all_required and set(schema.get("required", ())) != set(schema.get("properties", {})):
            return False
    found: list[Any] = [*schema.get("properties", {}).values(), *schema.get("$defs", {}).values()]
    found += [schema["items"]] if "items" in schema else []
    for combination in ("anyOf", "oneOf", "allOf", "prefixItems"):
        found += schema.get(combination, [])
    return all(is_closed(inner, all_required) for inner in [inner for inner in found if isinstance(inner, Mapping)])
