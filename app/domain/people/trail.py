"""Trail: who did what, and when. Entries are only ever added."""

from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class TrailEntry:
    """`project` is its name, which stays when it is deleted; "" for what is about the server. `who` is "" for the owner
    of the computer, who gave no name."""

    at: datetime
    who: str
    act: str
    about: str = ""
    project: str = ""


@dataclass(slots=True)
class PendingAct:
    """An act under way: the first change that it keeps takes its entry along, so that neither stands without the other.

    project: its id, None for what is about the server.
    """

    project: int | None
    person: int | None
    who: str
    act: str
    about: str = ""
    kept: bool = False


PENDING: ContextVar[PendingAct | None] = ContextVar("pending_act", default=None)
"""What the use case that is running is called in the trail."""
