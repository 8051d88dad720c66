"""Feed of the engine: where its workers take from what is still to score."""

from collections.abc import Iterator, Sequence
from typing import Protocol, runtime_checkable

from app.domain.run import PlannedScore


@runtime_checkable
class Feed(Protocol):
    """Taken from by many workers of one event loop."""

    async def take(self) -> PlannedScore | None:
        """The next to score; waits while more may come. None once nothing will, or after `close`."""
        ...

    def close(self) -> None:
        """Take nothing more, and tell the workers that wait."""
        ...


class PlannedFeed:
    """What is known from the start, in its order."""

    def __init__(self, planned: Sequence[PlannedScore]) -> None:
        self._left: Iterator[PlannedScore] = iter(planned)

    async def take(self) -> PlannedScore | None:
        return next(self._left, None)

    def close(self) -> None:
        self._left = iter(())
