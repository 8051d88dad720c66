"""Deck of a run's blocks: dealt to other processes, taken text by text by the one that has it."""

import asyncio
from collections import deque
from collections.abc import Collection, Iterable, Sequence

from app.domain.run import PlannedScore


class Deck:
    """A Feed, for the event loop it is used in. It ends once nothing is left here, and nothing is out that might come
    back."""

    def __init__(self, first: Iterable[PlannedScore], blocks: Iterable[Sequence[PlannedScore]]) -> None:
        """first: taken here before any block."""
        self._own = deque(first)
        self._blocks = deque(blocks)
        self._out = 0
        self._closed = False
        self._kept = False
        self._news = asyncio.Event()

    @property
    def empty(self) -> bool:
        """Whether nothing is left to deal."""
        return self._closed or not self._blocks

    def deal(self, dimensions: Collection[int]) -> Sequence[PlannedScore]:
        """The next block of one of these; () for none. What is dealt is out until it is `done` or `back`."""
        block = next((each for each in self._blocks if each[0].dimension in dimensions), ())
        if self._closed or not block:
            return ()
        self._blocks.remove(block)
        self._out += len(block)
        return block

    def keep_for_others(self, kept: bool) -> None:
        """kept: blocks that nobody was dealt are not taken here, but waited for."""
        self._kept = kept
        self._tell()

    def done(self, scores: int) -> None:
        """So many that were out are scored."""
        self._out -= scores
        self._tell()

    def back(self, scores: Sequence[PlannedScore]) -> None:
        """These were out, and are done here now."""
        self._out -= len(scores)
        self._own.extend(scores)
        self._tell()

    async def take(self) -> PlannedScore | None:
        while not self._closed:
            if self._own:
                return self._own.popleft()
            if self._blocks and not self._kept:
                self._own.extend(self._blocks.popleft())
            elif not self._out and not self._blocks:
                return None
            else:
                await self._news.wait()
        return None

    def close(self) -> None:
        self._closed = True
        self._tell()

    def _tell(self) -> None:
        news, self._news = self._news, asyncio.Event()
        news.set()


class DealtFeed:
    """A Feed of what another process deals, as it comes; for the event loop it is used in."""

    def __init__(self) -> None:
        self._left: deque[PlannedScore] = deque()
        self._ended = False
        self._news = asyncio.Event()

    def add(self, scores: Iterable[PlannedScore]) -> None:
        self._left.extend(scores)
        self._tell()

    def end(self) -> None:
        """Nothing more will come."""
        self._ended = True
        self._tell()

    async def take(self) -> PlannedScore | None:
        while not self._left and not self._ended:
            await self._news.wait()
        return self._left.popleft() if self._left else None

    def close(self) -> None:
        self._left.clear()
        self.end()

    def _tell(self) -> None:
        news, self._news = self._news, asyncio.Event()
        news.set()
