"""Connection pause: while the server of a run's model can't be reached, one request tries and all others wait."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime

from app.errors import (
    ConnectionFailedError,
    ConnectionLostError,
    ModelTimeoutError,
    ProviderError,
    StoppedError,
)

LONGEST = 900.0
FIRST_GAP, LONGEST_GAP = 0.5, 30.0


class ConnectionPause:
    """Shared by all requests of a run in one process; for one event loop.

    A failed connection begins the pause. The requests that wait then try one after another, the gap between two tries
    doubling up to `LONGEST_GAP`, until the server answers one of them, whatever it answers. An answer that takes too
    long neither begins nor ends a pause: the connection stands.

    longest: seconds of a pause after which the run is given up.
    """

    def __init__(self, model: str, longest: float = LONGEST) -> None:
        self.count = 0
        """How many pauses there were. Who fails twice in the same pause met one trouble."""
        self.message = ""
        """What is said of the run during a pause; "" without one."""
        self._model = model
        self._longest = longest
        self._gap = FIRST_GAP
        self._since: float | None = None
        self._next = 0.0
        self._lost = False
        self._over = asyncio.Event()
        self._turn = asyncio.Lock()  # first come, first served, so that another one tries each time

    @asynccontextmanager
    async def attempt(self, stopped: asyncio.Event) -> AsyncIterator[None]:
        """Around each sending of a request: waits during a pause.

        Raises StoppedError once the run is to end, ConnectionLostError once it is given up.
        """
        if self._since is None:
            async with self._watched():
                yield
            return
        await self._turn.acquire()
        tries = False
        try:
            tries = await self._wait(stopped)
            if tries:
                async with self._watched():
                    yield
        finally:
            self._turn.release()
        if not tries:
            async with self._watched():
                yield

    async def _wait(self, stopped: asyncio.Event) -> bool:
        """True where it is this one's turn to try, False where the pause is over."""
        while self._since is not None:
            self._check(stopped)
            wait = self._next - _now()
            if wait <= 0:
                return True
            await _any_set(wait, stopped, self._over)
        self._check(stopped)
        return False

    def _check(self, stopped: asyncio.Event) -> None:
        if stopped.is_set():
            raise StoppedError("The run is ending: nothing more is asked.")
        if self._lost:
            raise ConnectionLostError(
                f"The server of {self._model} could not be reached for {self._longest / 60:g} minutes."
            )

    @asynccontextmanager
    async def _watched(self) -> AsyncIterator[None]:
        try:
            yield
        except ConnectionFailedError:
            self._failed()
            raise
        except (StoppedError, ModelTimeoutError):
            raise
        except ProviderError:
            self._reached()
            raise
        else:
            self._reached()

    def _failed(self) -> None:
        now = _now()
        if self._since is None:
            self._since, self._gap = now, FIRST_GAP
            self.count += 1
            self._over.clear()
            self.message = (
                f"Paused: the server of {self._model} can't be reached since {datetime.now(UTC):%H:%M:%S} UTC. It is "
                f"tried again for {self._longest / 60:g} minutes at most; then the run ends and can be resumed."
            )
        elif now >= self._next:
            self._gap = min(2 * self._gap, LONGEST_GAP)
        else:  # it was sent before the others were told to wait
            return
        end = self._since + self._longest
        self._lost = now >= end
        self._next = min(now + self._gap, end)

    def _reached(self) -> None:
        if self._since is not None:
            self._since, self.message, self._lost = None, "", False
            self._over.set()


def _now() -> float:
    return asyncio.get_running_loop().time()


async def _any_set(seconds: float, *events: asyncio.Event) -> None:
    """Wait until one of the events is set, for so long at most."""
    waiting = [asyncio.ensure_future(each.wait()) for each in events]
    try:
        await asyncio.wait(waiting, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for each in waiting:
            each.cancel()
