import asyncio
import gc
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

import pytest

from app.errors import ConnectionFailedError, OverloadedError, ProviderError, RateLimitError
from app.providers.rate_limit import AdaptiveLimit, Share, limit_of
from tests.support.virtual_time import now, run_virtually

Result = TypeVar("Result")


def within_seconds(work: Coroutine[Any, Any, Result]) -> Result:
    """What the work results in; a lost slot must fail the test, not hang it."""
    return asyncio.run(asyncio.wait_for(work, 20))


async def fail(limit: AdaptiveLimit, error: ProviderError | None = None, after: asyncio.Event | None = None) -> None:
    try:
        async with limit.slot():
            if after is not None:
                await after.wait()
            raise error or RateLimitError("slow down")
    except ProviderError:
        pass


async def succeed(limit: AdaptiveLimit) -> None:
    async with limit.slot():
        pass


def test_never_more_than_the_maximum_are_in_flight() -> None:
    async def run() -> int:
        limit, seen = AdaptiveLimit(5), 0

        async def work() -> None:
            nonlocal seen
            async with limit.slot():
                seen = max(seen, limit.in_flight)
                await asyncio.sleep(0.001)

        await asyncio.gather(*(work() for _ in range(50)))
        assert limit.in_flight == 0
        return seen

    assert within_seconds(run()) == 5


@pytest.mark.parametrize("error", [RateLimitError("r"), OverloadedError("o")])
def test_it_halves_down_to_the_minimum_and_recovers_by_steps(error: ProviderError) -> None:
    async def run() -> list[int]:
        limit = AdaptiveLimit(16, minimum=3, tolerance=0.0, clock=now)
        limits = []
        for _ in range(4):
            await fail(limit, error)
            limits.append(limit.limit)
        for _ in range(4):
            await succeed(limit)
            limits.append(limit.limit)
        for _ in range(100):
            await succeed(limit)
        return [*limits, limit.limit]

    assert run_virtually(run()) == [8, 4, 3, 3, 3, 4, 4, 5, 16]


def test_other_failures_do_not_slow_it_down() -> None:
    async def run() -> int:
        limit = AdaptiveLimit(16, tolerance=0.0)
        await fail(limit, ConnectionFailedError("gone"))
        return limit.limit

    assert within_seconds(run()) == 16


def test_requests_that_were_under_way_together_halve_it_once() -> None:
    async def run() -> int:
        limit, go = AdaptiveLimit(16, tolerance=0.0), asyncio.Event()
        together = [asyncio.create_task(fail(limit, after=go)) for _ in range(16)]
        await asyncio.sleep(0)
        go.set()
        await asyncio.gather(*together)
        return limit.limit

    assert within_seconds(run()) == 8


def test_a_storm_slows_down_and_scattered_failures_do_not() -> None:
    async def run(pattern: str) -> int:
        limit = AdaptiveLimit(32, clock=now)
        for sign in pattern:
            await (fail(limit) if sign == "x" else succeed(limit))
        return limit.limit

    assert run_virtually(run("......x" * 30)) == 32
    assert run_virtually(run("x" * 10)) <= 16


def test_slots_are_given_in_the_order_they_were_asked_for() -> None:
    async def run() -> list[int]:
        limit, order = AdaptiveLimit(2), []

        async def work(number: int) -> None:
            async with limit.slot():
                order.append(number)
                await asyncio.sleep(0.001 * (number % 3))

        await asyncio.gather(*(work(number) for number in range(20)))
        return order

    assert within_seconds(run()) == list(range(20))


def test_cancelled_ones_leave_no_slot_behind() -> None:
    async def run() -> None:
        limit, go = AdaptiveLimit(1), asyncio.Event()

        async def hold() -> None:
            async with limit.slot():
                await go.wait()

        tasks = [asyncio.create_task(hold()) for _ in range(4)]
        await asyncio.sleep(0)
        tasks[1].cancel()  # while it waits
        await asyncio.sleep(0)
        tasks[0].cancel()  # while it works: its slot goes to the next ...
        await asyncio.sleep(0)
        tasks[2].cancel()  # ... which is cancelled right when it gets it
        go.set()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert [task.cancelled() for task in tasks] == [True, True, True, False]
        assert limit.in_flight == 0
        async with asyncio.timeout(1):
            await succeed(limit)

    within_seconds(run())


def test_event_loops_in_several_threads_share_one_limit() -> None:
    """As runs do, each in a thread of its own: never more in flight together, and nobody waits for ever."""
    limit, seen, lock = AdaptiveLimit(3), [0], threading.Lock()

    async def work() -> None:
        async with limit.slot():
            with lock:
                seen[0] = max(seen[0], limit.in_flight)
            await asyncio.sleep(0.001)

    async def many() -> None:
        await asyncio.gather(*(work() for _ in range(60)))

    threads = [threading.Thread(target=within_seconds, args=(many(),)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
        assert not thread.is_alive()
    assert (seen[0], limit.in_flight) == (3, 0)


def test_a_share_takes_no_more_than_its_part() -> None:
    async def run() -> tuple[int, int]:
        limit = AdaptiveLimit(4)
        share, seen = Share(limit, 2), 0

        async def work() -> None:
            nonlocal seen
            async with share.slot():
                seen = max(seen, limit.in_flight)
                await asyncio.sleep(0.001)

        await asyncio.gather(*(work() for _ in range(12)))
        Share(limit, 9)
        return seen, limit.limit

    assert within_seconds(run()) == (2, 9)


def test_one_account_has_one_limit_for_as_long_as_it_is_used() -> None:
    first = limit_of(("openai", None, "a key"), 8)
    assert limit_of(("openai", None, "a key"), 32) is first
    assert limit_of(("openai", None, "another key"), 8) is not first
    del first
    gc.collect()
    assert limit_of(("openai", None, "a key"), 5).maximum == 5


@pytest.mark.parametrize(
    "wrong",
    [{"maximum": 0}, {"maximum": 2, "minimum": 3}, {"maximum": 2, "recovery": 0}, {"maximum": 2, "tolerance": 1}],
)
def test_impossible_limits(wrong: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="minimum <= maximum"):
        AdaptiveLimit(**wrong)
