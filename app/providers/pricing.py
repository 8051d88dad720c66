"""Prices of calls. An unknown price is None, never 0."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Protocol

from app.providers.base import ChatRequest, Usage
from app.providers.specs import KNOWN_PROVIDERS

_MILLION = 1_000_000
CHARACTERS_PER_TOKEN = 4  # of English prose
STANDARD, FLEX, BATCH = "", "flex", "batch"
# A snapshot costs what the model costs, and ends with it: gpt-4o-2024-11-20, claude-haiku-4-5-20251001.
SNAPSHOT = re.compile(r"-(\d{4}-\d{2}-\d{2}|\d{8})$")
# Thai and Lao, Chinese, Japanese and Korean, pictographs.
_DENSE = re.compile("[\u0e00-\u0eff\u2e80-\ud7af\uf900-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class PriceOrigin:
    """Where a price comes from. day: when it was looked up there, None if unknown; since: the day it holds from."""

    source: str
    day: date | None = None
    since: date | None = None


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens. `cached` is for input read from the provider's prompt cache, `written` for input
    written to it, None if that costs what other input costs.

    longer: (tokens, price), smallest first: a request with more input than `tokens` has that price as a whole.
    """

    input: float
    cached: float
    output: float
    written: float | None = None
    longer: "tuple[tuple[int, Price], ...]" = ()
    origin: PriceOrigin | None = field(default=None, compare=False)

    @property
    def free(self) -> bool:
        return self.input == self.cached == self.output == 0

    def at(self, input_tokens: float) -> "Price":
        """Return the price for a request of this size."""
        fitting = [price for tokens, price in self.longer if input_tokens > tokens]
        return fitting[-1] if fitting else self

    def cost(self, usage: Usage, calls: int = 1) -> float:
        """Return US dollars. calls: the number of requests that the usage is of, taken to be of equal size."""
        price = self.at(usage.input_tokens / max(calls, 1))
        fresh = max(0, usage.input_tokens - usage.cached_tokens - usage.cache_write_tokens)
        written = usage.cache_write_tokens * (price.input if price.written is None else price.written)
        paid = fresh * price.input + usage.cached_tokens * price.cached + usage.output_tokens * price.output
        return (paid + written) / _MILLION

    def times(self, share: float, origin: PriceOrigin) -> "Price":
        """Return the price with every part multiplied by `share`."""
        return Price(
            self.input * share,
            self.cached * share,
            self.output * share,
            None if self.written is None else self.written * share,
            tuple((tokens, price.times(share, origin)) for tokens, price in self.longer),
            origin,
        )


class PriceSource(Protocol):
    """A source of prices that is updated elsewhere."""

    @property
    def source(self) -> PriceOrigin:
        """The source's name and day."""
        ...

    def of(self, model: str, day: date, tier: str) -> Price | None:
        """Return the price on that day, by provider:model; None if the source has none for the model in this tier."""
        ...

    def names(self, day: date) -> Sequence[str]:
        """Return the known models for questions, as provider:model, newest first."""
        ...


@dataclass(frozen=True, slots=True)
class OwnPrices:
    """The prices in one file. prices: by provider:model and tier. shares: by provider and tier, a tier's price as a
    share of the standard price, for models without a price for the tier."""

    name: str
    checked: date
    prices: Mapping[str, Mapping[str, Price]] = field(default_factory=dict)
    shares: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    def of(self, model: str, tier: str) -> Price | None:
        """Return the price of a model or, for a snapshot, of its model."""
        found = self.prices.get(model) or self.prices.get(SNAPSHOT.sub("", model)) or {}
        return found.get(tier)


@dataclass(frozen=True, slots=True)
class PriceList:
    """Prices from own files, the first that has a price, and below them from an updated source."""

    own: tuple[OwnPrices, ...] = ()
    kept: PriceSource | None = None

    def of(self, model: str, day: date, tier: str = STANDARD) -> Price | None:
        """Return the price of a call on that day; free for models that call nobody who charges."""
        spec = KNOWN_PROVIDERS.get(model.partition(":")[0])  # calls on record may be of one there is no more
        if spec is not None and not spec.charges:
            return Price(0.0, 0.0, 0.0)
        own = (price for prices in self.own if (price := prices.of(model, tier)) is not None)
        found = next(own, None)
        if found is None and self.kept is not None:
            found = self.kept.of(model, day, tier)
        return self._by_share(model, day, tier) if found is None and tier else found

    def cost(self, model: str, usage: Usage, day: date, tier: str = STANDARD, calls: int = 1) -> float | None:
        """Return US dollars; None if the price or the usage is unknown. calls: as in Price.cost."""
        price = self.of(model, day, tier)
        return None if price is None or not usage.known else price.cost(usage, calls)

    def names(self, day: date) -> list[str]:
        """Return the models known by name, each once."""
        own = [name for prices in self.own for name in prices.prices]
        return list(dict.fromkeys([*own, *(self.kept.names(day) if self.kept is not None else ())]))

    def _by_share(self, model: str, day: date, tier: str) -> Price | None:
        standard = self.of(model, day)
        for prices in self.own:
            share = prices.shares.get(model.partition(":")[0], {}).get(tier)
            if share is not None and standard is not None:
                return standard.times(share, PriceOrigin(prices.name, prices.checked))
        return None


def estimate_input_tokens(request: ChatRequest) -> int:
    """Return about how many tokens the model reads: prompt, schema, given text, earlier turns."""
    return sum(map(estimate_tokens, _read_parts(request)))


WRAPPING = 1_000
"""Most tokens that a vendor adds around a request."""


def most_input_tokens(request: ChatRequest) -> int:
    """Return the most tokens that the model reads: no tokenizer makes more tokens than a text has bytes."""
    return WRAPPING + sum(len(part.encode(errors="replace")) for part in _read_parts(request))


def _read_parts(request: ChatRequest) -> Sequence[str]:
    turns = (part for turn in request.turns for part in (turn.answer, turn.correction))
    return request.before, request.form, request.given or "", *turns


def estimate_tokens(text: str) -> int:
    """Return about how many tokens a text has, without the model's tokenizer: a rule of thumb for cost estimates.

    English has about 4 characters a token with the vendors' tokenizers; scripts without spaces between words (Chinese,
    Japanese, Thai) and Korean about one. Right within some 15 % for English prose, too low for code and tables.
    """
    dense = 0 if text.isascii() else len(_DENSE.findall(text))
    return math.ceil((len(text) - dense) / CHARACTERS_PER_TOKEN + dense)
