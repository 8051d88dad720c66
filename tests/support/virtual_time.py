"""Hours of waiting in no time: an event loop whose clock jumps to whatever is due next."""

import asyncio
import selectors
from collections.abc import Coroutine, Mapping
from typing import Any, TypeVar

Result = TypeVar("Result")


class _Selector(selectors.BaseSelector):
    """Never sleeps. What was to be slept passes on the loop's clock."""

    def __init__(self) -> None:
        self._real = selectors.DefaultSelector()
        self.now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        found = self._real.select(0)
        if not found and timeout is None:
            raise RuntimeError("everybody waits for something that never comes")
        if not found and timeout:
            self.now += timeout
        return found

    def register(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        return self._real.register(fileobj, events, data)

    def unregister(self, fileobj: Any) -> selectors.SelectorKey:
        return self._real.unregister(fileobj)

    def close(self) -> None:
        self._real.close()

    def get_map(self) -> Mapping[Any, selectors.SelectorKey]:
        return self._real.get_map()


class VirtualLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._virtual = _Selector()
        super().__init__(self._virtual)

    def time(self) -> float:
        return self._virtual.now


def now() -> float:
    """Of the loop that runs."""
    return asyncio.get_running_loop().time()


def run_virtually(work: Coroutine[Any, Any, Result]) -> Result:
    """What the work results in; its waits take no time. It may not use threads."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(work)
