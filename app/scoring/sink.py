"""Sink of the engine: where it puts what it finds, and how it hears that somebody wants it to stop."""

from collections.abc import Sequence
from typing import Protocol

from app.domain.run import Outcome


class Sink(Protocol):
    """Called from one thread at a time, never from the event loop."""

    def save(self, outcomes: Sequence[Outcome]) -> None:
        """Keep these for good before returning."""
        ...

    def beat(self) -> bool:
        """Say that the run is alive; True asks it to stop."""
        ...
