"""One call that reached a model, as the ledger keeps it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

Finish = Literal["stop", "length", "refused"]


@dataclass(frozen=True, slots=True)
class CallIntent:
    """A request of a run that is about to be sent. `key` is like no other; the vendor gets it as idempotency key."""

    key: str
    digest: str
    run: int


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """`cost_usd` is None where the price is unknown, or what the reply took; `error_kind` is "" where a reply came, and
    what failed without being billed cost 0.

    Of the input, `cached_tokens` were read from the provider's prompt cache and `cache_write_tokens` written to it.
    `project` is whom it was asked for, `run` the scoring run where it was one; None for a test of the connection.
    `person` is who asked; None for whoever runs the server, and for nobody any more.
    `logprobs` holds [token, log-probability, {alternative: log-probability}] for each token of the reply.
    """

    digest: str
    model: str
    prompt: str
    prompt_digest: str
    reply: str = ""
    rationales: Mapping[str, str] = field(default_factory=dict)
    logprobs: Sequence[Any] = ()
    finish: Finish = "stop"
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    cache_write_tokens: int = 0
    cost_usd: float | None = None
    seconds: float = 0.0
    error_kind: str = ""
    run: int | None = None
    project: int | None = None
    person: int | None = None
