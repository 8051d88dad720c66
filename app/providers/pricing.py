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
    """Where a price comes from. day: when it was looked up there, None where nobody says; since: from when it holds."""

    source: str
    day: date | None = None
    since: date | None = None


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens. `cached` is for input read from the provider's prompt cache, `written` for input
    written to it, None where that costs what other input costs.

    longer: (tokens, price), smallest first: the whole request costs so much once its input has more tokens than that.
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
        """What a request of this size costs."""
        fitting = [price for tokens, price in self.longer if input_tokens > tokens]
        return fitting[-1] if fitting else self

    def cost(self, usage: Usage, calls: int = 1) -> float:
        """US dollars. calls: how many requests the usage is of, taken to be of one size."""
        price = self.at(usage.input_tokens / max(calls, 1))
        fresh = max(0, usage.input_tokens - usage.cached_tokens - usage.cache_write_tokens)
        written = usage.cache_write_tokens * (price.input if price.written is None else price.written)
        paid = fresh * price.input + usage.cached_tokens * price.cached + usage.output_tokens * price.output
        return (paid + written) / _MILLION

    def times(self, share: float, origin: PriceOrigin) -> "Price":
        """A share of every part of it."""
        return Price(
            self.input * share,
            self.cached * share,
            self.output * share,
            None if self.written is None else self.written * share,
            tuple((tokens, price.times(share, origin)) for tokens, price in self.longer),
            origin,
        )


class PriceSource(Protocol):
    """A source of prices that is kept up to date elsewhere."""

    @property
    def source(self) -> PriceOrigin:
        """What it is, and of what day."""
        ...

    def of(self, model: str, day: date, tier: str) -> Price | None:
        """The price on that day, by provider:model; None where the source has none for the model in this tier."""
        ...

    def names(self, day: date) -> Sequence[str]:
        """The models for questions that it knows, as provider:model, newest first."""
        ...


@dataclass(frozen=True, slots=True)
class OwnPrices:
    """What one file says. prices: by provider:model and tier. shares: what a tier costs of the standard price, by
    provider and tier, where nothing else is known of it."""

    name: str
    checked: date
    prices: Mapping[str, Mapping[str, Price]] = field(default_factory=dict)
    shares: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    def of(self, model: str, tier: str) -> Price | None:
        """The price of a model or of the model it is a snapshot of."""
        found = self.prices.get(model) or self.prices.get(SNAPSHOT.sub("", model)) or {}
        return found.get(tier)


@dataclass(frozen=True, slots=True)
class PriceList:
    """Files of one's own, of which the first that knows a price counts, and beneath them a source that is kept."""

    own: tuple[OwnPrices, ...] = ()
    kept: PriceSource | None = None

    def of(self, model: str, day: date, tier: str = STANDARD) -> Price | None:
        """What a call costs on that day; free for what calls nobody who charges."""
        spec = KNOWN_PROVIDERS.get(model.partition(":")[0])  # calls on record may be of one there is no more
        if spec is not None and not spec.charges:
            return Price(0.0, 0.0, 0.0)
        own = (price for prices in self.own if (price := prices.of(model, tier)) is not None)
        found = next(own, None)
        if found is None and self.kept is not None:
            found = self.kept.of(model, day, tier)
        return self._by_share(model, day, tier) if found is None and tier else found

    def cost(self, model: str, usage: Usage, day: date, tier: str = STANDARD, calls: int = 1) -> float | None:
        """US dollars; None where the price is unknown, or how much was used. calls: as in Price.cost."""
        price = self.of(model, day, tier)
        return None if price is None or not usage.known else price.cost(usage, calls)

    def names(self, day: date) -> list[str]:
        """The models that are known by name, each once."""
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
    """About how many tokens the model reads: both parts of the prompt, the schema, what is given, earlier turns."""
    return sum(map(estimate_tokens, _read_parts(request)))


WRAPPING = 1_000
"""Tokens that a vendor adds around what it is sent, at most."""


def most_input_tokens(request: ChatRequest) -> int:
    """How many tokens the model reads at most: no tokenizer makes more of a text than it has bytes."""
    return WRAPPING + sum(len(part.encode(errors="replace")) for part in _read_parts(request))


def _read_parts(request: ChatRequest) -> Sequence[str]:
    turns = (part for turn in request.turns for part in (turn.answer, turn.correction))
    return request.before, request.form, request.given or "", *turns


def estimate_tokens(text: str) -> int:
    """About how many tokens a text has, without the model's tokenizer: a rule of thumb for cost estimates.

    English has about 4 characters a token with the vendors' tokenizers; scripts without spaces between words (Chinese,
    Japanese, Thai) and Korean about one. Right within some 15 % for English prose, too low for code and tables.
    """
    dense = 0 if text.isascii() else len(_DENSE.findall(text))
    return math.ceil((len(text) - dense) / CHARACTERS_PER_TOKEN + dense)
