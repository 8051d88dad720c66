"""Keeps databases and servers out of unit tests: opening one is refused, and remembered so that the test fails.

Like `network_guard` it listens to the interpreter's own audit events. A PostgreSQL is a server of `tests/db`.
"""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

OPENED = {"sqlite3.connect": "a database", "socket.bind": "a socket to listen at"}

_installed: list[bool] = []
_guarded: list["_Guarded"] = []


class NoUnitTestError(Exception):
    """What code under test gets, with where the test belongs."""


class _Guarded:
    """A stretch of time; threads from before it are somebody else's."""

    def __init__(self) -> None:
        self.others = set(threading.enumerate()) - {threading.current_thread()}  # not their numbers, which are reused
        self.opened: list[str] = []


@contextmanager
def guarded() -> Iterator[list[str]]:
    """What is opened meanwhile is refused and listed, as messages."""
    if not _installed:
        sys.addaudithook(_audit)  # for good: such a hook can't be taken away
        _installed.append(True)
    guard = _Guarded()
    _guarded.append(guard)
    try:
        yield guard.opened
    finally:
        _guarded.remove(guard)


def _audit(event: str, _arguments: tuple[Any, ...]) -> None:
    what = OPENED.get(event)
    if what is None or not _guarded or threading.current_thread() in _guarded[-1].others:
        return
    message = (
        f"A unit test opened {what} ({event}). Tests that need a database or a server live in tests/integration/, "
        "at the same path: move it there, or give the code a stand-in"
    )
    _guarded[-1].opened.append(message)
    raise NoUnitTestError(message)
