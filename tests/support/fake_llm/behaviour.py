"""What a fake provider can be told to do with a request, in terms that hold for every wire format."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from threading import Event
from typing import Any, Literal

Answering = Callable[[Mapping[str, Any] | None], str]


@dataclass(frozen=True)
class Tokens:
    """Counts as the fake provider bills them; `input` includes `cached` and `written`."""

    input: int = 100
    cached: int = 0
    output: int = 7
    written: int = 0


@dataclass(frozen=True)
class Answer:
    """A success. `text` may be a function of the schema the request carried (None without one)."""

    text: str | Answering = "{}"
    finish: Literal["stop", "length", "refused"] = "stop"
    tokens: Tokens = field(default_factory=Tokens)
    logprobs: tuple[tuple[str, float, Mapping[str, float]], ...] = ()


@dataclass(frozen=True)
class Blocked:
    """The provider withholds the answer before the model gives one."""


Trouble = Literal[
    "wrong-key",
    "no-access",
    "unknown-model",
    "quota",
    "rate-limit",
    "too-long",
    "window",
    "no-temperature",
    "no-schema-mode",
    "no-json-schema",
    "no-schema-beside",
    "no-json-mode",
    "no-logprobs",
    "no-limit-parameter",
    "bad-request",
    "no-room",
    "no-tier",
]


@dataclass(frozen=True)
class Fail:
    """An error as this vendor words it. It quotes the request's key and text, as vendors do."""

    trouble: Trouble
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Status:
    """A bare status, as a gateway sends it: an HTML page, no JSON."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Slow:
    """Nothing for a while, then the answer."""

    seconds: float
    answer: Answer = field(default_factory=Answer)


@dataclass(frozen=True)
class Held:
    """Nothing until the test says so, then the answer."""

    released: Event
    answer: Answer = field(default_factory=Answer)


@dataclass(frozen=True)
class Drop:
    """The connection ends: before anything is sent, or in the middle of the answer."""

    after_headers: bool = False


@dataclass(frozen=True)
class Raw:
    """A body as it stands, which need not be an answer."""

    body: bytes
    content_type: str = "application/json"
    status: int = 200


Behaviour = Answer | Blocked | Fail | Status | Slow | Held | Drop | Raw


def all_yes(schema: Mapping[str, Any] | None) -> str:
    """An answer's text: yes to each question that the request asks for."""
    return json.dumps(dict.fromkeys((schema or {}).get("required", ()), "yes"))
