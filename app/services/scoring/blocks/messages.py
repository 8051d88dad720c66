"""What the process that has a run and those that help it tell each other, beside what they borrow (providers/lent)."""

from dataclasses import dataclass

from app.domain.run import Outcome, PlannedScore
from app.providers.recorded import Tally
from app.services.scoring.blocks.block import Block, BlockReport


@dataclass(frozen=True, slots=True)
class Begin:
    """The first message. `block` has no scores yet: they are dealt as they are scored. budgeted: whether something
    must be set aside for each request."""

    block: Block
    budgeted: bool


@dataclass(frozen=True, slots=True)
class Dealt:
    scores: tuple[PlannedScore, ...]


@dataclass(frozen=True, slots=True)
class NothingMore:
    """Score what you have, and end."""


@dataclass(frozen=True, slots=True)
class StopAsking:
    """End as soon as what is under way is kept."""


@dataclass(frozen=True, slots=True)
class Ready:
    """Everything is loaded."""


@dataclass(frozen=True, slots=True)
class Saved:
    """These (ids) are in the database. `chance` of them are worth a second try. tally, retries: of the whole session
    so far; scores are empty where there is nothing but a sign of life."""

    scores: tuple[int, ...]
    failed: int
    chance: tuple[Outcome, ...]
    tally: Tally
    retries: int


@dataclass(frozen=True, slots=True)
class Ended:
    """The last message."""

    report: BlockReport
