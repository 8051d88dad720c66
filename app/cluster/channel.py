"""Channel between whoever has work done and tasks at workers: messages in both directions, in their order.

What a task says goes along its worker's standing connection to the scheduler, which passes it on; what it is told waits
in a queue at the scheduler until it asks. Nobody needs to reach a worker but its scheduler. Messages are unpickled at
both ends, as everything that Dask carries.
"""

import asyncio
import pickle
import threading
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from distributed import Client

SIGN_SECONDS, SILENT_SECONDS = 5.0, 40.0
"""Whoever has work done gives each task a sign of life so often; after so long without one it is gone."""


class Switchboard:
    """The end of whoever has work done, for many lines. `name` is what tasks need to know."""

    def __init__(self, client: "Client") -> None:
        self.name = f"interacteval-{uuid.uuid4().hex}"
        self._client = client
        self._lines: dict[str, Line] = {}
        client.subscribe_topic(self.name, self._receive)

    def line(self) -> "Line":
        """A new one; whoever gets its name and the switchboard's has the other end."""
        made = Line(self._client, self.name)
        self._lines[made.name] = made
        return made

    def close(self) -> None:
        with suppress(OSError, RuntimeError):  # no scheduler any more
            self._client.unsubscribe_topic(self.name)
        for line in self._lines.values():
            line.close()

    def _receive(self, event: tuple[float, tuple[str, bytes]]) -> None:
        name, said = event[1]
        if name in self._lines:
            self._lines[name].hear(pickle.loads(said))  # noqa: S301 - from a worker of the scheduler that was named


class Line:
    """To one task. What is sent while a message is on its way goes together."""

    def __init__(self, client: "Client", switchboard: str) -> None:
        from distributed import Queue  # noqa: PLC0415 - an extra

        self.name = uuid.uuid4().hex
        self.hear: Callable[[Any], None] = lambda _: None
        self._queue = Queue(queue_name(switchboard, self.name), client=client)
        self._waiting: list[object] = []
        self._lock = threading.Lock()
        self._new = threading.Event()
        self._closed = False
        threading.Thread(target=self._work, name="line to a worker", daemon=True).start()

    def send(self, message: object) -> None:
        """From any thread; it doesn't wait."""
        with self._lock:
            self._waiting.append(message)
        self._new.set()

    def close(self) -> None:
        """What was sent before still arrives where the scheduler is there."""
        self._closed = True
        self._new.set()

    def _work(self) -> None:
        # No scheduler any more, or a client that was closed and has none to ask: others notice that.
        with suppress(OSError, RuntimeError, AttributeError, asyncio.CancelledError):
            while not self._closed or self._waiting:
                self._new.wait(SIGN_SECONDS)
                self._new.clear()
                with self._lock:
                    waiting, self._waiting = self._waiting, []
                self._queue.put(pickle.dumps(waiting))
            self._queue.close()


class TaskLine:
    """A task's end; made in the task."""

    def __init__(self, switchboard: str, name: str) -> None:
        from distributed import Queue, get_client, get_worker  # noqa: PLC0415 - an extra

        self._topic, self._name = switchboard, name
        self._worker = get_worker()
        self._queue = Queue(queue_name(switchboard, name), client=get_client())
        self._heard: list[Any] = []
        self._closed = False

    def send(self, message: object) -> None:
        """From any thread; it doesn't wait."""
        self._worker.log_event(self._topic, (self._name, pickle.dumps(message)))

    def receive(self) -> Any:
        """The next message. Raises EOFError where the other end is gone."""
        end = time.monotonic() + SILENT_SECONDS
        while not self._heard and not self._closed and time.monotonic() < end:
            try:
                said = self._queue.get(timeout=SIGN_SECONDS)
            except TimeoutError:
                continue
            except (OSError, RuntimeError, asyncio.CancelledError):
                break
            end = time.monotonic() + SILENT_SECONDS
            self._heard += pickle.loads(said)  # noqa: S301 - from whoever gave this worker its task
        if not self._heard:
            raise EOFError
        return self._heard.pop(0)

    def listen(self, heard: Callable[[Any], None], gone: Callable[[], None]) -> None:
        """Calls `heard` with each message in a thread of its own, at last `gone`."""
        threading.Thread(target=self._read, args=(heard, gone), name="line of a task", daemon=True).start()

    def close(self) -> None:
        self._closed = True
        with suppress(OSError, RuntimeError):
            self._queue.close()

    def _read(self, heard: Callable[[Any], None], gone: Callable[[], None]) -> None:
        with suppress(EOFError):
            while True:
                heard(self.receive())
        gone()


def queue_name(switchboard: str, line: str) -> str:
    return f"{switchboard}-{line}"
