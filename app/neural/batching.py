"""Batches of texts for a model: texts that wait at the same time, grouped by length."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Generic, TypeVar

from app.neural.loading import LoadedModel

Given = TypeVar("Given")
Found = TypeVar("Found")

TOKENS = 4096  # a batch with its padding: enough to keep two cores or a small GPU busy, and within a few GB
WAITING = 64


def in_batches(lengths: Sequence[int], tokens: int = TOKENS) -> Iterator[list[int]]:
    """Yield the indices of each batch, each index once: rows of similar length, so that there is little padding."""
    batch: list[int] = []
    for place in sorted(range(len(lengths)), key=lambda place: lengths[place]):
        if batch and lengths[place] * (len(batch) + 1) > tokens:
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch


def padded(loaded: LoadedModel, rows: Sequence[list[int]]) -> dict[str, Any]:
    """Return rows of ids padded on the right, and a mask of the real ones."""
    import torch  # noqa: PLC0415

    padding = loaded.tokenizer.pad_token_id or 0  # whatever it is, the mask hides it
    longest = max(map(len, rows))
    ids = [row + [padding] * (longest - len(row)) for row in rows]
    mask = [[1] * len(row) + [0] * (longest - len(row)) for row in rows]
    return {
        "input_ids": torch.tensor(ids, device=loaded.device),
        "attention_mask": torch.tensor(mask, device=loaded.device),
    }


def shortened(ids: list[int], limit: int | None) -> list[int]:
    """Return at most `limit` ids, with the end token, which the tokenizer put last, kept."""
    return ids if limit is None or len(ids) <= limit else [*ids[: limit - 1], ids[-1]]


class BatchedCalls(Generic[Given, Found]):
    """Calls computed in batches, in a thread; calls that arrive during one batch form the next.

    If a batch fails, each of its members is computed by itself, so that only the faulty one fails.
    """

    def __init__(self, compute: Callable[[Sequence[Given]], Sequence[Found]], most: int = WAITING) -> None:
        self._compute = compute
        self._most = most
        self._waiting: list[tuple[Given, asyncio.Future[Found]]] = []
        self._worker: asyncio.Task[None] | None = None

    async def get(self, given: Given) -> Found:
        future: asyncio.Future[Found] = asyncio.get_running_loop().create_future()
        self._waiting.append((given, future))
        if self._worker is None or self._worker.done():
            self._worker = asyncio.create_task(self._work())
        return await future

    async def _work(self) -> None:
        await asyncio.sleep(0)  # those that are about to ask come along
        while self._waiting:
            batch, self._waiting = self._waiting[: self._most], self._waiting[self._most :]
            try:
                found = await asyncio.to_thread(self._compute, [given for given, _ in batch])
            except Exception as error:
                await self._one_by_one(batch, error)
                continue
            for (_, future), value in zip(batch, found, strict=True):
                if not future.done():
                    future.set_result(value)

    async def _one_by_one(self, batch: Sequence[tuple[Given, asyncio.Future[Found]]], error: Exception) -> None:
        for given, future in batch:
            if future.done():
                continue
            if len(batch) == 1:
                future.set_exception(error)
                continue
            try:
                (found,) = await asyncio.to_thread(self._compute, [given])
                future.set_result(found)
            except Exception as own:
                future.set_exception(own)
