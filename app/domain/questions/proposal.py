"""Proposals of a model for a draft; nothing of them holds before a person accepts it."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class Action(StrEnum):
    """What was asked for. A validator's proposals are merges, rewordings and drops of its own choosing; applicability
    asks which questions may not apply."""

    REPHRASE = "rephrase"
    SIMPLER = "simpler"
    SPLIT = "split"
    MERGE = "merge"
    VALIDATE = "validate"
    APPLICABILITY = "applicability"


class ProposalStatus(StrEnum):
    OPEN = "open"
    ACCEPTED = "accepted"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Proposal:
    """`before` are the wordings of the questions `sources` when it was made; `after` is empty where they would go."""

    action: Action
    model: str
    sources: tuple[int, ...]
    before: tuple[str, ...]
    after: tuple[str, ...]
    reason: str = ""
    status: ProposalStatus = ProposalStatus.OPEN
    decided_by: str = ""
    created_at: datetime | None = None
    decided_at: datetime | None = None
    id: int = 0
