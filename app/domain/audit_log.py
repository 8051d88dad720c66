"""Entries of the audit log."""

from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """An entry of the audit log. `project` is the project's name, which stays after deletion; "" for acts on the
    server. `who` is "" for the owner of this computer, who has no name."""

    at: datetime
    who: str
    act: str
    about: str = ""
    project: str = ""


@dataclass(slots=True)
class PendingAct:
    """An act whose audit entry isn't stored yet: its first change to the database stores both in one transaction.

    project: its id, None for acts on the server.
    """

    project: int | None
    person: int | None
    who: str
    act: str
    about: str = ""
    kept: bool = False


PENDING: ContextVar[PendingAct | None] = ContextVar("pending_act", default=None)
"""The audit entry of the use case that is running."""
