"""A batch of requests at a provider, for a run, or for the think-alouds of a model in a project."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class BatchStatus(StrEnum):
    """INTENDED: about to be handed in, and perhaps it was. OUT: at the provider. CANCELLED: cancelled there, and not
    collected yet. COLLECTED: its answers are in the ledger. NOTHING: it never was, or nothing came of it."""

    INTENDED = "intended"
    OUT = "at the provider"
    CANCELLED = "cancelled"
    COLLECTED = "collected"
    NOTHING = "nothing came of it"


OPEN = (BatchStatus.INTENDED, BatchStatus.OUT, BatchStatus.CANCELLED)


@dataclass(frozen=True, slots=True)
class ProviderBatch:
    """`run` is None where it is for a model's think-alouds. `token` is what it can be found by where the program ended
    before its handle was known: `handle` is "". `requests` went in, `answered` of them are through as far as seen."""

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
