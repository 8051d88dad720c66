"""Faults decided by what a request asks, never by the order in which requests come."""

import json
from collections.abc import Callable
from threading import Lock

from tests.support.fake_llm.behaviour import Behaviour
from tests.support.fake_llm.server import Received


class FaultOnceEach:
    """The first time a prompt comes it meets the next of the faults, as long as there are any; each later time `usual`.

    Which prompt meets which fault depends on the order; that no prompt meets two doesn't.
    """

    def __init__(self, faults: tuple[Behaviour, ...], usual: Callable[[Received], Behaviour] | Behaviour) -> None:
        self._faults = list(faults)
        self._usual = usual
        self._seen: set[str] = set()
        self._lock = Lock()

    def __call__(self, received: Received) -> Behaviour:
        prompt = json.dumps(received.body["messages"][:2])
        with self._lock:
            first = prompt not in self._seen
            self._seen.add(prompt)
            if first and self._faults:
                return self._faults.pop(0)
        return self._usual(received) if callable(self._usual) else self._usual
