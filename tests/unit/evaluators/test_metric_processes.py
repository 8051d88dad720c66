"""Texts that wait together are computed together, and whoever asks gets the figure of its own text."""

import asyncio
import os
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from app.evaluators import reference_metrics
from app.evaluators.reference_metrics import (
    PIECE,
    MetricCalls,
    compute_in_this_process,
    metric_processes,
    process_count,
    rouge,
)


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Computed in a thread, as a worker of a scheduler does."""
    monkeypatch.setattr(reference_metrics, "_HERE", [])
    compute_in_this_process()
    yield
    for executor in reference_metrics._HERE:
        executor.shutdown()


@pytest.fixture
def pieces(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many texts each piece had."""
    sizes: list[int] = []
    real = reference_metrics.values

    def noted(metric: object, pairs: Sequence[object]) -> list[float]:
        sizes.append(len(pairs))
        return real(metric, pairs)  # type: ignore[arg-type]

    monkeypatch.setattr(reference_metrics, "values", noted)
    return sizes


def length(text: str, references: Sequence[str]) -> float:
    return float(len(text) + len(references))


async def lengths(metric: reference_metrics.Metric, count: int) -> list[float]:
    calls = MetricCalls(metric)
    return await asyncio.gather(*(calls.get("x" * n, ["reference"]) for n in range(count)))


def test_each_text_gets_its_own_figure(pieces: list[int]) -> None:
    assert asyncio.run(lengths(length, 100)) == [n + 1.0 for n in range(100)]
    assert sum(pieces) == 100
    assert len(pieces) < 10
    assert max(pieces) == PIECE


@pytest.mark.parametrize(("asked", "sizes"), [(1, [1]), (2, [1, 1]), (5, [3, 2])])
def test_few_texts_are_shared_by_all_processes(pieces: list[int], asked: int, sizes: list[int]) -> None:
    assert process_count() == 1  # and one piece waits for it
    asyncio.run(lengths(length, asked))
    assert pieces == sizes


def test_a_fault_of_the_metric_reaches_whoever_asked_and_nobody_else() -> None:
    def faulty(text: str, _: Sequence[str]) -> float:
        return 1.0 / len(text)

    async def asked() -> list[object]:
        calls = MetricCalls(faulty)
        with pytest.raises(ZeroDivisionError):
            await calls.get("", [])
        return [await calls.get("ab", [])]

    assert asyncio.run(asked()) == [0.5]


def test_no_process_to_give_texts_to_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    closed = ThreadPoolExecutor(1)
    closed.shutdown()
    monkeypatch.setattr(reference_metrics, "_HERE", [closed])
    with pytest.raises(RuntimeError, match="after shutdown"):
        asyncio.run(lengths(length, 3))


@pytest.mark.long
def test_unless_told_otherwise_metrics_run_in_other_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reference_metrics, "_HERE", [])

    async def asked() -> float:
        return await MetricCalls(partial(rouge, "rouge1", False)).get("One word", ["Word one", "another"])

    assert asyncio.run(asked()) == 1.0
    with metric_processes() as processes:
        assert processes.submit(os.getpid).result() != os.getpid()


def test_those_that_ask_meanwhile_come_along_next(pieces: list[int]) -> None:
    """The first two pieces are held until four more texts have been asked about."""
    asked = threading.Event()

    def held(text: str, references: Sequence[str]) -> float:
        assert asked.wait(60)
        return length(text, references)

    async def run() -> list[float]:
        calls = MetricCalls(held)
        first = [calls.get("a", []), calls.get("b", [])]
        await asyncio.sleep(0)
        later = [calls.get(text, []) for text in "cdef"]
        asked.set()
        return await asyncio.gather(*first, *later)

    assert asyncio.run(run()) == [1.0] * 6
    assert pieces == [1, 1, 4]
