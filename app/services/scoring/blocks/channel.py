"""Channel between two processes of this machine: messages of ours over a pair of pipes that nobody else has."""

import asyncio
import pickle
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import IO, Any, Protocol

_LENGTH = 4


class HelperChannel(Protocol):
    """The end of a process that scores beside the one that has the run. Threads may share it."""

    def send(self, message: object) -> None: ...

    def receive(self) -> Any:
        """The next message. Raises EOFError where the other end is gone."""
        ...

    def listen(self, heard: Callable[[Any], None], gone: Callable[[], None]) -> object:
        """Calls `heard` with each message in a thread of its own, at last `gone`."""
        ...


class Helper(Protocol):
    """The other end, and the process there."""

    def send(self, message: object) -> None: ...

    def listen(self, heard: Callable[[Any], None], gone: Callable[[], None]) -> object: ...

    def kill(self) -> None:
        """It is to end at once; `gone` is called as ever."""
        ...

    def close(self) -> None:
        """Nothing more is said to it."""
        ...


class Channel:
    """Messages are pickled: both ends run this program, and one started the other. Threads may share an end."""

    def __init__(self, incoming: IO[bytes], outgoing: IO[bytes]) -> None:
        self._incoming = incoming
        self._outgoing = outgoing
        self._writing = threading.Lock()

    def send(self, message: object) -> None:
        """Nothing happens where the other end is gone: whoever reads learns it."""
        content = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
        with self._writing, suppress(OSError, ValueError):
            self._outgoing.write(len(content).to_bytes(_LENGTH) + content)
            self._outgoing.flush()

    def listen(self, heard: Callable[[Any], None], gone: Callable[[], None]) -> threading.Thread:
        """Calls `heard` with each message in a thread of its own, at last `gone`."""
        thread = threading.Thread(target=self._read, args=(heard, gone), name="channel", daemon=True)
        thread.start()
        return thread

    def receive(self) -> Any:
        """The next message. Raises EOFError where the other end is gone."""
        try:
            length = self._incoming.read(_LENGTH)
            content = self._incoming.read(int.from_bytes(length)) if len(length) == _LENGTH else b""
        except (OSError, ValueError):
            raise EOFError from None
        if not content or len(content) < int.from_bytes(length):
            raise EOFError
        return pickle.loads(content)  # noqa: S301 - from a process that we started, or that started us

    def close(self) -> None:
        """Tell the other end that nobody writes any more."""
        with self._writing, suppress(OSError):
            self._outgoing.close()

    def _read(self, heard: Callable[[Any], None], gone: Callable[[], None]) -> None:
        with suppress(EOFError):
            while True:
                heard(self.receive())
        self._incoming.close()
        gone()


def run_in_loop(loop: asyncio.AbstractEventLoop, function: Callable[..., object], *arguments: object) -> None:
    """From another thread; nothing happens once the loop has ended."""
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(function, *arguments)
