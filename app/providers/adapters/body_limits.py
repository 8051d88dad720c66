"""How large the body of an answer may be, by what is asked for. Known without the HTTP library, which loads slowly."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from app.limits import REPLY, Limits


class OversizedBodyError(Exception):
    """A server sends more than any reply holds, or packs it in a way that wasn't asked for."""


_limits: ContextVar[Limits] = ContextVar("limits of a body", default=REPLY)


def current_limits() -> Limits:
    return _limits.get()


@contextmanager
def body_limits(limits: Limits) -> Iterator[None]:
    """Inside the block, bodies may be as large as this instead of a reply's size."""
    token = _limits.set(limits)
    try:
        yield
    finally:
        _limits.reset(token)
