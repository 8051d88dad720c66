"""The one layer that tries again."""

import asyncio
import random
import time
from dataclasses import dataclass, replace

from app.errors import ModelTimeoutError, ProviderError, StoppedError, TransientError
from app.providers.base import ChatModel, ChatReply, ChatRequest, Usage
from app.providers.rate_limit import AdaptiveLimit, Share
from app.providers.rejection import billed


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """attempts: how often at most, the first included. total: seconds from the first attempt to giving up.

    Before the n-th new attempt it waits between 0 and min(longest, first * 2 ** (n - 1)) seconds, drawn evenly
    ("full jitter": clients that failed together must not come back together), and longer by what the provider asks for.
    """

    attempts: int = 6
    total: float = 300.0
    first: float = 0.5
    longest: float = 30.0

    def __post_init__(self) -> None:
        if self.attempts < 1 or self.total <= 0 or self.first < 0 or self.longest < 0:
            raise ValueError("a retry policy needs at least one attempt, a positive total and no negative waits")


class Patient:
    """A model that is asked again when it fails for a passing reason; a ChatModel itself.

    Only a TransientError is tried again. A slot of the limiter is held while a request is under way, not while waiting
    to try again. `retries` counts the attempts after the first ones, over all requests.
    """

    def __init__(
        self,
        model: ChatModel,
        policy: RetryPolicy | None = None,
        limiter: AdaptiveLimit | Share | None = None,
        rng: random.Random | None = None,
        stopped: asyncio.Event | None = None,
    ) -> None:
        """stopped: once it is set, nothing is tried again."""
        self.retries = 0
        self._model = model
        self._policy = policy or RetryPolicy()
        self._limiter = limiter
        self._stopped = stopped or asyncio.Event()
        self._rng = rng or random.Random()  # noqa: S311 - jitter, nothing secret

    @property
    def name(self) -> str:
        return self._model.name

    @property
    def is_llm(self) -> bool:
        return self._model.is_llm

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Raises the last error when attempts or time are used up; at once when the wait would outlast the time.

        Reply and error carry the usage of all attempts: some that failed are billed.
        """
        deadline = _Deadline(self._policy.total)
        attempt, spent = 1, Usage()
        while True:
            try:
                reply = await self._attempt(request, deadline)
                return replace(reply, usage=spent + reply.usage)
            except ProviderError as error:
                if isinstance(error.usage, Usage):
                    spent += error.usage
                error.usage = spent if spent != Usage() else None
                if not isinstance(error, TransientError):
                    raise
                wait = self._wait(attempt, error.retry_after)
                if attempt == self._policy.attempts or wait >= deadline.left():
                    raise
            if await self._stopped_within(wait):
                raise billed(StoppedError("The run is ending: nothing is tried again."), spent)
            attempt += 1
            self.retries += 1

    async def aclose(self) -> None:
        await self._model.aclose()

    async def _stopped_within(self, seconds: float) -> bool:
        waiting = {asyncio.ensure_future(asyncio.sleep(seconds)), asyncio.ensure_future(self._stopped.wait())}
        try:
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in waiting:
                each.cancel()
        return self._stopped.is_set()

    async def _attempt(self, request: ChatRequest, deadline: "_Deadline") -> ChatReply:
        if self._limiter is None:
            return await self._bounded(request, deadline)
        async with self._limiter.slot():
            return await self._bounded(request, deadline)

    async def _bounded(self, request: ChatRequest, deadline: "_Deadline") -> ChatReply:
        try:
            async with asyncio.timeout(deadline.left()):
                return await self._model.complete(request)
        except TimeoutError:
            pass
        raise ModelTimeoutError(f"{self.name} gave no answer within {self._policy.total:g} seconds of trying.")

    def _wait(self, attempt: int, retry_after: float | None) -> float:
        ceiling = min(self._policy.longest, self._policy.first * 2.0 ** (attempt - 1))
        return (retry_after or 0.0) + self._rng.uniform(0.0, ceiling)


class _Deadline:
    """Starts when it is first looked at: with the first request, not while that queues behind others."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._end: float | None = None

    def left(self) -> float:
        now = time.monotonic()
        if self._end is None:
            self._end = now + self._seconds
        return self._end - now
