"""What one account at the stand-in may do and has used. Each set of options is an account of its own."""

import threading
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Body = dict[str, Any]

CACHED_FROM = 1024
"""Tokens. A shorter prefix never reaches a prompt cache."""


def tokens(text: str) -> int:
    """Four letters a token, rounded up."""
    return -(-len(text) // 4)


class Options:
    """Options as they stand in the first part of a path: "think=6000,refuse=4,vllm"."""

    def __init__(self, written: str) -> None:
        pairs = (option.partition("=") for option in written.split(","))
        self._given = {name: value for name, _, value in pairs}

    def __contains__(self, name: str) -> bool:
        return name in self._given

    def text(self, name: str, default: str = "") -> str:
        return self._given.get(name, default)

    def number(self, name: str, default: float = 0) -> float:
        return float(self._given.get(name, default))

    def chooses(self, name: str, ordinal: int) -> bool:
        """Whether the option, such as refuse=4 or heavy=5:20000, names every so-manyth and this is one."""
        every = self.text(name).partition(":")[0]
        return bool(every) and ordinal % int(every) == 0


class RefusedRequest(Exception):  # noqa: N818 - an answer with an error status, not a fault of the stand-in
    """`name`: by which the account counts it."""

    def __init__(self, status: int, body: Body | str, name: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(f"{status} {name}")
        self.status, self.body, self.name, self.headers = status, body, name, dict(headers or {})


@dataclass
class Account:
    """`ok`: requests that succeeded, those that hand in a batch included. `batched`: requests tried within a batch.
    `truncated`: replies that were cut off at their limit. `billed`: tokens; input includes cached and written."""

    options: Options
    requests: int = 0
    ok: int = 0
    batched: int = 0
    truncated: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    billed: Counter[str] = field(default_factory=lambda: Counter(input=0, cached=0, written=0, output=0, reasoning=0))
    calls: list[Body] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)
    batches: dict[str, Any] = field(default_factory=dict)
    lock: Any = field(default_factory=threading.RLock)
    _used: Counter[str] = field(default_factory=Counter)
    _ordinals: dict[str, int] = field(default_factory=dict)
    _cached: set[tuple[str, str]] = field(default_factory=set)

    def state(self) -> Body:
        counts = {name: getattr(self, name) for name in ("requests", "ok", "batched", "truncated")}
        return counts | {"refused": dict(self.refused), "billed": dict(self.billed)}

    def ordinal(self, text: str) -> int:
        """The number of a text in the order in which texts came first, from 1."""
        with self.lock:
            return self._ordinals.setdefault(text, len(self._ordinals) + 1)

    def use(self, name: str) -> int:
        """How often this was called with the name, this time included."""
        with self.lock:
            self._used[name] += 1
            return self._used[name]

    def is_due(self, name: str) -> bool:
        """Whether the option names the first N of something, and this is one of them."""
        return name in self.options and self.use(name) <= int(self.options.text(name).partition(":")[0])

    def through_cache(self, key: str, prefixes: list[str]) -> tuple[int, int]:
        """Tokens read from and written to the prompt cache by a prompt with these prefixes, shortest first."""
        long = [prefix for prefix in prefixes if tokens(prefix) >= CACHED_FROM]
        with self.lock:
            known = [tokens(prefix) for prefix in long if (key, prefix) in self._cached]
            self._cached.update((key, prefix) for prefix in long)
        read = max(known, default=0)
        return read, max(map(tokens, long), default=0) - read

    def bill(self, **counted: int) -> None:
        with self.lock:
            self.billed.update(counted)
