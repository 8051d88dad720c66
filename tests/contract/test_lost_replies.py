"""A request that was sent and whose reply was lost may be billed: nobody knows what it cost. One that never left or was
refused cost nothing."""

import asyncio
import socket

import pytest
from pydantic import SecretStr

from app.errors import ProviderError, TransientError
from app.providers.base import ATTEMPTS, Usage
from app.providers.credentials import Access, Credentials
from app.providers.recorded import RecordedModel
from app.providers.registry import open_model
from app.providers.retry import RetryingModel, RetryPolicy
from tests.support.adapter_cases import KEY, AdapterCase, a_request, ask
from tests.support.fake_llm.behaviour import Answer, Behaviour, Drop, Fail, Raw, Slow, Status
from tests.support.fake_llm.server import FakeLlm

QUICK = RetryPolicy(first=0.001, longest=0.01)
LOST: dict[str, Behaviour] = {
    "no-answer": Drop(),
    "connection-cut": Drop(after_headers=True),
    "too-slow": Slow(5.0),
    "body-cut": Raw(b'{"id": "r", "choices": [{"mess'),
    "empty-body": Raw(b""),
    "a-proxy-s-page": Raw(b"<html>Sign in</html>", "text/html"),
    "another-form": Raw(b'{"choices": 5, "candidates": 5, "content": 5}'),
}


def failure(case: AdapterCase, server: FakeLlm, behaviour: Behaviour) -> ProviderError:
    server.usual = behaviour
    with pytest.raises(ProviderError) as caught:
        ask(case, server, a_request(), timeout=0.5 if isinstance(behaviour, Slow) else 20)
    return caught.value


@pytest.mark.parametrize("behaviour", LOST.values(), ids=LOST)
def test_what_a_lost_reply_cost_is_not_known(case: AdapterCase, server: FakeLlm, behaviour: Behaviour) -> None:
    assert failure(case, server, behaviour).usage == Usage(known=False)


@pytest.mark.parametrize("behaviour", [Fail("rate-limit"), Fail("wrong-key"), Status(500), Status(529)])
def test_what_was_refused_cost_nothing(case: AdapterCase, server: FakeLlm, behaviour: Behaviour) -> None:
    assert failure(case, server, behaviour).usage is None


def test_what_never_left_cost_nothing(case: AdapterCase) -> None:
    silent = socket.socket()  # bound, so that nobody else takes the port; it takes no connection
    silent.bind(("127.0.0.1", 0))
    address = f"http://127.0.0.1:{silent.getsockname()[1]}{case.path}"
    nowhere = Access(SecretStr(KEY), address, "a test")

    async def run() -> None:
        model = open_model(case.name, Credentials({case.prefix: nowhere}))
        try:
            await model.complete(a_request())
        finally:
            await model.aclose()

    with silent, pytest.raises(ProviderError) as caught:
        asyncio.run(run())
    assert caught.value.usage is None


def recorded(case: AdapterCase, server: FakeLlm) -> RecordedModel:
    """What came of one request, tried again where that makes sense."""

    async def run() -> RecordedModel:
        model = RecordedModel(RetryingModel(open_model(case.name, case.credentials(server)), QUICK), None)
        try:
            await model.complete(a_request())
        except TransientError:
            pass
        finally:
            await model.aclose()
        return model

    return asyncio.run(run())


def test_an_answer_after_a_lost_one_has_no_known_cost(case: AdapterCase, server: FakeLlm) -> None:
    server.script(Drop(after_headers=True), Answer('{"answer": "yes"}'))
    tally = recorded(case, server).tally
    assert (tally.usage.input_tokens, tally.usage.known, tally.cost_usd) == (100, False, None)


def test_an_unreadable_reply_is_asked_for_as_often_as_any_that_is_of_no_use(case: AdapterCase, server: FakeLlm) -> None:
    server.usual = LOST["another-form"]
    tally = recorded(case, server).tally
    assert len(server.requests) == ATTEMPTS
    assert tally.cost_usd is None
