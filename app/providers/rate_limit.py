"""How many requests one provider gets at once: fewer when it says it is too much, more again when it copes."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from app.errors import OverloadedError, RateLimitError


class AdaptiveLimit:
    """A limit on requests in flight, shared by all models of one provider within one event loop.

    Additive increase, multiplicative decrease: when more than `tolerance` of the recent answers are rate limits or
    overloads it is halved, at most once for all the requests that were under way together; every success gives back
    `recovery` of a slot. The tolerance keeps single failures, which say nothing about the limit, from slowing a run
    down (simulated, 400 calls, 32 at once, 15 % random failures: 12 s without a tolerance, 6 s with it, 5 s without any
    limit); a provider that really takes only 8 at once is met with after two halvings either way.

    Slots are given in the order they were asked for. Who is cancelled, waiting or working, leaves no slot behind.
    """

    def __init__(self, maximum: int, minimum: int = 1, recovery: float = 0.5, tolerance: float = 0.25) -> None:
        if not 1 <= minimum <= maximum or recovery <= 0 or not 0 <= tolerance < 1:
            raise ValueError("needs 1 <= minimum <= maximum, a positive recovery and a tolerance from 0 to below 1")
        self.maximum = maximum
        self._minimum = minimum
        self._recovery = recovery
        self._tolerance = tolerance
        self._limit = float(maximum)
        self._pressure = 0.0
        self._in_flight = 0
        self._halvings = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    @property
    def limit(self) -> int:
        """How many requests may be in flight now."""
        return int(self._limit)

    @property
    def in_flight(self) -> int:
        return self._in_flight

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """Held while one request is under way; how the request ends moves the limit."""
        await self._acquire()
        halvings = self._halvings
        try:
            yield
        except (RateLimitError, OverloadedError):
            self._slow_down(halvings)
            raise
        else:
            self._note(0.0)
            self._limit = min(float(self.maximum), self._limit + self._recovery)
        finally:
            self._in_flight -= 1
            self._hand_out()

    async def _acquire(self) -> None:
        if not self._waiting and self._in_flight < self.limit:
            self._in_flight += 1
            return
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                # The slot had been handed over already: pass it on.
                self._in_flight -= 1
                self._hand_out()
            elif turn in self._waiting:
                self._waiting.remove(turn)
            raise

    def _hand_out(self) -> None:
        while self._waiting and self._in_flight < self.limit:
            turn = self._waiting.popleft()
            if not turn.done():
                self._in_flight += 1
                turn.set_result(None)

    def _slow_down(self, halvings_before: int) -> None:
        self._note(1.0)
        # A failure of a request that left before the last halving says nothing about the limit since.
        if halvings_before == self._halvings and self._pressure > self._tolerance:
            self._halvings += 1
            self._limit = max(float(self._minimum), self._limit / 2)

    def _note(self, failed: float) -> None:
        """Share of failures, as a moving average over as many answers as there are slots, and at least some."""
        self._pressure += (failed - self._pressure) * 2 / (max(self._limit, 15) + 1)
