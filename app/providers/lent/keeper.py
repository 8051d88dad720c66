"""Keeper of a limit and a budget: lends to one borrower, and takes back what it has when it is gone."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from app.errors import BudgetError
from app.providers.budget import Budget, Reservation
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
from app.providers.rate_limit import AdaptiveLimit

Send = Callable[[FromKeeper], None]


class SlotLender:
    """Lends one borrower slots of a limit, `share` of them at most: all at once while the provider copes, else one for
    each request that waits. What is lent counts as in flight with the limit's other users.

    Only for the event loop that it was made in.
    """

    def __init__(self, limit: AdaptiveLimit, share: int, send: Send) -> None:
        self._limit = limit
        self._share = share
        self._send = send
        self._lent = 0
        self._new = 0
        self._wanted = 0
        self._taking: set[asyncio.Task[None]] = set()
        self._loop = asyncio.get_running_loop()
        self._untell = limit.tell(lambda: self._loop.call_soon_threadsafe(self._look))
        self._closed = False
        self._narrowed = not limit.narrowed
        self._look()

    def hear(self, message: FromBorrower) -> None:
        match message:
            case SlotsWanted(slots) if self._narrowed:
                self._wanted += slots
                self._take()
            case SlotsBack(slots, started, passed):
                self._take_back(slots, started, passed)
            case RequestsPassed(count, started):
                self._limit.passed(started, count)
            case RequestRefused(number, started, by_rate, retry_after, refusals):
                self._limit.refused(started, by_rate, retry_after, refusals)
                self._send(Verdict(number, self._limit.paced, self._limit.exhausted))
                self._take_back(1, started, passed=False)

    def close(self) -> None:
        """The borrower is gone: whatever it asked has ended, or is nobody's any more."""
        if self._closed:
            return
        self._closed = True
        self._untell()
        for task in self._taking:
            task.cancel()
        self._limit.give_back(self._lent)
        self._lent = 0

    def _take_back(self, slots: int, started: float | None, passed: bool) -> None:
        if passed and started is not None:
            self._limit.passed(started)
        if started is not None:
            self._limit.ended(started)
        back = min(slots, self._lent)
        self._lent -= back
        self._limit.give_back(back)
        self._look()

    def _look(self) -> None:
        """Whether the provider complained since, or copes again; in that case the borrower has its whole share."""
        if self._closed:
            return
        if self._narrowed != self._limit.narrowed:
            self._narrowed = self._limit.narrowed
            for task in self._taking:
                task.cancel()
            self._taking = set()
            self._wanted = 0
            self._send(Narrowed(self._narrowed))
        self._take()

    def _take(self) -> None:
        room = self._share - self._lent - len(self._taking)
        slots = min(room, self._wanted) if self._narrowed else room
        self._wanted -= slots if self._narrowed else 0
        for _ in range(slots):
            task = self._loop.create_task(self._take_one())
            self._taking.add(task)
            task.add_done_callback(self._taking.discard)

    async def _take_one(self) -> None:
        await self._limit.take()
        self._lent += 1
        self._new += 1
        if self._new == 1:
            self._loop.call_soon(self._say)

    def _say(self) -> None:
        if not self._closed:
            self._send(SlotsLent(self._new))
        self._new = 0


class BudgetLender:
    """Sets money aside for one borrower's requests, and writes off what it never says the cost of."""

    def __init__(self, budget: Budget, send: Send) -> None:
        self._budget = budget
        self._send = send
        self._out: dict[int, Reservation] = {}
        self._reserving: dict[int, asyncio.Task[None]] = {}
        self._settling: set[asyncio.Task[None]] = set()

    def hear(self, message: FromBorrower) -> None:
        match message:
            case ReservationWanted(number):
                self._reserving[number] = asyncio.create_task(self._reserve(message))
            case RequestSettled(number, usage, cost):
                if waiting := self._reserving.pop(number, None):
                    waiting.cancel()
                if (reserved := self._out.pop(number, None)) is not None:
                    self._do(self._budget.settle(reserved, usage, cost))

    def close(self) -> None:
        """The borrower is gone."""
        for task in self._reserving.values():
            task.cancel()
        while self._out:
            _, reserved = self._out.popitem()
            self._do(self._budget.write_off(reserved))

    async def _reserve(self, wanted: ReservationWanted) -> None:
        error = None
        try:
            self._out[wanted.number] = await self._budget.reserve_sized(wanted.size, wanted.price)
        except BudgetError as found:
            error = found
        self._reserving.pop(wanted.number, None)
        self._send(Reserved(wanted.number, self._out.get(wanted.number), error))

    def _do(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._settling.add(task)
        task.add_done_callback(self._settling.discard)
