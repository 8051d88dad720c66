"""What a provider's cache saves of requests that begin alike."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from app.providers.base import ChatRequest
from app.providers.pricing import Price, estimate_input_tokens, estimate_tokens
from app.providers.registry import cached_from


@dataclass(frozen=True, slots=True)
class PromptSize:
    """A request in tokens. constant: its part that is the same for other texts."""

    read: int
    written: int
    constant: str

    @classmethod
    def of(cls, request: ChatRequest, written: int) -> "PromptSize":
        """Vendors put the schema before the prompt: it is part of what their caches keep."""
        return cls(estimate_input_tokens(request), written, request.form + request.prompt.system)


@dataclass(frozen=True, slots=True)
class Caching:
    """`constant_tokens` are the most that requests have in common, `cached_from_tokens` the least of them that the
    model's cache keeps, None where nobody knows; `cache_read_tokens` are what it would be read for at best, and
    `cache_saves_usd` what that takes off the cost, None where the price isn't known."""

    constant_tokens: int = 0
    cached_from_tokens: int | None = None
    cache_read_tokens: int = 0
    cache_saves_usd: float | None = None


def caching_of(model: str, sizes: Sequence[PromptSize], price: Price | None) -> Caching:
    """At best: the first request with a constant part writes it, all others read it."""
    least = cached_from(model)
    read = written = 0
    for constant, times in Counter(size.constant for size in sizes).items():
        tokens = estimate_tokens(constant)
        if least is not None and tokens >= least and times > 1:
            written += tokens
            read += tokens * (times - 1)
    most = max((estimate_tokens(size.constant) for size in sizes), default=0)
    return Caching(most, least, read, None if price is None or not sizes else _saving(price, read, written))


def _saving(price: Price, read: int, written: int) -> float:
    """US dollars."""
    dearer = (price.written or price.input) - price.input
    return max(0.0, (read * (price.input - price.cached) - written * dearer) / 1_000_000)
