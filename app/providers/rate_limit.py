"""How many requests one provider gets at once: fewer when it says it is too much, more again when it copes."""

import asyncio
import threading
from collections import deque
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from weakref import WeakValueDictionary

from app.errors import OverloadedError, RateLimitError


@dataclass(slots=True, eq=False)
class _Turn:
    """Somebody who waits for a slot, in the event loop they wait in."""

    loop: asyncio.AbstractEventLoop
    come: asyncio.Future[None]
    given: bool = False


class AdaptiveLimit:
    """A limit on requests in flight, shared by all models of one provider, in whatever thread and event loop.

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
        self._waiting: deque[_Turn] = deque()
        self._lock = threading.Lock()

    @property
    def limit(self) -> int:
        """How many requests may be in flight now."""
        return int(self._limit)

    @property
    def in_flight(self) -> int:
        return self._in_flight

    def raise_to(self, maximum: int) -> None:
        """Let so many be in flight at best; where the provider never complained, from now on."""
        with self._lock:
            if maximum > self.maximum:
                self._limit = float(maximum) if self._limit == self.maximum else self._limit
                self.maximum = maximum
                self._hand_out()

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """Held while one request is under way; how the request ends moves the limit."""
        await self._acquire()
        halvings = self._halvings
        try:
            yield
        except (RateLimitError, OverloadedError):
            with self._lock:
                self._slow_down(halvings)
            raise
        else:
            with self._lock:
                self._note(0.0)
                self._limit = min(float(self.maximum), self._limit + self._recovery)
        finally:
            self._give_back()

    async def _acquire(self) -> None:
        loop = asyncio.get_running_loop()
        with self._lock:
            if not self._waiting and self._in_flight < self.limit:
                self._in_flight += 1
                return
            turn = _Turn(loop, loop.create_future())
            self._waiting.append(turn)
        try:
            await turn.come
        except asyncio.CancelledError:
            if not self._withdrawn(turn):
                self._give_back()  # the slot had been handed over already: pass it on
            raise

    def _withdrawn(self, turn: _Turn) -> bool:
        with self._lock:
            if not turn.given:
                self._waiting.remove(turn)
            return not turn.given

    def _give_back(self) -> None:
        with self._lock:
            self._in_flight -= 1
            self._hand_out()

    def _hand_out(self) -> None:
        while self._waiting and self._in_flight < self.limit:
            turn = self._waiting.popleft()
            turn.given = _call(turn)
            self._in_flight += int(turn.given)

    def _slow_down(self, halvings_before: int) -> None:
        self._note(1.0)
        # A failure of a request that left before the last halving says nothing about the limit since.
        if halvings_before == self._halvings and self._pressure > self._tolerance:
            self._halvings += 1
            self._limit = max(float(self._minimum), self._limit / 2)

    def _note(self, failed: float) -> None:
        """Share of failures, as a moving average over as many answers as there are slots, and at least some."""
        self._pressure += (failed - self._pressure) * 2 / (max(self._limit, 15) + 1)


def _call(turn: _Turn) -> bool:
    """Whether who waits can still be told; whoever's event loop has ended can't."""
    if turn.loop is asyncio.get_running_loop():
        _come(turn.come)
        return True
    try:
        turn.loop.call_soon_threadsafe(_come, turn.come)
    except RuntimeError:
        return False
    return True


def _come(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)


class Share:
    """One user's part of a provider's limit: at most so many of the slots at a time."""

    def __init__(self, limit: AdaptiveLimit, at_most: int) -> None:
        limit.raise_to(at_most)
        self._limit = limit
        self._own = asyncio.Semaphore(at_most)

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        async with self._own, self._limit.slot():
            yield


_LIMITS: WeakValueDictionary[Hashable, AdaptiveLimit] = WeakValueDictionary()
_LIMITS_LOCK = threading.Lock()


def limit_of(account: Hashable, maximum: int) -> AdaptiveLimit:
    """The limit of whoever counts the requests, by what tells accounts apart; it is forgotten when nobody uses it."""
    with _LIMITS_LOCK:
        found = _LIMITS.get(account)
        if found is None:
            found = _LIMITS[account] = AdaptiveLimit(maximum)
        return found
