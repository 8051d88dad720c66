"""The held-out split: documents that nothing is tuned on until the last test."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class Scope(StrEnum):
    """The texts that a query covers. OPEN: those that people, samples and tuning may see. LOCKED: the held-out
    split."""

    OPEN = "open"
    LOCKED = "locked"
    EVERY = "every"


@dataclass(frozen=True, slots=True)
class Look:
    """One recorded look at results on the held-out texts. `runs` are the ids of the runs looked at."""

    who: str
    at: datetime
    runs: tuple[int, ...]


HELD_OUT_SHARE = 0.2
"""Share of the documents in a held-out split, by default."""


@dataclass(frozen=True, slots=True)
class HeldOutSplit:
    """The held-out split: `documents` drawn with `share` and `seed`. `opened_at` is None while they are locked."""

    id: int
    share: float
    seed: int
    locked_by: str
    locked_at: datetime
    documents: tuple[str, ...]
    looks: tuple[Look, ...] = ()
    opened_by: str = ""
    opened_at: datetime | None = None
