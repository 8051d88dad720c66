"""Connections of an SDK, and what a failed one means: several small pools instead of a large one.

At the beginning and end of each request the HTTP library goes through all connections of a pool and asks the system
about each idle one. With 128 in flight that was a third of a run's time under a profiler; small pools avoid it. A pool
keeps all its connections, so that calls needn't open new ones.
"""

import json
import socket
import ssl
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from urllib.request import getproxies

import httpx2

from app.errors import ProviderError
from app.limits import Limits, OversizedBodyError, current_limits
from app.providers.adapters.provider_errors import (
    Rejection,
    asked_at,
    led_elsewhere,
    timed_out,
    unreachable,
    unreadable,
)
from app.providers.credentials import Endpoint
from app.providers.model_name import ModelName

_NEVER_LEFT = (
    httpx2.ConnectError,
    httpx2.ConnectTimeout,
    httpx2.LocalProtocolError,
    httpx2.PoolTimeout,
    httpx2.ProxyError,
    httpx2.UnsupportedProtocol,
)


def was_sent(failure: BaseException | None) -> bool:
    """Return whether the request may have been sent; True if unknown, as it may be billed."""
    return not isinstance(failure, _NEVER_LEFT)


@lru_cache(maxsize=1)
def trusted() -> ssl.SSLContext:
    """Return this computer's trusted certificates, read once a process: each SDK would read them for every client,
    which takes 20 ms whenever a model is opened or only looked at."""
    return httpx2.create_ssl_context()


# An address where nobody answers is known soon, however long an answer may take.
CONNECT_TIMEOUT = 15.0
AT_ONCE = 8  # requests of one pool
# Some answers take minutes, in which nothing is sent and routers forget who talked to whom.
_KEEPALIVE = [
    (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
    *(
        (socket.IPPROTO_TCP, getattr(socket, name), value)
        for name, value in (("TCP_KEEPIDLE", 60), ("TCP_KEEPINTVL", 60), ("TCP_KEEPCNT", 5))
        if hasattr(socket, name)
    ),
]


def spread_connections() -> dict[str, httpx2.AsyncBaseTransport]:
    """Return the `mounts` of a client; none if the environment names a proxy, which the client then uses itself."""
    return {} if getproxies() else {"all://": MultiPoolTransport()}


class RedirectedError(httpx2.UnsupportedProtocol):
    """The server redirects the request to another server; nothing was sent there."""


def at_home(address: str) -> dict[str, list[Callable[[Any], Awaitable[None]]]]:
    """Return the `event_hooks` of a client that sends requests to this address alone: redirects, and upload addresses
    that a server names, would get the texts and the key. Raises RedirectedError for any other address.

    Bodies are counted while they arrive and are decompressed: raises OversizedBodyError beyond the limits.
    """
    check = _checked(address)

    async def asked(request: httpx2.Request) -> None:
        check(request)

    async def answered(response: httpx2.Response) -> None:
        bounded(response)

    return {"request": [asked], "response": [answered]}


def at_home_sync(address: str) -> dict[str, list[Callable[[Any], None]]]:
    """Return the hooks of `at_home` for a blocking client."""
    return {"request": [_checked(address)], "response": [bounded]}


def bounded(response: httpx2.Response) -> None:
    """Add counting to a response's body before anything of it is read."""
    unpacking = _Unpacking(response)
    response.headers.pop("content-encoding", None)
    stream = response.stream
    response.stream = (
        _BoundedStream(stream, unpacking)
        if isinstance(stream, httpx2.AsyncByteStream)
        else _BoundedSyncStream(stream, unpacking)
    )


class _Unpacking:
    """Decompresses a body in pieces, and counts the bytes before and after."""

    def __init__(self, response: httpx2.Response) -> None:
        kind = response.headers.get("content-encoding", "").strip().lower()
        self._packed = kind not in ("", "identity")
        self._known = not self._packed or kind in ("gzip", "x-gzip", "deflate")
        self._zlib = zlib.decompressobj(wbits=zlib.MAX_WBITS | 32)  # either form, told by its first bytes
        self._limits: Limits = current_limits()
        self._request = response.request
        self._came = self._unpacked = 0

    def pieces(self, part: bytes) -> Iterator[bytes]:
        """Yield the decompressed pieces of `part`. Raises OversizedBodyError, httpx2.DecodingError."""
        self._came += len(part)
        if not self._known or self._came > self._limits.size:
            raise OversizedBodyError("the body is larger than a reply")
        if not self._packed:
            yield part
            return
        while part and not self._zlib.eof:
            try:
                piece = self._zlib.decompress(part, 2**16)
            except zlib.error as error:
                raise httpx2.DecodingError("the body is not what it says it is", request=self._request) from error
            self._unpacked += len(piece)
            if self._unpacked > (self._limits.unpacked or self._limits.size):
                raise OversizedBodyError("the body unpacks to more than a reply")
            yield piece
            part = self._zlib.unconsumed_tail


class _BoundedStream(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream, unpacking: _Unpacking) -> None:
        self._stream, self._unpacking = stream, unpacking

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for part in self._stream:
            for piece in self._unpacking.pieces(part):
                yield piece

    async def aclose(self) -> None:
        await self._stream.aclose()


class _BoundedSyncStream(httpx2.SyncByteStream):
    def __init__(self, stream: Any, unpacking: _Unpacking) -> None:
        self._stream, self._unpacking = stream, unpacking

    def __iter__(self) -> Iterator[bytes]:
        for part in self._stream:
            yield from self._unpacking.pieces(part)

    def close(self) -> None:
        self._stream.close()


def _checked(address: str) -> Callable[[httpx2.Request], None]:
    def place(url: httpx2.URL) -> tuple[str, str, int | None]:
        return url.scheme, url.host, url.port

    home = place(httpx2.URL(address))

    def asked(request: httpx2.Request) -> None:
        if place(request.url) != home:
            raise RedirectedError("the request was led to another server", request=request)
        request.headers["accept-encoding"] = "gzip, deflate"  # what `bounded` unpacks

    return asked


@dataclass(slots=True)
class _Pool:
    transport: httpx2.AsyncHTTPTransport
    busy: int = 0


class MultiPoolTransport(httpx2.AsyncBaseTransport):
    """A transport over several pools. Each request uses the first pool with room, so the newest pool is used least."""

    def __init__(self) -> None:
        self._pools: list[_Pool] = []

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        pool = next((each for each in self._pools if each.busy < AT_ONCE), None) or self._opened()
        pool.busy += 1
        try:
            response = await pool.transport.handle_async_request(request)
        except BaseException:
            pool.busy -= 1
            raise
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        response.stream = _CountedStream(response.stream, pool)
        return response

    async def aclose(self) -> None:
        for pool in self._pools:
            await pool.transport.aclose()

    def _opened(self) -> _Pool:
        limits = httpx2.Limits(max_connections=None, max_keepalive_connections=None)
        self._pools.append(_Pool(httpx2.AsyncHTTPTransport(trusted(), limits=limits, socket_options=_KEEPALIVE)))
        return self._pools[-1]


class _CountedStream(httpx2.AsyncByteStream):
    """A response's body; its end frees the request's place in the pool."""

    def __init__(self, stream: httpx2.AsyncByteStream, pool: _Pool) -> None:
        self._stream = stream
        self._pool: _Pool | None = pool

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for part in self._stream:
            yield part

    async def aclose(self) -> None:
        if self._pool is not None:
            self._pool.busy -= 1
            self._pool = None
        await self._stream.aclose()


def read_sdk_error(
    sdk: Any, name: ModelName, error: Exception, timeout: float, rejection: Callable[[Any], Rejection]
) -> Rejection | ProviderError | None:
    """Return what an exception of the openai or the anthropic module means, which use the same names; None for others.

    timeout: the client's, in seconds. rejection: returns that of an answer with a status that isn't a success.
    """
    match error:
        case sdk.APITimeoutError() if isinstance(error.__cause__, httpx2.ConnectTimeout):
            return unreachable(name, asked_at(error.request), was_sent(error.__cause__))
        case sdk.APITimeoutError():
            return timed_out(name, timeout)
        case sdk.APIConnectionError() if isinstance(error.__cause__, RedirectedError):
            return led_elsewhere(name)
        case sdk.APIConnectionError():
            return unreachable(name, asked_at(error.request), was_sent(error.__cause__))
        case sdk.APIStatusError():
            return rejection(error)
        case sdk.APIResponseValidationError() | json.JSONDecodeError():
            return unreadable(name)
    return None


def client_options(sdk: Any, endpoint: Endpoint, timeout: float) -> dict[str, Any]:
    """Return the options of a client of the openai or the anthropic module. timeout: seconds for a request."""
    return {
        "api_key": endpoint.key.get_secret_value(),
        "base_url": endpoint.base_url,
        "max_retries": 0,
        "timeout": sdk.Timeout(timeout, connect=min(timeout, CONNECT_TIMEOUT)),
        "http_client": sdk.DefaultAsyncHttpxClient(
            verify=trusted(), mounts=spread_connections(), event_hooks=at_home(endpoint.base_url)
        ),
    }
