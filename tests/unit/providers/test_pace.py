"""A provider that takes so many requests in a window, without saying when there is room again."""

import asyncio
import random
from collections import deque

import pytest

from app.domain.model_call import RenderedPrompt
from app.errors import LimitReachedError, RateLimitError
from app.providers.base import ChatReply, ChatRequest
from app.providers.rate_limit import PATIENCE, AdaptiveLimit
from app.providers.retry import RetryingModel
from tests.support.virtual_time import now, run_virtually

REQUEST = ChatRequest(RenderedPrompt("judge", 1, "d", "SYSTEM", "USER", {}))


class Windowed:
    """Answers after `seconds`; at most `most` requests in any `window` seconds, refused ones not counted. `hints`: says
    how long to wait."""

    name = "windowed:model"
    is_llm = True

    def __init__(self, most: int, window: float, seconds: float = 1.0, hints: bool = False) -> None:
        self._most, self._window, self._seconds, self._hints = most, window, seconds, hints
        self._recent: deque[float] = deque()
        self.answered = self.refused = 0

    async def complete(self, request: ChatRequest) -> ChatReply:
        while self._recent and now() - self._recent[0] > self._window:
            self._recent.popleft()
        if len(self._recent) >= self._most:
            await asyncio.sleep(0.05)
            self.refused += 1
            wait = self._window - (now() - self._recent[0]) if self._hints and self._recent else None
            raise RateLimitError("slow down", retry_after=wait)
        self._recent.append(now())
        await asyncio.sleep(self._seconds)
        self.answered += 1
        return ChatReply("4", self.name)

    async def aclose(self) -> None:
        pass


def ask_all(model: Windowed, texts: int, at_once: int = 32) -> float:
    """Seconds until all are answered, as many at a time as a run's workers."""

    async def work() -> float:
        patient = RetryingModel(model, None, AdaptiveLimit(at_once, clock=now), random.Random(1))
        queue = iter(range(texts))

        async def worker() -> None:
            for _ in queue:
                await patient.complete(REQUEST)

        await asyncio.gather(*(worker() for _ in range(at_once)))
        return now()

    return run_virtually(work())


@pytest.mark.parametrize("hints", [False, True])
@pytest.mark.parametrize("at_once", [1, 32])
@pytest.mark.parametrize(("most", "window", "texts"), [(12, 60, 20), (3, 60, 20), (60, 60, 300), (10, 1, 200)])
def test_every_request_is_answered_without_knocking_all_the_time(
    most: int, window: float, texts: int, at_once: int, hints: bool
) -> None:
    model = Windowed(most, window, hints=hints)
    took = ask_all(model, texts, at_once)
    assert model.answered == texts
    assert model.refused <= at_once + 10 + texts * (0.1 if window == 60 else 0.4)
    least = max(window * (texts - most) / most, texts / at_once)
    assert took <= 2 * least + 3 * window + 10


def test_a_long_run_stays_close_to_the_pace() -> None:
    model = Windowed(12, 60)
    took = ask_all(model, 150)
    assert took <= 1.25 * 150 / 12 * 60
    assert model.refused <= 32 + 150 / 10


def test_scattered_refusals_teach_no_pace() -> None:
    class Moody(Windowed):
        async def complete(self, request: ChatRequest) -> ChatReply:
            if (self.answered + self.refused) % 10 == 5:
                self.refused += 1
                raise RateLimitError("a moment")
            return await super().complete(request)

    assert ask_all(Moody(10**6, 1), 300) <= 3 * 300 / 32


def test_where_nothing_passes_for_long_the_run_ends_with_a_sentence_not_each_text() -> None:
    model = Windowed(0, 60)
    with pytest.raises(LimitReachedError, match="let no request pass for 15 minutes") as caught:
        ask_all(model, 200)
    assert "Resume" in caught.value.hint
    assert model.refused <= 32 + PATIENCE / 60 + 10


def test_who_waits_for_the_pace_can_be_cancelled() -> None:
    async def work() -> None:
        limit = AdaptiveLimit(4, clock=now)
        patient = RetryingModel(Windowed(0, 60), None, limit, random.Random(1))
        tasks = [asyncio.create_task(patient.complete(REQUEST)) for _ in range(8)]
        await asyncio.sleep(100)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert limit.in_flight == 0

    run_virtually(work())
