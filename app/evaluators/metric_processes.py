"""Processes in which metrics are computed, one a core. Texts go there in pieces, since handing one over and saving what
comes back takes about as long as computing some of them."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from functools import partial
from typing import Any

Metric = Callable[[str, Sequence[str]], float]
Pair = tuple[str, Sequence[str]]
"""A text and its references."""

IDLE_SECONDS = 300.0
PIECE = 16  # texts at most: a run that is to stop waits for what is under way
_HERE: list[Executor] = []


class MetricCalls:
    """A metric of texts that are asked about one by one. Those that wait together are computed together, and a piece
    more than there are processes is under way, so that none of them waits for its next. For one event loop."""

    def __init__(self, metric: Metric) -> None:
        self._metric = metric
        self._waiting: list[tuple[Pair, asyncio.Future[float]]] = []
        self._under_way = 0

    def get(self, text: str, references: Sequence[str]) -> asyncio.Future[float]:
        """What the metric raises for one text of a piece is raised for all of it: it is no fault of a text."""
        loop = asyncio.get_running_loop()
        found: asyncio.Future[float] = loop.create_future()
        if not self._waiting:
            loop.call_soon(self._hand_over)  # those that are about to ask come along
        self._waiting.append(((text, references), found))
        return found

    def _hand_over(self) -> None:
        while self._waiting and (free := process_count() + 1 - self._under_way) > 0:
            size = min(PIECE, -(-len(self._waiting) // free))
            piece, self._waiting = self._waiting[:size], self._waiting[size:]
            try:
                work = metric_processes().submit(values, self._metric, [pair for pair, _ in piece])
            except RuntimeError as error:  # a process was killed
                _settle(piece, error)
                continue
            self._under_way += 1
            asyncio.wrap_future(work).add_done_callback(partial(self._take_back, piece))

    def _take_back(
        self, piece: Sequence[tuple[Pair, asyncio.Future[float]]], ended: asyncio.Future[list[float]]
    ) -> None:
        self._under_way -= 1
        if ended.cancelled():
            for _, found in piece:
                found.cancel()
        else:
            _settle(piece, ended.exception() or ended.result())
        self._hand_over()


def values(metric: Metric, pairs: Sequence[Pair]) -> list[float]:
    """In their order; what a process does with a piece."""
    return [metric(text, references) for text, references in pairs]


def _settle(piece: Sequence[tuple[Pair, asyncio.Future[float]]], ended: BaseException | list[float]) -> None:
    for place, (_, found) in enumerate(piece):
        if found.done():
            continue
        if isinstance(ended, BaseException):
            found.set_exception(ended)
        else:
            found.set_result(ended[place])


def compute_in_this_process() -> None:
    """From now on. For one of many processes that share the texts, one a core."""
    if not _HERE:
        _HERE.append(ThreadPoolExecutor(max_workers=1, thread_name_prefix="metric"))


def process_count() -> int:
    """How many pieces are computed at a time."""
    if _HERE:
        return 1
    from joblib import cpu_count  # noqa: PLC0415

    return int(cpu_count())


def metric_processes() -> Any:
    """As many as there are cores, shared by all, ended when idle. Unlike multiprocessing, loky never runs the program
    again to make one, which a web app or a script wouldn't bear.

    On a busy machine a process can wait for long between two texts. By loky's own patience of ten seconds it ends
    meanwhile, and loky's warning about that ends the thread that hands out work wherever warnings are errors: the run
    would wait for ever.
    """
    if _HERE:
        return _HERE[0]
    from joblib.externals.loky import get_reusable_executor  # noqa: PLC0415

    return get_reusable_executor(max_workers=process_count(), timeout=IDLE_SECONDS)
