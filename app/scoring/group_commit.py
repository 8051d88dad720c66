"""Group commit: many tasks save one thing at a time, in as few transactions as there can be."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Generic, TypeVar

Item = TypeVar("Item")
LARGEST_BATCH = 500


class GroupCommit(Generic[Item]):
    """The caller of `put` waits until its item is saved; what arrives while a batch is being written forms the next.

    So nothing that was acknowledged can be lost, and the cost of a transaction is shared by all who wait for it.
    `save` runs in a worker thread, one call at a time.

    linger: seconds that a batch waits for more items before it is saved. It is saved at once when it has `batch_size`
    items, or after `stop_lingering`.
    """

    def __init__(
        self, save: Callable[[Sequence[Item]], None], linger: float = 0.0, batch_size: int = LARGEST_BATCH
    ) -> None:
        self._save = save
        self._linger = linger
        self._batch_size = batch_size
        self._full = asyncio.Event()
        self._at_once = linger <= 0
        self._waiting: list[tuple[Item, asyncio.Future[None]]] = []
        self._writer: asyncio.Task[None] | None = None

    async def put(self, item: Item) -> None:
        """Returns once the item is saved; raises what `save` raised. Cancelled, the item is saved all the same."""
        saved: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((item, saved))
        if len(self._waiting) >= self._batch_size:
            self._full.set()
        if self._writer is None or self._writer.done():
            self._writer = asyncio.create_task(self._write())
        await asyncio.shield(saved)

    def stop_lingering(self) -> None:
        """Save every batch at once from now on."""
        self._at_once = True
        self._full.set()

    async def close(self) -> None:
        """Wait until everything put so far is saved, or has failed to be."""
        self.stop_lingering()
        if self._writer is not None:
            await self._writer

    async def _write(self) -> None:
        while self._waiting:
            if not self._at_once and len(self._waiting) < self._batch_size:
                self._full.clear()
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._full.wait(), self._linger)
            batch, self._waiting = self._waiting[:LARGEST_BATCH], self._waiting[LARGEST_BATCH:]
            try:
                await asyncio.to_thread(self._save, [item for item, _ in batch])
            except Exception as error:  # handed to those who wait for it
                for _, saved in batch:
                    _settle(saved, error)
            else:
                for _, saved in batch:
                    _settle(saved, None)


def _settle(saved: asyncio.Future[None], error: Exception | None) -> None:
    if saved.done():
        return
    if error is None:
        saved.set_result(None)
    else:
        saved.set_exception(error)
        saved.exception()  # the caller may be gone: no warning then
