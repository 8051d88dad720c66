"""What was acknowledged is saved; transactions are shared; a failing save is told to those who waited for it."""

import asyncio
import time
from collections.abc import Sequence

import pytest

from app.scoring.engine import GroupCommit

FOR_EVER, HUNG = 3_600.0, 20.0


async def until_it_lingers() -> None:
    """Let the writer take its first steps."""
    for _ in range(10):
        await asyncio.sleep(0)


def test_items_that_arrive_together_share_transactions_and_keep_their_order() -> None:
    batches: list[list[int]] = []

    def save(items: Sequence[int]) -> None:
        time.sleep(0.005)
        batches.append(list(items))

    async def put_all() -> None:
        group = GroupCommit[int](save)
        await asyncio.gather(*(group.put(number) for number in range(100)))

    asyncio.run(put_all())
    assert [number for batch in batches for number in batch] == list(range(100))
    assert len(batches) < 10


def test_put_returns_only_after_the_item_was_saved() -> None:
    saved: list[int] = []

    async def check() -> None:
        group = GroupCommit[int](saved.extend)
        for number in range(5):
            await group.put(number)
            assert saved[-1] == number

    asyncio.run(check())


def test_a_cancelled_put_is_saved_all_the_same() -> None:
    saved: list[int] = []

    def slow(items: Sequence[int]) -> None:
        time.sleep(0.05)
        saved.extend(items)

    async def cancel() -> None:
        group = GroupCommit[int](slow)
        task = asyncio.create_task(group.put(1))
        await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await group.close()

    asyncio.run(cancel())
    assert saved == [1]


def test_who_waits_for_a_failed_save_hears_of_it_and_the_next_is_tried() -> None:
    saved: list[int] = []

    def fails_once(items: Sequence[int]) -> None:
        if 1 in items:
            raise OSError("disk full")
        saved.extend(items)

    async def put_two() -> None:
        group = GroupCommit[int](fails_once)
        with pytest.raises(OSError, match="disk full"):
            await group.put(1)
        await group.put(2)

    asyncio.run(put_two())
    assert saved == [2]


def test_put_lingering_saves_a_full_batch_together() -> None:
    batches: list[list[int]] = []

    async def put_all() -> None:
        group = GroupCommit[int](lambda items: batches.append(list(items)), linger=FOR_EVER, batch_size=3)
        async with asyncio.timeout(HUNG):
            for first in (0, 3):
                puts = [asyncio.create_task(group.put(first))]
                await until_it_lingers()
                puts += [asyncio.create_task(group.put(first + number)) for number in (1, 2)]
                await asyncio.gather(*puts)

    asyncio.run(put_all())
    assert batches == [[0, 1, 2], [3, 4, 5]]


def test_put_lingering_alone_is_saved_after_the_pause() -> None:
    saved: list[int] = []

    async def put_one() -> None:
        async with asyncio.timeout(HUNG):
            await GroupCommit[int](saved.extend, linger=0.001, batch_size=3).put(1)

    asyncio.run(put_one())
    assert saved == [1]


@pytest.mark.parametrize("already_waiting", [True, False])
def test_stop_lingering_saves_at_once(already_waiting: bool) -> None:
    saved: list[int] = []

    async def put_one() -> None:
        group = GroupCommit[int](saved.extend, linger=FOR_EVER, batch_size=3)
        async with asyncio.timeout(HUNG):
            if not already_waiting:
                group.flush_at_once()
            put = asyncio.create_task(group.put(1))
            await until_it_lingers()
            if already_waiting:
                group.flush_at_once()
            await put

    asyncio.run(put_one())
    assert saved == [1]


def test_close_ends_lingering() -> None:
    saved: list[int] = []

    async def put_and_close() -> None:
        group = GroupCommit[int](saved.extend, linger=FOR_EVER, batch_size=3)
        async with asyncio.timeout(HUNG):
            put = asyncio.create_task(group.put(1))
            await until_it_lingers()
            await group.close()
            await put

    asyncio.run(put_and_close())
    assert saved == [1]
