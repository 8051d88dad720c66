"""Sending: whether a request that failed left at all, by what the HTTP library beneath all SDKs says."""

import httpx2

_NEVER_LEFT = (
    httpx2.ConnectError,
    httpx2.ConnectTimeout,
    httpx2.LocalProtocolError,
    httpx2.PoolTimeout,
    httpx2.ProxyError,
    httpx2.UnsupportedProtocol,
)


def was_sent(failure: BaseException | None) -> bool:
    """True wherever that isn't known: what was sent may be billed."""
    return not isinstance(failure, _NEVER_LEFT)
