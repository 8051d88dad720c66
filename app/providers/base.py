"""The Protocol of all models, with its requests and replies."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, runtime_checkable

from app.domain.model_call import Finish, RenderedPrompt

# How often a model is asked while nothing can be made of its replies, whatever is wrong with them: all are paid.
ATTEMPTS = 3


@dataclass(frozen=True, slots=True)
class Turn:
    """An earlier exchange of the same conversation: the model's answer and the reply to it."""

    answer: str
    correction: str


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One question to a model.

    schema: JSON Schema the answer must satisfy; None asks for prose.
    temperature: None leaves it to the provider (reasoning models refuse one).
    top_p: None leaves it to the provider; 1 asks for samples of the whole distribution.
    sample: 0, 1, 2 ... keeps repeated asks of the same request apart in the cache.
    top_logprobs: how many alternatives per token to return; 0 for none.
    turns: earlier failed exchanges, oldest first (re-asks).
    given: a text that continues `before`; asks for the log-probabilities of its tokens, and nothing is generated. None
    for an ordinary question.
    max_output_tokens: room for the answer itself; a model that can may get more (adapters.request_style).
    cut_off: the room of earlier tries that were cut off, oldest first; the next one gets more.
    effort: how long a reasoning model thinks; "" leaves that to the model.
    tier: the vendor's service tier, which decides the price and not the answer; "" for the standard one.
    repeated: the same prompt is sent several times, so that the provider should cache all of it, not only its
    constant part.
    idempotency_key: with it some vendors answer a lost request again without billing it twice.
    """

    prompt: RenderedPrompt
    schema: Mapping[str, Any] | None = None
    temperature: float | None = 0.0
    max_output_tokens: int = 4096
    sample: int = 0
    top_logprobs: int = 0
    turns: tuple[Turn, ...] = ()
    given: str | None = None
    cut_off: tuple[int, ...] = ()
    effort: str = ""
    top_p: float | None = None
    repeated: bool = False
    tier: str = ""
    idempotency_key: str = ""

    @property
    def before(self) -> str:
        """Return the context of a given text: both parts of the prompt and a line break."""
        return "\n\n".join(part for part in (self.prompt.system, self.prompt.user) if part) + "\n"

    @property
    def form(self) -> str:
        """Return the schema as vendors show it to the model and count it as input; "" without one."""
        return "" if self.schema is None else json.dumps(self.schema, ensure_ascii=False, separators=(",", ":"))

    def digest(self, model: str) -> str:
        """Return a hash of everything that decides the answer; requests with equal digests are paid once.

        A complete answer doesn't depend on its room, so the room is left out; the number of the try is included.
        """
        parts = {
            "model": model,
            "system": self.prompt.system,
            "user": self.prompt.user,
            "schema": self.schema,
            "temperature": self.temperature,
            # As if each try that was cut off had doubled the room, which is how replies are on record.
            "max_output_tokens": self.max_output_tokens << len(self.cut_off),
            "sample": self.sample,
            "top_logprobs": self.top_logprobs,
            "turns": [[turn.answer, turn.correction] for turn in self.turns],
        }
        if self.given is not None:
            parts["given"] = self.given
        if self.effort:
            parts["effort"] = self.effort
        if self.top_p is not None:
            parts["top_p"] = self.top_p
        canonical = json.dumps(parts, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(canonical.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the provider counts them. Of the input, `cached_tokens` were read from the provider's prompt cache and
    `cache_write_tokens` written to it, each at its own price. `known` is False if the provider didn't say what a reply
    took, or a reply was lost: then its cost is unknown."""

    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    cache_write_tokens: int = 0
    known: bool = True

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.input_tokens + other.input_tokens,
            self.cached_tokens + other.cached_tokens,
            self.output_tokens + other.output_tokens,
            self.cache_write_tokens + other.cache_write_tokens,
            self.known and other.known,
        )


def counted_usage(input_tokens: object, output_tokens: object, cached: object = 0, written: object = 0) -> Usage:
    """Return the usage in a reply, whose fields servers may omit, set to 0 or fill with anything. No request has 0
    tokens of input, so 0 counts as unknown."""

    def count(value: object) -> int:
        return value if isinstance(value, int) and value > 0 else 0

    if not count(input_tokens):
        return Usage(known=False)
    return Usage(count(input_tokens), count(cached), count(output_tokens), count(written))


@dataclass(frozen=True, slots=True)
class TokenLogprob:
    """A generated or given token, its log-probability and the most likely alternatives (token -> log-probability)."""

    token: str
    logprob: float
    top: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ChatReply:
    """A model's reply. `rationales` (property -> short reason) come with the answer if a model gives them.

    room: how many output tokens it could use, 0 if unknown or irrelevant; last_room: more isn't possible.
    ending: the provider's name for an unusual end of the reply; else "".
    tier: the service tier that is billed, None if the provider doesn't say.
    """

    text: str
    model: str
    usage: Usage = Usage()
    finish: Finish = "stop"
    seconds: float = 0.0
    logprobs: tuple[TokenLogprob, ...] = ()
    rationales: Mapping[str, str] = field(default_factory=dict)
    room: int = 0
    last_room: bool = False
    ending: str = ""
    tier: str | None = None

    @property
    def silent(self) -> bool:
        """Whether the reply is empty."""
        return not self.text.strip()


class ChatModel(Protocol):
    """A model that answers. Opened once and kept; `aclose` releases its connections."""

    @property
    def name(self) -> str:
        """provider:name, as people write it and as stored with every call."""
        ...

    @property
    def is_llm(self) -> bool:
        """False for models that replace an LLM (rules); their output is labelled so wherever it is shown."""
        ...

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Answer, or raise a ProviderError. It doesn't retry: RetryingModel does."""
        ...

    async def aclose(self) -> None: ...


@runtime_checkable
class WithEffort(Protocol):
    """A model that uses one effort for all requests."""

    @property
    def effort(self) -> str: ...


def digest_of(request: ChatRequest, model: ChatModel) -> str:
    """Return the digest of the request as this model will send it."""
    effort = model.effort if isinstance(model, WithEffort) else ""
    return (replace(request, effort=effort) if effort else request).digest(model.name)


@runtime_checkable
class RecordedReplies(Protocol):
    """A model that answers earlier requests from a record."""

    async def discard(self, requests: Sequence[ChatRequest]) -> None:
        """Mark replies as unreadable, so that a retry asks again."""
        ...


async def discard(model: ChatModel, requests: Sequence[ChatRequest]) -> None:
    """Mark all replies of a conversation without a usable answer as unreadable, re-asks included. Replies that led to a
    usable one are kept, so that a repetition isn't paid again."""
    if isinstance(model, RecordedReplies):
        await model.discard(requests)


@runtime_checkable
class Transcriber(Protocol):
    """A model that transcribes speech."""

    async def transcribe(self, audio: bytes, file_name: str) -> str:
        """Return the text of a recording, or raise a ProviderError; the name's ending tells the kind of file."""
        ...


class WrappedModel:
    """Base of models around another one; it delegates all but `complete`."""

    def __init__(self, model: ChatModel) -> None:
        self._model = model

    @property
    def name(self) -> str:
        return self._model.name

    @property
    def is_llm(self) -> bool:
        return self._model.is_llm

    async def aclose(self) -> None:
        await self._model.aclose()


_SPENT: ContextVar[dict[int, float | None] | None] = ContextVar("spent", default=None)
_ASKED_FOR: ContextVar[int] = ContextVar("asked_for", default=0)


@contextmanager
def spending_by_text() -> Iterator[dict[int, float | None]]:
    """Within the block, count text -> US dollars paid for it, None if a price is unknown; 0 stands for no text."""
    spent: dict[int, float | None] = {}
    token = _SPENT.set(spent)
    try:
        yield spent
    finally:
        _SPENT.reset(token)


def asked_for(text: int) -> None:
    """Attribute what this task pays from now on to this text."""
    _ASKED_FOR.set(text)


def text_asked_for() -> int:
    """Return the text that this task asks for, 0 for none."""
    return _ASKED_FOR.get()


def note_spending(cost: float | None) -> None:
    """Record US dollars paid now, None for an unknown price, if `spending_by_text` counts."""
    spent, text = _SPENT.get(), _ASKED_FOR.get()
    if spent is not None:
        before = spent.get(text, 0.0)
        spent[text] = None if cost is None or before is None else before + cost
