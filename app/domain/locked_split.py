"""Documents locked away for the last test of a project, and who looked at what came of them."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class Scope(StrEnum):
    """Which texts a question to the database is about. OPEN is what people, samples and tuning may see."""

    OPEN = "open"
    LOCKED = "locked"
    EVERY = "every"


@dataclass(frozen=True, slots=True)
class Look:
    """One deliberate look at results on the locked texts. `runs` are the numbers of those looked at."""

    who: str
    at: datetime
    runs: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class LockedSplit:
    """The `documents` drawn with `share` and `seed`. `opened_at` is None while they are locked."""

    id: int
    share: float
    seed: int
    locked_by: str
    locked_at: datetime
    documents: tuple[str, ...]
    looks: tuple[Look, ...] = ()
    opened_by: str = ""
    opened_at: datetime | None = None
