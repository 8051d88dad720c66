"""Limits of requests a minute and of requests in flight, learned from the provider's answers."""

import asyncio
import math
import threading
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Protocol
from weakref import WeakValueDictionary

from app.errors import OverloadedError, RateLimitError, StoppedError
from app.providers.base import ChatModel, ChatReply, ChatRequest, WrappedModel

SHORTEST_PAUSE, FIRST_PAUSE, LONGEST_PAUSE = 0.05, 0.5, 60.0
# So long may a provider let nothing pass before a run is given up; it is asked once a minute then.
PATIENCE = 900.0
FASTER, A_LITTLE_SLOWER, SLOWER, SLOWEST = 1.004, 0.95, 0.85, 0.5
# Well above the pace that was refused last: the refusal may have been a passing trouble.
MUCH_FASTER, WELL_ABOVE = 1.05, 1.25
ENOUGH, LONG = 4, 10.0  # so many requests, or so many seconds, tell a pace; less may be chance


class Pace:
    """The pace of requests that a provider takes. Times are in seconds of one clock. Not thread-safe."""

    def __init__(self) -> None:
        self._rate = math.inf
        self._refused_rate = math.inf
        self._next = -math.inf
        self._pause = 0.0
        self._trying = False
        self._refused_since: float | None = None
        self._last_refusal = -math.inf
        self._by_chance = True
        self._passed = 0
        self._began: float | None = None

    @property
    def learned(self) -> bool:
        """Whether the provider's refusals are about the pace, as far as is known."""
        return self._refused_since is not None or self._rate < math.inf

    def wait(self, now: float) -> float:
        """Return seconds until the next request may start; infinite while one request tries out whether any may."""
        if self._trying:
            return math.inf
        return max(0.0, self._next - now)

    def exhausted(self, now: float) -> bool:
        """Return whether no request has passed for longer than it makes sense to wait."""
        return self._refused_since is not None and now - self._refused_since > PATIENCE

    def start(self, now: float) -> None:
        self._began = now if self._began is None else self._began
        self._trying = self._refused_since is not None
        if self._rate < math.inf:
            self._next = max(self._next, now) + 1 / self._rate

    def passed(self, now: float, started: float) -> None:
        self._passed += 1
        if self._refused_since is None:
            above = self._rate > WELL_ABOVE * self._refused_rate
            self._rate *= MUCH_FASTER if above else FASTER
        elif started > self._last_refusal:
            self._go_on(now, started)

    def refused(self, now: float, started: float, asked: float | None) -> None:
        """Note a refusal. asked: seconds that the provider asks to wait, None if it doesn't say."""
        if started <= self._last_refusal:  # it left before the others were told to wait
            self._next = max(self._next, now + (asked or 0.0))
            return
        if self._refused_since is None:
            self._refused_since, self._refused_rate = now, self._rate
            self._pause, self._by_chance = FIRST_PAUSE, (asked or 0.0) <= FIRST_PAUSE
        else:
            self._pause, self._by_chance = min(2 * self._pause, LONGEST_PAUSE), False
        self._last_refusal, self._trying = now, False
        self._next = now + max(SHORTEST_PAUSE, self._pause if asked is None else asked)

    def ended(self, started: float) -> None:
        """Note that a request ended, in any way: it no longer tries out the pace for the others."""
        if started > self._last_refusal:
            self._trying = False

    def _go_on(self, now: float, started: float) -> None:
        self._rate = self._new_rate(started - (self._began if self._began is not None else started))
        self._refused_since, self._trying = None, False
        self._passed, self._began = 1, started
        self._next = now + (1 / self._rate if self._rate < math.inf else 0.0)

    def _new_rate(self, took: float) -> float:
        """Return the rate after a refusal; `took` seconds were needed for all that passed before, the wait for the next
        included."""
        if self._by_chance:
            return self._rate * A_LITTLE_SLOWER
        before = self._passed - 1
        if before and took > 0 and (before >= ENOUGH or took > LONG):
            measured = before / took
            return measured if self._rate == math.inf else min(max(measured, SLOWEST * self._rate), self._rate)
        return self._rate * SLOWER


# Rate limits among the recent answers, or for one request, from which on they are about the pace.
TOO_OFTEN, IN_A_ROW = 0.4, 3
POLL_SECONDS = 1.0  # how often who waits looks whether the pace lets the next one start


class Limiter(Protocol):
    """Decides when a request may be sent."""

    @property
    def paced(self) -> bool: ...

    @property
    def exhausted(self) -> bool: ...

    def slot(self, stopped: asyncio.Event | None = None, refusals: int = 0) -> AbstractAsyncContextManager[None]: ...


@dataclass(slots=True, eq=False)
class _Turn:
    """A caller that waits for a slot, in its event loop."""

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

    Rate limits that are too many for chance are about the pace: from then on requests start no sooner after one another
    than the provider bears (app.providers.rate_limit). clock: seconds, the same for all event loops.

    Slots are given in the order they were asked for. Who is cancelled, waiting or working, leaves no slot behind.
    """

    def __init__(
        self,
        maximum: int,
        minimum: int = 1,
        recovery: float = 0.5,
        tolerance: float = 0.25,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if not 1 <= minimum <= maximum or recovery <= 0 or not 0 <= tolerance < 1:
            raise ValueError("needs 1 <= minimum <= maximum, a positive recovery and a tolerance from 0 to below 1")
        self.maximum = maximum
        self._minimum = minimum
        self._recovery = recovery
        self._tolerance = tolerance
        self._limit = float(maximum)
        self._pressure = 0.0
        self._refused = 0.0
        self._in_flight = 0
        self._halved = 0  # times
        self._waiting: deque[_Turn] = deque()
        self._lock = threading.Lock()
        self._clock = clock
        self._pace = Pace()

    @property
    def paced(self) -> bool:
        """Whether a refused request should wait here for its turn, instead of retrying by itself."""
        return self._pace.learned

    @property
    def exhausted(self) -> bool:
        """Whether no request has passed for longer than it makes sense to wait."""
        return self._pace.exhausted(self._clock())

    @property
    def limit(self) -> int:
        """The number of requests that may be in flight now."""
        return int(self._limit)

    @property
    def in_flight(self) -> int:
        return self._in_flight

    def raise_to(self, maximum: int) -> None:
        """Raise the maximum of requests in flight; if the provider never complained, use it at once."""
        with self._lock:
            if maximum > self.maximum:
                self._limit = float(maximum) if self._limit == self.maximum else self._limit
                self.maximum = maximum
                self._hand_out()

    @asynccontextmanager
    async def slot(self, stopped: asyncio.Event | None = None, refusals: int = 0) -> AsyncIterator[None]:
        """Hold a slot while one request is in flight; its outcome moves the limit.

        refusals: how often in a row this request was refused by a rate limit before. Raises StoppedError if `stopped`
        is set before its turn.
        """
        await self._take(stopped)
        halvings, started = self._halved, self._clock()
        try:
            yield
        except (RateLimitError, OverloadedError) as error:
            self._refuse(started, error, refusals, halvings)
            raise
        else:
            self._passed(started)
        finally:
            with self._lock:
                self._pace.ended(started)
            self._give_back()

    def _passed(self, started: float) -> None:
        """Note that a request sent at `started` was answered."""
        with self._lock:
            self._pace.passed(self._clock(), started)
            self._note(0.0)
            self._refused -= self._refused * self._weight()
            self._limit = min(float(self.maximum), self._limit + self._recovery)

    def _refuse(self, started: float, error: RateLimitError | OverloadedError, refusals: int, halvings: int) -> None:
        """Note that a request sent at `started` was refused. halvings: how often the limit had been halved by then."""
        with self._lock:
            self._slow_down(halvings)
            if isinstance(error, RateLimitError) and (self.paced or self._about_pace(refusals)):
                self._pace.refused(self._clock(), started, error.retry_after)

    async def _take(self, stopped: asyncio.Event | None = None) -> None:
        """Wait for a slot; the caller gives it back. Raises StoppedError if `stopped` is set before."""
        loop = asyncio.get_running_loop()
        with self._lock:
            if not self._waiting and self._may_start():
                self._start()
                return
            turn = _Turn(loop, loop.create_future())
            self._waiting.append(turn)
        try:
            await self._wait_for(turn, stopped)
        except (asyncio.CancelledError, StoppedError):
            if not self._withdrawn(turn):
                with self._lock:
                    self._pace.ended(self._clock())
                self._give_back()  # the slot had been handed over already: pass it on
            raise

    async def _wait_for(self, turn: _Turn, stopped: asyncio.Event | None) -> None:
        """Wait until a caller hands its slot over, or the pace allows another start, which only this loop notices."""
        while not turn.come.done():
            if stopped is not None and stopped.is_set():
                raise StoppedError("The run is ending: nothing more is asked.")
            pause = self._pace.wait(self._clock())
            await asyncio.wait({turn.come}, timeout=min(pause, POLL_SECONDS) or POLL_SECONDS)
            if not turn.come.done():
                with self._lock:
                    self._hand_out()
                await asyncio.sleep(0)  # what was handed over arrives at the next turn of the loop

    def _may_start(self) -> bool:
        return self._in_flight < self.limit and self._pace.wait(self._clock()) <= 0

    def _start(self) -> None:
        self._in_flight += 1
        self._pace.start(self._clock())

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
        while self._waiting and self._may_start():
            turn = self._waiting.popleft()
            turn.given = _call(turn)
            if turn.given:
                self._start()

    def _slow_down(self, halvings_before: int) -> None:
        self._note(1.0)
        # A failure of a request that left before the last halving says nothing about the limit since.
        if halvings_before == self._halved and self._pressure > self._tolerance:
            self._halved += 1
            self._limit = max(float(self._minimum), self._limit / 2)

    def _about_pace(self, refusals: int) -> bool:
        """Return whether rate limits come too often for chance, in all requests or in this one."""
        self._refused += (1 - self._refused) * self._weight()
        return self._refused > TOO_OFTEN or refusals + 1 >= IN_A_ROW

    def _note(self, failed: float) -> None:
        """Update the share of failures, a moving average over as many answers as there are slots, at least some."""
        self._pressure += (failed - self._pressure) * self._weight()

    def _weight(self) -> float:
        return 2 / (max(self._limit, 15) + 1)


def _call(turn: _Turn) -> bool:
    """Return whether the waiting caller's event loop still runs."""
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
    """One user's share of a provider's limit: at most so many slots at a time."""

    def __init__(self, limit: AdaptiveLimit, at_most: int) -> None:
        limit.raise_to(at_most)
        self._limit = limit
        self._own = asyncio.Semaphore(at_most)

    @property
    def paced(self) -> bool:
        return self._limit.paced

    @property
    def exhausted(self) -> bool:
        return self._limit.exhausted

    @asynccontextmanager
    async def slot(self, stopped: asyncio.Event | None = None, refusals: int = 0) -> AsyncIterator[None]:
        async with self._own, self._limit.slot(stopped, refusals):
            yield


_LIMITS: WeakValueDictionary[Hashable, AdaptiveLimit] = WeakValueDictionary()
_LIMITS_LOCK = threading.Lock()


def limit_of(account: Hashable, maximum: int) -> AdaptiveLimit:
    """Return the limit of one account at a provider; it is dropped when nobody uses it."""
    with _LIMITS_LOCK:
        found = _LIMITS.get(account)
        if found is None:
            found = _LIMITS[account] = AdaptiveLimit(maximum)
        return found


MayAsk = Callable[[], Awaitable[None]]


class GatedModel(WrappedModel):
    """A ChatModel that sends nothing more once `stopped` is set. Requests in flight continue.

    may_ask: awaited before each request; raises if it must not be sent.
    """

    def __init__(self, model: ChatModel, stopped: asyncio.Event, may_ask: MayAsk | None = None) -> None:
        super().__init__(model)
        self._stopped = stopped
        self._may_ask = may_ask

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Answer. Raises StoppedError, what `may_ask` raises, and what the model raises."""
        if self._may_ask is not None:
            await self._may_ask()
        if self._stopped.is_set():
            raise StoppedError("The run is ending: nothing more is asked.")
        return await self._model.complete(request)
