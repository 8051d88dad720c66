"""What was acknowledged is saved; transactions are shared; a failing save is told to those who waited for it."""

import asyncio
import time
from collections.abc import Sequence

import pytest

from app.scoring.group_commit import GroupCommit


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
