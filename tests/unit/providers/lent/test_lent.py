"""A limit and a budget that several processes share, without the processes: what one says the other hears at once."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

import pytest

from app.domain.prompt import RenderedPrompt
from app.errors import BudgetError, OverloadedError, RateLimitError, StoppedError
from app.providers.base import ChatRequest, Usage
from app.providers.budget import Budget
from app.providers.lent.borrower import BorrowedBudget, BorrowedSlots
from app.providers.lent.keeper import BudgetLender, SlotLender
from app.providers.pricing import Price
from app.providers.rate_limit import AdaptiveLimit

Result = TypeVar("Result")
PRICE = Price(input=1.0, cached=1.0, output=1.0)


def within_seconds(work: Coroutine[Any, Any, Result]) -> Result:
    return asyncio.run(asyncio.wait_for(work, 20))


def lent(limit: AdaptiveLimit, share: int) -> tuple[BorrowedSlots, SlotLender]:
    slots = BorrowedSlots(lambda message: lender.hear(message))
    lender = SlotLender(limit, share, slots.hear)
    return slots, lender


class Server:
    """Refuses above so many requests at a time."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.now = self.peak = self.refused = self.answered = 0

    async def answer(self) -> None:
        self.now += 1
        self.peak = max(self.peak, self.now)
        try:
            await asyncio.sleep(0)
            if self.now > self.most:
                self.refused += 1
                raise OverloadedError("too much")
            await asyncio.sleep(0)
            self.answered += 1
        finally:
            self.now -= 1


async def ask(limiter: AdaptiveLimit | BorrowedSlots, server: Server) -> None:
    while True:
        try:
            async with limiter.slot():
                await server.answer()
            return
        except OverloadedError:
            await asyncio.sleep(0)


def test_together_they_never_have_more_in_flight_than_one_limit_allows() -> None:
    async def run() -> Server:
        limit, server = AdaptiveLimit(12), Server(1000)
        borrowers = [lent(limit, 4)[0] for _ in range(2)]
        await asyncio.gather(*(ask(each, server) for each in (limit, *borrowers) for _ in range(60)))
        return server

    server = within_seconds(run())
    assert (server.peak, server.answered) == (12, 180)


def test_what_one_is_refused_slows_all_down() -> None:
    async def run() -> Server:
        limit, server = AdaptiveLimit(32, tolerance=0.0, recovery=0.001), Server(4)
        borrowers = [lent(limit, 8)[0] for _ in range(3)]
        await asyncio.gather(*(ask(each, server) for each in (limit, *borrowers) for _ in range(50)))
        most, server.peak = limit.limit + 1, 0
        assert most < 32
        await asyncio.gather(*(ask(each, server) for each in (limit, *borrowers) for _ in range(10)))
        assert server.peak <= most
        return server

    assert within_seconds(run()).answered == 240


def test_when_all_is_well_again_slots_are_lent_for_good() -> None:
    async def run() -> int:
        limit, server = AdaptiveLimit(8, tolerance=0.0), Server(1000)
        slots, lender = lent(limit, 4)
        with pytest.raises(OverloadedError):
            async with slots.slot():
                raise OverloadedError("too much")
        assert limit.narrowed
        await asyncio.gather(*(ask(slots, server) for _ in range(100)))
        assert not limit.narrowed
        await asyncio.sleep(0.01)
        heard: list[object] = []
        slots._send = heard.append
        await asyncio.gather(*(ask(slots, server) for _ in range(20)))
        assert heard == []  # nobody is asked
        lender.close()
        return limit.in_flight

    assert within_seconds(run()) == 0


def test_a_refusal_says_whether_to_wait_for_the_pace() -> None:
    async def run() -> tuple[bool, bool]:
        limit = AdaptiveLimit(8)
        slots, _ = lent(limit, 4)
        with pytest.raises(RateLimitError):
            async with slots.slot(refusals=5):
                raise RateLimitError("slow down")
        return slots.paced, limit.paced

    assert within_seconds(run()) == (True, True)


def test_a_borrower_that_is_gone_leaves_no_slot_behind() -> None:
    async def run() -> int:
        limit = AdaptiveLimit(4)
        slots, lender = lent(limit, 3)
        holding, never = asyncio.Event(), asyncio.Event()

        async def hold() -> None:
            async with slots.slot():
                holding.set()
                await never.wait()

        task = asyncio.create_task(hold())
        await holding.wait()
        lender.close()
        task.cancel()
        return limit.in_flight

    assert within_seconds(run()) == 0


def test_who_waits_for_a_slot_hears_that_the_run_ends() -> None:
    async def run() -> None:
        stopped = asyncio.Event()
        slots = BorrowedSlots(lambda _: None)
        stopped.set()
        with pytest.raises(StoppedError):
            async with slots.slot(stopped):
                pass

    within_seconds(run())


def money(budget: Budget) -> tuple[BorrowedBudget, BudgetLender]:
    borrowed = BorrowedBudget(lambda message: lender.hear(message))
    lender = BudgetLender(budget, borrowed.hear)
    return borrowed, lender


def request() -> ChatRequest:
    return ChatRequest(RenderedPrompt("judge", 1, "d", "system", "user", {}), max_output_tokens=1000)


def test_a_budget_holds_over_all_that_borrow_from_it() -> None:
    async def run() -> int:
        budget, sent = Budget(0.01, "m"), 0

        async def spend(each: BorrowedBudget) -> None:
            nonlocal sent
            while True:
                try:
                    reserved = await each.reserve(request(), PRICE)
                except BudgetError:
                    return
                sent += 1
                await asyncio.sleep(0)
                await each.settle(reserved, Usage(10, 0, 990), 0.001)

        await asyncio.gather(*(spend(money(budget)[0]) for _ in range(3) for _ in range(4)))
        return sent

    assert within_seconds(run()) <= 10


def test_what_nobody_settles_is_written_off() -> None:
    async def run() -> None:
        budget = Budget(0.01, "m")
        borrowed, lender = money(budget)
        await borrowed.reserve(request(), PRICE)
        lender.close()
        await asyncio.sleep(0.01)
        assert budget._in_flight == 0
        assert budget._spent > 0

    within_seconds(run())
