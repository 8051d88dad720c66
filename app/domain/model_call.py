"""Calls of models: the prompt, the entry in the ledger, and batches at a provider; and a model's name on screens."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Literal

Finish = Literal["stop", "length", "refused"]


@dataclass(frozen=True, slots=True)
class RenderedPrompt:
    """A prompt filled in for one request. `system` is the part that is the same for all texts (providers cache it),
    `user` the rest.

    `variables` are the values filled in, for models that aren't LLMs. `digest` is the content hash of the template,
    which traces a reply to the exact wording. `own` is the number of a project's own wording, 0 for the built-in one.
    """

    name: str
    version: int
    digest: str
    system: str
    user: str
    variables: Mapping[str, Any]
    own: int = 0

    @property
    def label(self) -> str:
        return prompt_label(self.name, self.version, self.own)


@dataclass(frozen=True, slots=True)
class OwnPrompt:
    """A project's own wording of a prompt: the whole prompt file as text. At most one for each name is `in_use`."""

    name: str
    number: int
    source: str
    digest: str
    in_use: bool
    created_at: datetime


def prompt_label(name: str, version: int, own: int) -> str:
    """Return the label stored with every output: name@version of the built-in prompt, +ownN for a project's own
    wording."""
    return f"{name}@{version}" + (f"+own{own}" if own else "")


class BatchStatus(StrEnum):
    """The status of a batch. INTENDED: about to be sent, and perhaps it was. OUT: at the provider. CANCELLED: cancelled
    there, not collected yet. COLLECTED: its answers are in the ledger. NOTHING: it was never sent, or brought no
    answers."""

    INTENDED = "intended"
    OUT = "at the provider"
    CANCELLED = "cancelled"
    COLLECTED = "collected"
    NOTHING = "nothing came of it"


OPEN = (BatchStatus.INTENDED, BatchStatus.OUT, BatchStatus.CANCELLED)


@dataclass(frozen=True, slots=True)
class ProviderBatch:
    """A batch of requests at a provider. `run` is None for a model's think-alouds. `token` finds the batch if the
    program ended before it knew `handle`, which is then "". `answered` of its `requests` are done as far as known."""

    id: int
    run: int | None
    token: str
    handle: str
    status: BatchStatus
    requests: int
    answered: int
    intended_at: datetime
    out_at: datetime | None = None
    model: str = ""
    effort: str = ""


@dataclass(frozen=True, slots=True)
class CallIntent:
    """The record that a request of a run is about to be sent. `key` is unique; the vendor gets it as the idempotency
    key."""

    key: str
    digest: str
    run: int


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """One request in the ledger. `cost_usd` is None if the price or the usage is unknown; `error_kind` is "" if a reply
    came, and a failure that wasn't billed cost 0.

    Of the input, `cached_tokens` were read from the provider's prompt cache and `cache_write_tokens` written to it.
    `project` and `run` are those it was asked for; both are None for a test of the connection. `person` asked; None for
    the server's owner and for deleted persons. `logprobs` holds [token, log-probability, {alternative:
    log-probability}] for each token of the reply.
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


RULES_LABEL = "rules, not an LLM"


def model_label(name: str) -> str:
    """Return a model's name for screens, marked if it is no LLM. In a comma-separated list each name is labelled."""
    if ", " in name:
        return ", ".join(map(model_label, name.split(", ")))
    if name == "rules":
        return RULES_LABEL
    if name == "none":
        return "–"
    return f"{name} (recorded answers)" if name.startswith("replay:") else name
