"""While a server can't be reached one request tries and the others wait; one request's own trouble stops nobody."""

import asyncio
import itertools
import random
from collections.abc import Callable

import pytest

from app.domain.model_call import RenderedPrompt
from app.errors import ConnectionFailedError, ConnectionLostError, ModelTimeoutError, ProviderError, StoppedError
from app.providers.base import ChatReply, ChatRequest
from app.providers.retry import LONGEST_GAP, ConnectionPause, RetryingModel, RetryPolicy
from tests.support.virtual_time import now, run_virtually

POLICY = RetryPolicy(first=0.001, longest=0.01)


def request(number: int) -> ChatRequest:
    return ChatRequest(RenderedPrompt("judge", 1, "d", "SYSTEM", str(number), {}))


class Server:
    """Each request takes a second; `trouble` says by number and moment what a request meets instead of a reply."""

    name, is_llm = "llama:judge", True

    def __init__(self, trouble: Callable[[int, float], Exception | None]) -> None:
        self.trouble = trouble
        self.tried: list[tuple[int, float]] = []

    async def complete(self, asked: ChatRequest) -> ChatReply:
        number = int(asked.prompt.user)
        self.tried.append((number, now()))
        if found := self.trouble(number, now()):
            raise found
        await asyncio.sleep(1)
        return ChatReply(str(number), self.name)

    async def aclose(self) -> None: ...


def gone(start: float, end: float) -> Callable[[int, float], Exception | None]:
    return lambda _, at: ConnectionFailedError("gone") if start <= at < end else None


def asked_all(
    server: Server, count: int, pause: ConnectionPause, stop_at: float | None = None
) -> list[ChatReply | BaseException]:
    async def run() -> list[ChatReply | BaseException]:
        stopped = asyncio.Event()
        model = RetryingModel(server, POLICY, rng=random.Random(0), stopped=stopped, pause=pause)
        if stop_at is not None:
            asyncio.get_running_loop().call_later(stop_at, stopped.set)
        return await asyncio.gather(*(model.complete(request(n)) for n in range(count)), return_exceptions=True)

    return run_virtually(run())


def kinds(found: list[ChatReply | BaseException]) -> set[type]:
    return {type(each) for each in found}


@pytest.mark.parametrize("seconds", [30.0, 600.0, 890.0])
def test_requests_while_the_server_is_away_are_all_answered(seconds: float) -> None:
    server, pause = Server(gone(0, seconds)), ConnectionPause("llama:judge")
    assert [each.text for each in asked_all(server, 32, pause) if isinstance(each, ChatReply)] == list(
        map(str, range(32))
    )
    tries = [at for _, at in server.tried if 0 < at < seconds]
    assert len(tries) < 8 + seconds / LONGEST_GAP, "one tries for all"
    assert all(later > earlier for earlier, later in itertools.pairwise(tries))
    assert (pause.count, pause.message) == (1, "")


def test_tries_come_from_another_request_each_time() -> None:
    server = Server(gone(0, 60))
    asked_all(server, 4, ConnectionPause("llama:judge"))
    tries = [number for number, at in server.tried if 0 < at < 60]
    assert len(set(tries)) == 4


@pytest.mark.parametrize("longest", [0.0, 10.0, 900.0])
def test_a_pause_that_takes_too_long_ends_every_request(longest: float) -> None:
    server, pause = Server(gone(0, 1e9)), ConnectionPause("llama:judge", longest)
    assert kinds(asked_all(server, 32, pause)) == {ConnectionLostError}
    assert max(at for _, at in server.tried) == longest


def test_stop_ends_a_pause_at_once() -> None:
    server = Server(gone(0, 1e9))
    assert kinds(asked_all(server, 8, ConnectionPause("llama:judge"), stop_at=100.0)) == {StoppedError}
    assert max(at for _, at in server.tried) <= 100


@pytest.mark.parametrize("error", [ProviderError("400"), ModelTimeoutError("slow")])
def test_an_error_of_one_request_begins_no_pause(error: ProviderError) -> None:
    pause = ConnectionPause("llama:judge")
    found = asked_all(Server(lambda number, _: error if number == 3 else None), 8, pause)
    assert [n for n, each in enumerate(found) if each is error] == [3]
    assert pause.count == 0


def test_a_request_that_alone_breaks_the_connection_fails_alone() -> None:
    """Others get through meanwhile, so that its failures are its own."""

    async def run() -> tuple[BaseException | ChatReply, list[float]]:
        server = Server(lambda number, _: ConnectionFailedError("cut") if number == 0 else None)
        model = RetryingModel(server, POLICY, rng=random.Random(0), pause=ConnectionPause("llama:judge"))
        poison = asyncio.ensure_future(model.complete(request(0)))
        began, took = now(), []
        for n in range(1, 40):
            await model.complete(request(n))
            took.append(now() - began)
            began = now()
        return (await asyncio.gather(poison, return_exceptions=True))[0], took

    failure, took = run_virtually(run())
    assert isinstance(failure, ConnectionFailedError)
    assert max(took) <= 2
