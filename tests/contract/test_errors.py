"""Every way a provider fails, as one table over all adapters."""

import asyncio
import traceback
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from threading import Event
from typing import Any

import pytest

from app.errors import (
    ConnectionFailedError,
    ModelTimeoutError,
    OverloadedError,
    ProviderError,
    QuotaError,
    RateLimitError,
    TooLongError,
    TransientError,
    UnknownModelError,
    WrongAddressError,
    WrongKeyError,
)
from app.providers.rate_limit import AdaptiveLimit
from app.providers.registry import open_model
from app.providers.retry import RetryingModel, RetryPolicy
from tests.support.adapter_cases import ADAPTERS, KEY, AdapterCase, a_request, ask
from tests.support.fake_llm.behaviour import Answer, Behaviour, Drop, Fail, Held, Slow, Status
from tests.support.fake_llm.server import FakeLlm

FAILURES: list[tuple[str, Behaviour, type[ProviderError]]] = [
    ("wrong-key", Fail("wrong-key"), WrongKeyError),
    ("401", Status(401), WrongKeyError),
    ("403", Status(403), WrongKeyError),
    ("unknown-model", Fail("unknown-model"), UnknownModelError),
    ("404", Status(404), WrongAddressError),
    ("405", Status(405), WrongAddressError),
    ("quota", Fail("quota"), QuotaError),
    ("402", Status(402), QuotaError),
    ("rate-limit", Fail("rate-limit"), RateLimitError),
    ("429", Status(429), RateLimitError),
    ("500", Status(500), OverloadedError),
    ("502", Status(502), OverloadedError),
    ("503", Status(503), OverloadedError),
    ("529", Status(529), OverloadedError),
    ("408", Status(408), ModelTimeoutError),
    ("504", Status(504), ModelTimeoutError),
    ("slow", Slow(5), ModelTimeoutError),
    ("dropped-at-once", Drop(), ConnectionFailedError),
    ("dropped-in-the-middle", Drop(after_headers=True), ConnectionFailedError),
    ("too-long", Fail("too-long"), TooLongError),
    ("413", Status(413), TooLongError),
    ("bad-request", Fail("bad-request"), ProviderError),
    ("418", Status(418), ProviderError),
]


@pytest.mark.parametrize(("behaviour", "error"), [row[1:] for row in FAILURES], ids=[row[0] for row in FAILURES])
def test_failures_are_typed_asked_once_and_silent_about_what_was_sent(
    case: AdapterCase,
    server: FakeLlm,
    behaviour: Behaviour,
    error: type[ProviderError],
    caplog: pytest.LogCaptureFixture,
) -> None:
    server.usual = behaviour
    with caplog.at_level("DEBUG"), pytest.raises(ProviderError) as caught:
        ask(case, server, a_request(), timeout=0.5 if isinstance(behaviour, Slow) else 20)
    assert type(caught.value) is error
    assert caught.value.hint or type(caught.value) is ProviderError
    beta_too = case.prefix == "google" and error is UnknownModelError
    assert len(server.requests) == 1 + beta_too, "the SDK must not try again by itself"
    assert_silent(caught.value, caplog.text)


def assert_silent(error: BaseException, log: str) -> None:
    """Neither key nor prompt nor text, in anything that is shown, logged or stored of an error."""
    told = [str(error), repr(error), repr(vars(error)), "".join(traceback.format_exception(error)), log]
    for secret in (KEY, "PLANTEDTEXT", "PLANTEDRUBRIC"):
        assert secret not in "\n".join(told)
    assert error.__cause__ is None
    assert error.__context__ is None, "an SDK's exception holds the request and the key"


@pytest.mark.parametrize("behaviour", [Fail("rate-limit"), Status(429), Status(529), Status(503)])
def test_no_retry_after_is_none(case: AdapterCase, server: FakeLlm, behaviour: Behaviour) -> None:
    server.usual = behaviour
    assert failure(case, server).retry_after is None


def test_retry_after_in_seconds(case: AdapterCase, server: FakeLlm) -> None:
    server.script(Fail("rate-limit", {"Retry-After": "17"}), Status(503, {"Retry-After": "3"}))
    assert failure(case, server).retry_after == 17
    assert failure(case, server).retry_after == 3


def test_retry_after_as_a_date(case: AdapterCase, server: FakeLlm) -> None:
    moment = datetime.now(UTC) + timedelta(seconds=40)
    server.usual = Fail("rate-limit", {"Retry-After": format_datetime(moment, usegmt=True)})
    wait = failure(case, server).retry_after
    assert wait is not None
    assert 30 < wait <= 40


def failure(case: AdapterCase, server: FakeLlm) -> TransientError:
    with pytest.raises(TransientError) as caught:
        ask(case, server, a_request())
    return caught.value


def test_no_access_to_a_model_is_not_a_wrong_key_where_the_provider_tells_them_apart(server: FakeLlm) -> None:
    server.usual = Fail("no-access")
    expected: dict[str, Any] = {"openai": UnknownModelError, "anthropic": WrongKeyError, "google": WrongKeyError}
    for prefix, error in expected.items():
        with pytest.raises(error):
            ask(ADAPTERS[prefix], server, a_request())


def test_nobody_listening_is_a_failed_connection(case: AdapterCase, server: FakeLlm) -> None:
    with FakeLlm() as gone:
        pass
    with pytest.raises(ConnectionFailedError, match=r"(?i)address \(\w+_BASE_URL\)"):
        ask(case, gone, a_request())


def test_trying_again_gets_through_and_holds_the_client(case: AdapterCase, server: FakeLlm) -> None:
    server.script(Fail("rate-limit", {"Retry-After": "0.05"}), Status(500), Drop(), Answer("done"))

    async def run() -> tuple[str, int]:
        opened = open_model(case.name, case.credentials(server))
        model = RetryingModel(opened, RetryPolicy(first=0.01), AdaptiveLimit(4))
        try:
            return (await model.complete(a_request())).text, model.retries
        finally:
            await model.aclose()

    assert asyncio.run(run()) == ("done", 3)
    assert len(server.requests) == 4


def test_used_up_quota_is_never_tried_again(case: AdapterCase, server: FakeLlm) -> None:
    server.usual = Fail("quota", {"Retry-After": "1"})

    async def run() -> None:
        model = RetryingModel(open_model(case.name, case.credentials(server)))
        try:
            await model.complete(a_request())
        finally:
            await model.aclose()

    with pytest.raises(QuotaError):
        asyncio.run(run())
    assert len(server.requests) == 1


def test_cancelling_does_not_wait_for_the_answer(case: AdapterCase, server: FakeLlm) -> None:
    never = Event()
    server.usual = Held(never)

    async def run() -> None:
        model = open_model(case.name, case.credentials(server))
        try:
            task = asyncio.create_task(model.complete(a_request()))
            while not server.requests:
                await asyncio.sleep(0.01)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        finally:
            await model.aclose()

    asyncio.run(run())  # the answer never comes: a client that waited for it would hang
