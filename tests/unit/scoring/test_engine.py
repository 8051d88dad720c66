"""The engine keeps what arrives, stops when asked, and never loses or repeats a text."""

import asyncio
from collections.abc import Sequence

import pytest

from app.domain.checklist_score import Evaluation
from app.domain.run import Outcome, PlannedScore
from app.errors import RateLimitError, WrongKeyError
from app.scoring import engine

PLAN = [PlannedScore(number, 1, number) for number in range(1, 101)]


class MemorySink:
    def __init__(self, stop_after: int | None = None) -> None:
        self.saved: list[Outcome] = []
        self.batches: list[int] = []
        self.stop_after = stop_after

    def save(self, outcomes: Sequence[Outcome]) -> None:
        self.saved.extend(outcomes)
        self.batches.append(len(outcomes))

    def beat(self) -> bool:
        return self.stop_after is not None and len(self.saved) >= self.stop_after


async def _fine(planned: PlannedScore) -> Evaluation:
    await asyncio.sleep(0.001)
    return Evaluation(float(planned.text))


def test_every_planned_score_is_saved_exactly_once() -> None:
    sink = MemorySink()
    report = asyncio.run(engine.run(PLAN, _fine, sink, concurrency=7))
    assert sorted(o.planned.id for o in sink.saved) == [p.id for p in PLAN]
    assert (report.done, report.failed, report.stopped) == (100, 0, False)


def test_never_more_in_flight_than_allowed() -> None:
    in_flight = peak = 0
    full = asyncio.Event()

    async def counted(planned: PlannedScore) -> Evaluation:
        nonlocal in_flight, peak
        in_flight += 1
        peak = max(peak, in_flight)
        if in_flight == 8:
            full.set()
        await full.wait()  # nobody is done before eight have begun
        in_flight -= 1
        return Evaluation(1.0)

    asyncio.run(engine.run(PLAN, counted, MemorySink(), concurrency=8))
    assert peak == 8


def test_workers_do_not_all_begin_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Requests that leave together come back together, and then wait for each other's turn."""
    waits: list[float] = []
    sleep = asyncio.sleep

    async def noted(seconds: float) -> None:
        waits.append(seconds)
        await sleep(0)

    monkeypatch.setattr(engine.asyncio, "sleep", noted)

    async def at_once(planned: PlannedScore) -> Evaluation:
        return Evaluation(1.0)

    asyncio.run(engine.run(PLAN[:16], at_once, MemorySink(), concurrency=16))
    assert waits == [pytest.approx(n * engine.STAGGER_SECONDS) for n in range(16)]


def test_one_text_that_fails_does_not_stop_the_others() -> None:
    async def third_fails(planned: PlannedScore) -> Evaluation:
        if planned.id % 3 == 0:
            raise RateLimitError("Too many requests.")
        return await _fine(planned)

    sink = MemorySink()
    report = asyncio.run(engine.run(PLAN, third_fails, sink))
    assert (report.done, report.failed) == (67, 33)
    assert {o.error_kind for o in sink.saved if o.planned.id % 3 == 0} == {"rate-limit"}


def test_a_refused_key_ends_the_run_and_keeps_what_arrived() -> None:
    revoked = asyncio.Event()

    async def key_revoked(planned: PlannedScore) -> Evaluation:
        if planned.id > 40:
            revoked.set()
            raise WrongKeyError("The key was refused.")
        if planned.id > 37:  # three are still under way, and paid, when the key goes
            await revoked.wait()
        return Evaluation(1.0)

    sink = MemorySink()
    report = asyncio.run(engine.run(PLAN, key_revoked, sink, concurrency=4))
    assert isinstance(report.fatal, WrongKeyError)
    assert {o.planned.id for o in sink.saved} == set(range(1, 41))


def test_a_stop_is_heard_while_texts_are_in_flight(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "LISTEN_SECONDS", 0.01)
    monkeypatch.setattr(engine, "DRAIN_SECONDS", 0.1)

    async def slow(planned: PlannedScore) -> Evaluation:
        await asyncio.sleep(0.001 if planned.id <= 10 else 60)
        return Evaluation(1.0)

    sink = MemorySink(stop_after=5)
    report = asyncio.run(engine.run(PLAN, slow, sink, concurrency=20))
    assert report.stopped
    assert {o.planned.id for o in sink.saved} <= set(range(1, 11))
    assert len(sink.saved) >= 5


def test_a_stop_is_heard_by_a_model_that_never_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "LISTEN_SECONDS", 0.0)

    async def instant(planned: PlannedScore) -> Evaluation:
        return Evaluation(1.0)

    sink = MemorySink(stop_after=1)
    plan = [PlannedScore(number, 1, number) for number in range(200_000)]
    report = asyncio.run(engine.run(plan, instant, sink))
    assert report.stopped
    assert len(sink.saved) < len(plan)


def test_a_bug_is_raised_after_what_arrived_was_kept() -> None:
    async def broken(planned: PlannedScore) -> Evaluation:
        if planned.id == 50:
            raise ZeroDivisionError
        return await _fine(planned)

    sink = MemorySink()
    with pytest.raises(ZeroDivisionError):
        asyncio.run(engine.run(PLAN, broken, sink, concurrency=1))
    assert {o.planned.id for o in sink.saved} == set(range(1, 50))


def test_nothing_planned_is_done_at_once() -> None:
    report = asyncio.run(engine.run([], _fine, MemorySink()))
    assert (report.done, report.failed, report.stopped) == (0, 0, False)


@pytest.mark.parametrize("concurrency", [1, 4])
def test_outcomes_share_transactions(monkeypatch: pytest.MonkeyPatch, concurrency: int) -> None:
    """One outcome of each worker fills a transaction, and the last ones, which fill none, are saved at once."""
    monkeypatch.setattr(engine, "LINGER_SECONDS", 30.0)

    async def score_all() -> None:
        async with asyncio.timeout(20):
            await engine.run(PLAN[:7], _fine, sink, concurrency)

    sink = MemorySink()
    asyncio.run(score_all())
    assert sink.batches[0] == concurrency
    assert sorted(o.planned.id for o in sink.saved) == list(range(1, 8))
