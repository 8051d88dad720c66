"""Limits of response bodies, by what is requested. In a module without the HTTP library, which loads slowly."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from app.limits import REPLY, Limits


class OversizedBodyError(Exception):
    """The server sends more than any reply holds, or an encoding that wasn't requested."""


_limits: ContextVar[Limits] = ContextVar("limits of a body", default=REPLY)


def current_limits() -> Limits:
    return _limits.get()


@contextmanager
def body_limits(limits: Limits) -> Iterator[None]:
    """Within the block, apply these limits to bodies instead of a reply's."""
    token = _limits.set(limits)
    try:
        yield
    finally:
        _limits.reset(token)
