import asyncio
import random

import pytest

from app.domain.model_call import RenderedPrompt
from app.errors import (
    ConnectionFailedError,
    ModelTimeoutError,
    OverloadedError,
    ProviderError,
    QuotaError,
    RateLimitError,
    WrongKeyError,
    WrongSchemaError,
)
from app.providers.base import ChatReply, ChatRequest
from app.providers.rate_limit import AdaptiveLimit
from app.providers.retry import RetryingModel, RetryPolicy
from tests.support.scripted_model import Scripted, ScriptedModel
from tests.support.virtual_time import now, run_virtually

REQUEST = ChatRequest(RenderedPrompt("judge", 1, "d", "SYSTEM", "USER", {}))
QUICK = RetryPolicy(first=0.001, longest=0.01)


def patient(*replies: Scripted, policy: RetryPolicy = QUICK) -> tuple[RetryingModel, ScriptedModel]:
    model = ScriptedModel(replies)
    return RetryingModel(model, policy, rng=random.Random(0)), model


async def timed(model: RetryingModel) -> float:
    """When the answer is there."""
    await model.complete(REQUEST)
    return now()


def complete(model: RetryingModel) -> ChatReply:
    return run_virtually(model.complete(REQUEST))


@pytest.mark.parametrize(
    "passing", [RateLimitError("r"), OverloadedError("o"), ModelTimeoutError("t"), ConnectionFailedError("c")]
)
def test_passing_failures_are_tried_again_and_counted(passing: ProviderError) -> None:
    model, asked = patient(passing, "done")
    assert complete(model).text == "done"
    assert (model.retries, len(asked.requests)) == (1, 2)


@pytest.mark.parametrize("lasting", [QuotaError("q"), WrongKeyError("w"), WrongSchemaError("s"), ValueError("bug")])
def test_lasting_failures_are_not(lasting: Exception) -> None:
    model, asked = patient(lasting, "never")
    with pytest.raises(type(lasting)):
        complete(model)
    assert (model.retries, len(asked.requests)) == (0, 1)


def test_attempts_are_bounded_and_the_last_error_is_told() -> None:
    policy = RetryPolicy(attempts=3, first=0.001)
    model, asked = patient(OverloadedError("one"), OverloadedError("two"), RateLimitError("three"), policy=policy)
    with pytest.raises(RateLimitError, match="three"):
        complete(model)
    assert (model.retries, len(asked.requests)) == (2, 3)


def test_retry_after_is_waited_for() -> None:
    model, _ = patient(RateLimitError("r", retry_after=20), "done")
    assert run_virtually(timed(model)) >= 20


def test_a_wait_that_outlasts_the_time_is_not_begun() -> None:
    model, _ = patient(RateLimitError("r", retry_after=60), "never", policy=RetryPolicy(total=5))

    async def refused() -> float:
        with pytest.raises(RateLimitError):
            await model.complete(REQUEST)
        return now()

    assert run_virtually(refused()) == 0


def test_a_request_that_runs_out_of_time_is_paid_twice_at_most() -> None:
    model, asked = patient(ModelTimeoutError("t"), ModelTimeoutError("t"), "never")
    with pytest.raises(ModelTimeoutError):
        complete(model)
    assert len(asked.requests) == 2


def test_the_time_of_a_request_does_not_count_as_waiting() -> None:
    class Slow(ScriptedModel):
        async def complete(self, request: ChatRequest) -> ChatReply:
            await asyncio.sleep(500)
            return await super().complete(request)

    model = RetryingModel(Slow([OverloadedError("o"), "late"]), RetryPolicy(total=300))
    assert run_virtually(model.complete(REQUEST)).text == "late"


def test_waits_grow_jittered_to_a_ceiling(monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []

    async def no_sleep(seconds: float) -> None:
        waits.append(seconds)

    monkeypatch.setattr("app.providers.retry.asyncio.sleep", no_sleep)
    policy = RetryPolicy(attempts=9, first=1, longest=8)
    for _ in range(200):
        model, _ = patient(*[OverloadedError("o")] * 8, "done", policy=policy)
        model._rng = random.Random(len(waits))
        complete(model)
    for attempt, ceiling in enumerate([1, 2, 4, 8, 8, 8, 8, 8]):
        drawn = waits[attempt::8]
        assert 0 <= min(drawn) < ceiling * 0.1
        assert ceiling * 0.9 < max(drawn) <= ceiling


def test_a_seed_makes_waits_repeatable() -> None:
    first, _ = patient()
    second, _ = patient()
    assert [first._wait(n, None) for n in range(1, 6)] == [second._wait(n, None) for n in range(1, 6)]


def test_cancelling_while_waiting_ends_at_once() -> None:
    async def run() -> float:
        model, _ = patient(RateLimitError("r", retry_after=100))
        task = asyncio.create_task(model.complete(REQUEST))
        await asyncio.sleep(5)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return now()

    assert run_virtually(run()) == 5


def test_no_slot_is_held_while_waiting() -> None:
    async def run() -> None:
        limit = AdaptiveLimit(1, clock=now)
        waiting = RetryingModel(ScriptedModel([OverloadedError("o", retry_after=30), "late"]), QUICK, limit)
        other = RetryingModel(ScriptedModel(["at once"]), QUICK, limit)
        task = asyncio.create_task(waiting.complete(REQUEST))
        await asyncio.sleep(5)
        async with asyncio.timeout(1):
            assert (await other.complete(REQUEST)).text == "at once"
        assert (await task).text == "late"

    run_virtually(run())


def test_it_stands_for_the_model_it_wraps() -> None:
    model = ScriptedModel([], name="rules", is_llm=False)
    wrapped = RetryingModel(model)
    assert (wrapped.name, wrapped.is_llm) == ("rules", False)
    run_virtually(wrapped.aclose())
    assert model.closed


@pytest.mark.parametrize("wrong", [{"attempts": 0}, {"timeouts": 0}, {"total": 0}, {"first": -1}, {"longest": -1}])
def test_impossible_policies(wrong: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="retry policy"):
        RetryPolicy(**wrong)
