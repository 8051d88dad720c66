"""Retries of requests, and pauses of a run while the connection is lost."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from app.errors import (
    ConnectionFailedError,
    ConnectionLostError,
    ModelTimeoutError,
    ProviderError,
    RateLimitError,
    StoppedError,
    TransientError,
    UnreadableReplyError,
)
from app.providers.adapters.provider_errors import billed, connection_stalled
from app.providers.base import ATTEMPTS, ChatModel, ChatReply, ChatRequest, Usage, WrappedModel
from app.providers.rate_limit import PATIENCE, Limiter

LONGEST = 900.0
FIRST_GAP, LONGEST_GAP = 0.5, 30.0


class ConnectionPause:
    """A pause of all requests of a run in one process and event loop.

    A failed connection begins the pause. The waiting requests then try one after another, with gaps that double up to
    `LONGEST_GAP`, until the server answers one of them in any way. A timeout neither begins nor ends a pause, as the
    connection works.

    longest: seconds of a pause after which the run ends.
    """

    def __init__(self, model: str, longest: float = LONGEST) -> None:
        self.count = 0
        """Number of pauses so far. Two failures in the same pause have one cause."""
        self.message = ""
        """The run's message during a pause; "" without one."""
        self._model = model
        self._longest = longest
        self._gap = FIRST_GAP
        self._since: float | None = None
        self._next = 0.0
        self._lost = False
        self._over = asyncio.Event()
        self._turn = asyncio.Lock()  # first come, first served, so that another one tries each time

    @asynccontextmanager
    async def attempt(self, stopped: asyncio.Event) -> AsyncIterator[None]:
        """Wrap each sending of a request: wait during a pause.

        Raises StoppedError once the run is to end, ConnectionLostError after the longest pause.
        """
        if self._since is None:
            async with self._watched():
                yield
            return
        await self._turn.acquire()
        tries = False
        try:
            tries = await self._wait(stopped)
            if tries:
                async with self._watched():
                    yield
        finally:
            self._turn.release()
        if not tries:
            async with self._watched():
                yield

    async def _wait(self, stopped: asyncio.Event) -> bool:
        """Return True if it is this request's turn to try, False if the pause is over."""
        while self._since is not None:
            self._check(stopped)
            wait = self._next - _now()
            if wait <= 0:
                return True
            await _any_set(wait, stopped, self._over)
        self._check(stopped)
        return False

    def _check(self, stopped: asyncio.Event) -> None:
        if stopped.is_set():
            raise StoppedError("The run is ending: nothing more is asked.")
        if self._lost:
            raise ConnectionLostError(
                f"The server of {self._model} could not be reached for {self._longest / 60:g} minutes."
            )

    @asynccontextmanager
    async def _watched(self) -> AsyncIterator[None]:
        try:
            yield
        except ConnectionFailedError:
            self._failed()
            raise
        except (StoppedError, ModelTimeoutError):
            raise
        except ProviderError:
            self._reached()
            raise
        else:
            self._reached()

    def _failed(self) -> None:
        now = _now()
        if self._since is None:
            self._since, self._gap = now, FIRST_GAP
            self.count += 1
            self._over.clear()
            self.message = (
                f"Paused: the server of {self._model} can't be reached since {datetime.now(UTC):%H:%M:%S} UTC. It is "
                f"tried again for {self._longest / 60:g} minutes at most; then the run ends and can be resumed."
            )
        elif now >= self._next:
            self._gap = min(2 * self._gap, LONGEST_GAP)
        else:  # it was sent before the others were told to wait
            return
        end = self._since + self._longest
        self._lost = now >= end
        self._next = min(now + self._gap, end)

    def _reached(self) -> None:
        if self._since is not None:
            self._since, self.message, self._lost = None, "", False
            self._over.set()


def _now() -> float:
    return asyncio.get_running_loop().time()


async def _any_set(seconds: float, *events: asyncio.Event) -> None:
    """Wait until one of the events is set, for at most `seconds`."""
    waiting = [asyncio.ensure_future(each.wait()) for each in events]
    try:
        await asyncio.wait(waiting, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for each in waiting:
            each.cancel()


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Limits of retries. attempts: the most attempts, the first included; timeouts: how many of these may time out, as
    each is billed though nobody waits for it; unreadable: how many may return something unreadable. total: no attempt
    begins later than this many seconds after the first failure.

    Before the n-th new attempt it waits between 0 and min(longest, first * 2 ** (n - 1)) seconds, drawn evenly ("full
    jitter": clients that failed together must not come back together), and longer if the provider asks for it.
    """

    attempts: int = 6
    total: float = 300.0
    first: float = 0.5
    longest: float = 30.0
    timeouts: int = 2
    unreadable: int = ATTEMPTS

    def __post_init__(self) -> None:
        counts = (self.attempts, self.timeouts, self.unreadable)
        if min(counts) < 1 or self.total <= 0 or min(self.first, self.longest) < 0:
            raise ValueError("a retry policy needs at least one attempt, a positive total and no negative waits")


class RetryingModel(WrappedModel):
    """A ChatModel that retries after passing failures.

    Only a TransientError is retried. A slot of the limiter is held while a request is in flight, not while waiting for
    the next attempt. `retries` counts the attempts after the first ones, over all requests.
    """

    def __init__(
        self,
        model: ChatModel,
        policy: RetryPolicy | None = None,
        limiter: Limiter | None = None,
        rng: random.Random | None = None,
        stopped: asyncio.Event | None = None,
        pause: ConnectionPause | None = None,
    ) -> None:
        """Wrap the model. stopped: once it is set, nothing is retried. pause: shared by all requests while the server
        can't be reached; without it each retries on its own."""
        self.retries = 0
        super().__init__(model)
        self._policy = policy or RetryPolicy()
        self._limiter = limiter
        self._stopped = stopped or asyncio.Event()
        self.pause = pause
        self._rng = rng or random.Random()  # noqa: S311 - jitter, nothing secret

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Answer. Raises the last error when attempts or time are used up, at once if the wait would exceed the time.

        If the provider's limit is on the pace, a refused request waits for its turn with the limiter, as long as any
        requests pass; LimitReachedError when none did for a long time. Reply and error carry the usage of all attempts,
        as some failed ones are billed.
        """
        tries, spent, key = _Attempts(self._policy), Usage(), request.idempotency_key
        while True:
            try:
                reply = await self._attempt(request, tries)
                return replace(reply, usage=spent + reply.usage)
            except ProviderError as error:
                if isinstance(error.usage, Usage):
                    spent += error.usage
                error.usage = spent if spent != Usage() else None
                tries.note(error)
                if key and not isinstance(error, ConnectionFailedError | ModelTimeoutError):
                    # A vendor that keeps what it said to a key would say it again.
                    request = replace(request, idempotency_key=f"{key}-{tries.made}")
                if self.pause is not None and isinstance(error, ConnectionFailedError):
                    if not tries.another_pause(self.pause.count):
                        raise
                    self.retries += 1
                    continue
                wait = self._wait_after(error, tries)
            if wait and await self._stopped_within(wait):
                raise billed(StoppedError("The run is ending: nothing is tried again."), spent)
            self.retries += 1

    def _wait_after(self, error: ProviderError, tries: "_Attempts") -> float:
        """Return seconds until the next attempt. Raises the error if there is none."""
        if not isinstance(error, TransientError):
            raise error
        if isinstance(error, RateLimitError) and self._limiter is not None:
            if self._limiter.exhausted:
                ended = connection_stalled(self.name, PATIENCE)
                ended.usage = error.usage
                raise ended from None
            if self._limiter.paced:
                return 0.0
        wait = self._wait(tries.made, error.retry_after)
        if not tries.another(wait):
            raise error
        return wait

    async def _stopped_within(self, seconds: float) -> bool:
        waiting = {asyncio.ensure_future(asyncio.sleep(seconds)), asyncio.ensure_future(self._stopped.wait())}
        try:
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in waiting:
                each.cancel()
        return self._stopped.is_set()

    async def _attempt(self, request: ChatRequest, tries: "_Attempts") -> ChatReply:
        if self.pause is None:
            return await self._send(request, tries)
        async with self.pause.attempt(self._stopped):
            return await self._send(request, tries)

    async def _send(self, request: ChatRequest, tries: "_Attempts") -> ChatReply:
        if self._limiter is None:
            return await self._model.complete(request)
        async with self._limiter.slot(self._stopped, tries.refusals):
            return await self._model.complete(request)

    def _wait(self, attempt: int, retry_after: float | None) -> float:
        ceiling = min(self._policy.longest, self._policy.first * 2.0 ** (attempt - 1))
        return (retry_after or 0.0) + self._rng.uniform(0.0, ceiling)


class _Attempts:
    """The attempts at one request. Their time counts from the first failure, however long that request took."""

    def __init__(self, policy: RetryPolicy) -> None:
        self.made = 1
        self._policy = policy
        self.refusals = 0  # by a rate limit, in a row
        self._timeouts = 0
        self._unreadable = 0
        self._end: float | None = None
        self._pause = 0

    def note(self, error: ProviderError) -> None:
        self.refusals = self.refusals + 1 if isinstance(error, RateLimitError) else 0
        self._timeouts += isinstance(error, ModelTimeoutError)
        self._unreadable += isinstance(error, UnreadableReplyError)

    def another_pause(self, count: int) -> bool:
        """Return whether to retry a failed connection. Always in the same pause; if others got through since, the fault
        may be this request's, so that it counts as any failure."""
        self._end = None  # the time that a pause takes is nobody's
        same, self._pause = count == self._pause, count
        return same or self.another(0.0)

    def another(self, wait: float) -> bool:
        """Return whether there is one more attempt, after so many seconds."""
        now = asyncio.get_running_loop().time()
        self._end = now + self._policy.total if self._end is None else self._end
        policy = self._policy
        used = ((self.made, policy.attempts), (self._timeouts, policy.timeouts), (self._unreadable, policy.unreadable))
        spent = any(count == most for count, most in used)
        self.made += 1
        return not spent and now + wait < self._end
