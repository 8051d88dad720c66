"""An event loop whose clock jumps to the next timer instead of waiting for it: waits take no time and come in order,
however busy the machine is. For work that waits for timers alone, not for threads or sockets."""

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")
LIMIT = 100_000  # virtual seconds after which work counts as stuck


class _Selector(selectors.DefaultSelector):
    """Doesn't wait: the time it was told to wait has passed at once."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if not ready:
            assert timeout is not None, "nothing is left that could wake the work up"
            self.now += timeout
        return ready


class _Loop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._virtual = _Selector()
        super().__init__(self._virtual)

    def time(self) -> float:
        return self._virtual.now


def in_virtual_time(work: Coroutine[Any, Any, Result]) -> Result:
    """What the work results in. Work that never ends fails; `asyncio.get_running_loop().time()` tells its time."""
    with asyncio.Runner(loop_factory=_Loop) as runner:
        return runner.run(asyncio.wait_for(work, LIMIT))
