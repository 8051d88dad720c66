"""Writer lock: by which others of this machine know whether a process that works on something still lives.

It is a lock on a file, which the system drops with the process; other machines go by the signs of life in the database.
"""

import os
import socket
import uuid
from contextlib import suppress
from pathlib import Path

from filelock import FileLock, Timeout

from app.settings import settings

SERVER = "web-"
"""What the name of a web process begins with."""


class WriterLock:
    """`name` is like no other's, ever. kind: SERVER for a web process, which only a restore asks for."""

    def __init__(self, kind: str = "") -> None:
        self.name = f"{socket.gethostname()}|{kind}{os.getpid()}-{uuid.uuid4().hex}"
        self._lock = FileLock(_lock_file(self.name), thread_local=False)

    def acquire(self) -> None:
        try:
            _lock_file(self.name).parent.mkdir(parents=True, exist_ok=True)
            self._lock.acquire(blocking=False)
        except (OSError, NotImplementedError, Timeout):  # no locks in this folder: signs of life alone count then
            pass

    def release(self) -> None:
        self._lock.release()
        forget_writer(self.name)

    def leave_open(self) -> None:
        """Let go of it for everybody to see, as if the process had ended: what it worked on is free."""
        self._lock.release()
        with suppress(OSError):  # signs of life alone count then
            _lock_file(self.name).touch()


def forget_writer(writer: str) -> None:
    """Nobody asks any more whether this one lives."""
    with suppress(OSError):  # the file system became read-only
        _lock_file(writer).unlink(missing_ok=True)


def has_ended(writer: str) -> bool:
    """Whether a writer of this machine is known to have ended without letting go of what it worked on."""
    if not _is_of_here(writer):
        return False
    lock = FileLock(_lock_file(writer), thread_local=False)
    try:
        lock.acquire(blocking=False)
    except (OSError, NotImplementedError, Timeout):
        return False
    lock.release()
    return True


def is_alive(writer: str) -> bool:
    """Whether a process of this machine holds the writer's lock."""
    return _is_of_here(writer) and not has_ended(writer)


def servers_there() -> int:
    """How many web processes have this data folder. Those that were killed are forgotten."""
    found = 0
    for file in (settings().home / "running").glob(f"{SERVER}*.lock"):
        lock = FileLock(file, thread_local=False)
        try:
            lock.acquire(blocking=False)
        except Timeout:
            found += 1
        except (OSError, NotImplementedError):
            continue
        else:
            lock.release()
            file.unlink(missing_ok=True)
    return found


def _is_of_here(writer: str) -> bool:
    host, sign, _ = writer.partition("|")
    return bool(sign) and host == socket.gethostname() and _lock_file(writer).exists()


def _lock_file(writer: str) -> Path:
    return settings().home / "running" / f"{writer.rpartition('|')[2]}.lock"
