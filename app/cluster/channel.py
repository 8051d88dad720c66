"""Channel between whoever has work done and the workers that do it: messages in both directions, in their order.

What a worker says goes along its standing connection to the scheduler, which passes it on; what it is told waits in a
queue at the scheduler until it asks. Both go through the scheduler alone: nobody needs to reach a worker.
"""

import asyncio
import pickle
import threading
import uuid
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from distributed import Client

POLL_SECONDS = 5.0
Heard = Callable[[str, Any], None]
"""Hears from which worker, and what; in a thread of Dask's."""


class Switchboard:
    """The end of whoever has work done, with a line to each worker that spoke. `name` is what workers need to know."""

    def __init__(self, client: "Client", heard: Heard) -> None:
        self.name = f"interacteval-{uuid.uuid4().hex}"
        self._client = client
        self._heard = heard
        self._lines: dict[str, _Line] = {}
        client.subscribe_topic(self.name, self._receive)

    def send(self, worker: str, message: object) -> None:
        """From any thread; it doesn't wait."""
        line = self._lines.get(worker)
        if line is None:
            line = self._lines[worker] = _Line(self._client, _queue_name(self.name, worker))
        line.send(message)

    def hang_up(self, worker: str) -> None:
        """It is gone, or nothing more is said to it."""
        line = self._lines.pop(worker, None)
        if line is not None:
            line.close()

    def close(self) -> None:
        self._client.unsubscribe_topic(self.name)
        for worker in list(self._lines):
            self.hang_up(worker)

    def _receive(self, event: tuple[float, tuple[str, bytes]]) -> None:
        worker, said = event[1]
        for message in pickle.loads(said):  # noqa: S301 - from a worker of the scheduler that was named
            self._heard(worker, message)


class _Line:
    """One message after the other, those that came meanwhile together."""

    def __init__(self, client: "Client", name: str) -> None:
        from distributed import Queue  # noqa: PLC0415 - an extra

        self._queue = Queue(name, client=client)
        self._waiting: list[object] = []
        self._lock = threading.Lock()
        self._new = threading.Event()
        self._closed = False
        threading.Thread(target=self._work, name=name, daemon=True).start()

    def send(self, message: object) -> None:
        with self._lock:
            self._waiting.append(message)
        self._new.set()

    def close(self) -> None:
        self._closed = True
        self._new.set()

    def _work(self) -> None:
        while True:
            self._new.wait()
            self._new.clear()
            with self._lock:
                waiting, self._waiting = self._waiting, []
            if waiting:
                self._queue.put(pickle.dumps(waiting))
            elif self._closed:
                self._queue.close()
                return


class Extension:
    """A worker's end; made in a task."""

    def __init__(self, switchboard: str, heard: Callable[[Any], None]) -> None:
        from distributed import Queue, get_client, get_worker  # noqa: PLC0415 - an extra

        self.name = uuid.uuid4().hex
        self._switchboard = switchboard
        self._worker = get_worker()
        self._heard = heard
        self._closed = False
        self._queue = Queue(_queue_name(switchboard, self.name), client=get_client())
        self._listener = threading.Thread(target=self._listen, name=f"line {self.name}", daemon=True)
        self._listener.start()

    def send(self, message: object) -> None:
        """From any thread; it doesn't wait."""
        self._worker.log_event(self._switchboard, (self.name, pickle.dumps([message])))

    def close(self) -> None:
        self._closed = True

    def _listen(self) -> None:
        while not self._closed:
            try:
                said = self._queue.get(timeout=POLL_SECONDS)
            except TimeoutError:
                continue
            except (OSError, RuntimeError, asyncio.CancelledError):
                return  # the scheduler is gone, or this worker ends
            for message in pickle.loads(said):  # noqa: S301 - from whoever gave this worker its task
                self._heard(message)


def _queue_name(switchboard: str, worker: str) -> str:
    return f"{switchboard}-{worker}"
