"""Experts think aloud independently: nobody sees what others wrote before saying "done"."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class ExpertProgress:
    """One expert on one dimension. `late` counts what was written after others' attributes could be seen.

    `role` and `background` are what the expert said about themselves, "" for nothing.
    """

    expert: str
    dimension: str
    attributes: int
    done: bool
    late: int = 0
    last_at: datetime | None = None
    role: str = ""
    background: str = ""
