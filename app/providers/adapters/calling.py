"""A call through an SDK: with a time limit, normalised errors, and request styles learned from refusals."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from app.errors import NoLogprobsError, ProviderError
from app.limits import REPLY_FILE, OversizedBodyError, body_limits
from app.providers.adapters.provider_errors import (
    Rejection,
    no_logprobs,
    oversized,
    provider_error,
    rates_no_given_text,
    refused_effort,
    refused_tier,
    timed_out,
    unreadable,
)
from app.providers.adapters.request_style import RequestStyle, StyleMemory, lesson_of
from app.providers.base import ChatReply, ChatRequest
from app.providers.model_name import ModelName
from app.providers.model_options import TIMEOUT
from app.providers.specs import spec_of

SdkAnswer = TypeVar("SdkAnswer")
ReadError = Callable[[Exception], Rejection | ProviderError | None]

DEFAULT_TIMEOUT = TIMEOUT

# At info level the library beneath all SDKs logs whole addresses, with a password that stands in one.
logging.getLogger("httpx2").setLevel(logging.WARNING)


def failure_of(name: ModelName, error: Exception, read_error: ReadError) -> Rejection | ProviderError | None:
    """Return what an exception means: first the causes common to all SDKs, then this SDK's own."""
    for each in (error, error.__cause__):
        if isinstance(each, OversizedBodyError):
            return oversized(name)
        if isinstance(each, UnicodeDecodeError | RecursionError):  # not text, or lists in lists without end
            return unreadable(name)
    return read_error(error)


async def guarded(name: ModelName, work: Awaitable[SdkAnswer], read_error: ReadError, timeout: float) -> SdkAnswer:
    """Await an SDK's answer to anything but a question to a model: a recording, a file, a batch.

    Raises a ProviderError. It carries no trace of the SDK's own exception, which holds the request and the key.
    """
    failure: Rejection | ProviderError | None = None
    try:
        with body_limits(REPLY_FILE):
            async with asyncio.timeout(timeout):
                return await work
    except TimeoutError:
        failure = timed_out(name, timeout)
    except Exception as error:
        failure = failure_of(name, error, read_error)
        if failure is None:
            raise
    # Raised out here so that the SDK's exception is not its context.
    raise failure if isinstance(failure, ProviderError) else provider_error(name, failure)


async def call(
    name: ModelName,
    memory: StyleMemory,
    request: ChatRequest,
    send: Callable[[ChatRequest, RequestStyle], Awaitable[SdkAnswer]],
    read_error: ReadError,
    timeout: float,
) -> tuple[SdkAnswer, int]:
    """Return the SDK's answer, and the room in output tokens that it had.

    send: makes one request in a given style, with its room as `max_output_tokens`.
    read_error: returns what an exception of the SDK means; None for other exceptions, which are re-raised.
    timeout: seconds for one request, from sending it to the last byte of the answer.

    Raises a ProviderError. It carries no trace of the SDK's own exception, which holds the request and the key.
    """
    if request.given is not None and not spec_of(name.provider).rates_given:
        raise rates_no_given_text(str(name))
    if request.top_logprobs and not spec_of(name.provider).gives_logprobs:
        raise no_logprobs(name)
    await memory.wait_for_trial(request)
    with memory.trial(request):
        return await _call(name, memory, request, send, read_error, timeout)


async def _call(
    name: ModelName,
    memory: StyleMemory,
    request: ChatRequest,
    send: Callable[[ChatRequest, RequestStyle], Awaitable[SdkAnswer]],
    read_error: ReadError,
    timeout: float,
) -> tuple[SdkAnswer, int]:
    room, key, learned = memory.room.of(request, str(name)), request.idempotency_key, 0
    while True:
        if key and learned:  # another request by now
            request = replace(request, idempotency_key=f"{key}.{learned}")
        learned += 1
        style = memory.style
        failure: Rejection | ProviderError | None
        try:
            async with asyncio.timeout(timeout):
                answer = await send(replace(request, max_output_tokens=room), style)
            memory.answered(request)
            return answer, room
        except TimeoutError:
            failure = timed_out(name, timeout)
        except Exception as error:
            failure = failure_of(name, error, read_error)
            if failure is None:
                raise
        # Raised out here so that the SDK's exception is not its context.
        if isinstance(failure, ProviderError):
            raise failure
        if no_effort := refused_effort(name, failure, request.effort):
            raise no_effort
        if no_tier := refused_tier(name, failure, request.tier):
            raise no_tier
        memory.refused(failure)
        lesson = lesson_of(failure, request, style)
        if lesson is not None and memory.learn(lesson, style):
            continue
        smaller = memory.room.smaller(failure, request, room)
        if smaller is None:
            refused = provider_error(name, failure)
            if isinstance(refused, NoLogprobsError):
                memory.gave_logprobs(False)
            raise refused
        room = smaller


@dataclass(frozen=True, slots=True)
class Wire:
    """How an adapter writes requests and reads replies; `client` is the SDK's.

    body: returns a request in the SDK's form. read: raises a ProviderError that says what was billed. read_error:
    returns what an exception of the SDK means.
    """

    name: ModelName
    client: Any
    memory: StyleMemory
    timeout: float
    body: Callable[[ChatRequest, RequestStyle], Any]
    read: Callable[[Any, ChatRequest], ChatReply]
    read_error: ReadError

    def sized(self, request: ChatRequest) -> tuple[ChatRequest, RequestStyle]:
        """Return the request with its room, in the style learned so far. Raises CutOffError if no more room is left."""
        room = self.memory.room.of(request, str(self.name))
        return replace(request, max_output_tokens=room), self.memory.style


class SdkModel:
    """Base of the models that are called through a vendor's SDK. Subclasses write the requests and read the replies."""

    is_llm = True

    def __init__(self, name: ModelName, client: Any, memory: StyleMemory, timeout: float) -> None:
        """Keep the SDK's client; its connections close when it is collected. timeout: seconds for a request."""
        self._name, self._client, self._memory, self._timeout = name, client, memory, timeout

    @property
    def name(self) -> str:
        return str(self._name)

    def wire(self) -> Wire:
        return Wire(self._name, self._client, self._memory, self._timeout, self._body, self._read, self._read_error)

    async def aclose(self) -> None:
        await self._client.close()

    def _read(self, answer: Any, request: ChatRequest) -> ChatReply:
        return self._reply(answer, request, 0.0)

    def _body(self, request: ChatRequest, style: RequestStyle) -> Any:
        raise NotImplementedError

    def _reply(self, answer: Any, request: ChatRequest, seconds: float) -> ChatReply:
        raise NotImplementedError

    def _read_error(self, error: Exception) -> Rejection | ProviderError | None:
        raise NotImplementedError
