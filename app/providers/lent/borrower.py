"""A limit and a budget that another process keeps: what each request does here, the keeper hears of."""

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import count
from typing import TypeVar

from app.errors import OverloadedError, RateLimitError, StoppedError
from app.providers.base import ChatRequest, Usage
from app.providers.budget import RequestSize, Reservation
from app.providers.lent.messages import (
    FromBorrower,
    FromKeeper,
    Narrowed,
    RequestRefused,
    RequestSettled,
    RequestsPassed,
    ReservationWanted,
    Reserved,
    SlotsBack,
    SlotsLent,
    SlotsWanted,
    Verdict,
)
from app.providers.pricing import Price
from app.providers.rate_limit import POLL_SECONDS

Send = Callable[[FromBorrower], None]
Reply = TypeVar("Reply", Verdict, Reserved)


class BorrowedSlots:
    """A Limiter. As long as nothing is refused a slot that was lent serves one request after the other, and nobody is
    asked; once the provider complained, every request of every process waits for its turn with the keeper.

    Only for the event loop that it was made in.
    """

    def __init__(self, send: Send) -> None:
        self.paced = False
        self.exhausted = False
        self._send = send
        self._narrowed = False
        self._free = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._passed = 0
        self._since = 0.0
        self._replies = _Replies[Verdict]()

    def hear(self, message: FromKeeper) -> None:
        match message:
            case SlotsLent(slots):
                self._free += slots
                self._hand_out()
            case Narrowed(narrowed):
                self._narrowed = narrowed
                if narrowed:
                    self.report()
                    self._hand_out()
                    self._want(len(self._waiting))
                else:
                    self.paced = self.exhausted = False
            case Verdict():
                self._replies.come(message.number, message)

    def report(self) -> None:
        """Say how many passed since; now and then."""
        if self._passed:
            self._send(RequestsPassed(self._passed, self._since))
            self._passed = 0

    @asynccontextmanager
    async def slot(self, stopped: asyncio.Event | None = None, refusals: int = 0) -> AsyncIterator[None]:
        """As AdaptiveLimit.slot."""
        await self._take(stopped)
        started = time.monotonic()
        try:
            yield
        except (RateLimitError, OverloadedError) as error:
            number, said = self._replies.awaited()
            by_rate = isinstance(error, RateLimitError)
            self._send(RequestRefused(number, started, by_rate, error.retry_after, refusals))
            verdict = await said
            self.paced, self.exhausted = verdict.paced, verdict.exhausted
            raise
        except BaseException:
            self._give_back(started, passed=False)
            raise
        else:
            self._give_back(started, passed=True)

    async def _take(self, stopped: asyncio.Event | None) -> None:
        if self._free and not self._waiting:
            self._free -= 1
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        if self._narrowed:
            self._want(1)
        try:
            while not turn.done():
                if stopped is not None and stopped.is_set():
                    raise StoppedError("The run is ending: nothing more is asked.")
                await asyncio.wait({turn}, timeout=POLL_SECONDS)
        except (asyncio.CancelledError, StoppedError):
            if turn.done():
                self._free += 1
                self._hand_out()
            else:
                self._waiting.remove(turn)
            raise

    def _give_back(self, started: float, passed: bool) -> None:
        if self._narrowed:
            self._send(SlotsBack(1, started, passed))
            return
        if passed:
            self._since = self._since if self._passed else started
            self._passed += 1
        self._free += 1
        self._hand_out()

    def _hand_out(self) -> None:
        while self._free and self._waiting:
            self._free -= 1
            self._waiting.popleft().set_result(None)
        if self._free and self._narrowed:
            self._send(SlotsBack(self._free))
            self._free = 0

    def _want(self, slots: int) -> None:
        if slots:
            self._send(SlotsWanted(slots))


@dataclass(slots=True)
class _Lent(Reservation):
    number: int = 0


class BorrowedBudget:
    """A SpendingLimit: the keeper's, asked before each request."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._replies = _Replies[Reserved]()

    def hear(self, message: FromKeeper) -> None:
        if isinstance(message, Reserved):
            self._replies.come(message.number, message)

    async def reserve(self, request: ChatRequest, price: Price | None) -> Reservation:
        """Raises BudgetError where it won't fit."""
        number, said = self._replies.awaited()
        self._send(ReservationWanted(number, RequestSize.of(request), price))
        try:
            found = await said
        except asyncio.CancelledError:
            self._send(RequestSettled(number, None, None))
            raise
        if found.reservation is None:
            assert found.error is not None
            raise found.error
        lent = found.reservation
        return _Lent(lent.likely, lent.dearest, lent.input_tokens, number)

    async def settle(self, reserved: Reservation, usage: Usage | None, cost: float | None) -> None:
        assert isinstance(reserved, _Lent)
        self._send(RequestSettled(reserved.number, usage, cost))


class _Replies(dict[int, "asyncio.Future[Reply]"]):
    """Questions under way, by number."""

    def __init__(self) -> None:
        super().__init__()
        self._numbers = count(1)

    def awaited(self) -> "tuple[int, asyncio.Future[Reply]]":
        number = next(self._numbers)
        self[number] = asyncio.get_running_loop().create_future()
        return number, self[number]

    def come(self, number: int, reply: Reply) -> None:
        waiting = self.pop(number, None)
        if waiting is not None and not waiting.done():
            waiting.set_result(reply)
