"""Prices of calls. An unknown price is None, never 0."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from app.errors import FileFormatError, NotFoundError
from app.providers.base import Usage
from app.providers.specs import KNOWN_PROVIDERS

# The C loader reads the prices in 5 ms instead of 50, which the first reply of a run would wait for.
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
SHIPPED = Path(__file__).with_name("prices.yaml")

_MILLION = 1_000_000
CHARACTERS_PER_TOKEN = 4  # of English prose
# A snapshot costs what the model costs: gpt-4o-2024-11-20, claude-haiku-4-5-20251001.
_SNAPSHOT = re.compile(r"-(\d{4}-\d{2}-\d{2}|\d{8})$")
# Thai and Lao, Chinese, Japanese and Korean, pictographs.
_DENSE = re.compile("[\u0e00-\u0eff\u2e80-\ud7af\uf900-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens. `cached` is for input read from the provider's prompt cache, `written` for input
    written to it, None where that costs what other input costs."""

    input: float
    cached: float
    output: float
    written: float | None = None


@dataclass(frozen=True, slots=True)
class PriceList:
    """Prices by provider:model, and the day they were looked up."""

    checked: date
    prices: Mapping[str, Price]

    def of(self, model: str) -> Price | None:
        """The price of a model or of the model it is a snapshot of; free for what calls nobody who charges."""
        spec = KNOWN_PROVIDERS.get(model.partition(":")[0])  # calls on record may be of one there is no more
        if spec is not None and not spec.charges:
            return Price(0.0, 0.0, 0.0)
        return self.prices.get(model) or self.prices.get(_SNAPSHOT.sub("", model))

    def cost(self, model: str, usage: Usage) -> float | None:
        """US dollars; None where the price is unknown, or how much was used."""
        price = self.of(model)
        if price is None or not usage.known:
            return None
        fresh = max(0, usage.input_tokens - usage.cached_tokens - usage.cache_write_tokens)
        written = usage.cache_write_tokens * (price.input if price.written is None else price.written)
        paid = fresh * price.input + usage.cached_tokens * price.cached + usage.output_tokens * price.output
        return (paid + written) / _MILLION


def read_prices(path: Path) -> PriceList:
    """Raises NotFoundError and FileFormatError, naming the model whose entry is wrong."""
    try:
        content = yaml.load(path.read_text(encoding="utf-8"), Loader=_LOADER)  # noqa: S506 - both are safe loaders
    except FileNotFoundError as error:
        raise NotFoundError(f"There is no price file {path}.") from error
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise FileFormatError(f"{path} is not readable as YAML.", "Compare it with the shipped prices.yaml.") from error
    if not isinstance(content, dict) or not isinstance(content.get("models"), dict):
        raise FileFormatError(f"{path} has no list of models.", "Compare it with the shipped prices.yaml.")
    checked = content.get("checked")
    if not isinstance(checked, date):
        raise FileFormatError(f"{path} lacks the day its prices were checked.", "Add checked: 2026-01-31.")
    return PriceList(checked, {str(name): _price(path, name, entry) for name, entry in content["models"].items()})


@lru_cache(maxsize=1)
def shipped_prices() -> PriceList:
    """The prices that come with the program; see prices.yaml for their sources."""
    return read_prices(SHIPPED)


def estimate_tokens(text: str) -> int:
    """About how many tokens a text has, without the model's tokenizer: a rule of thumb for cost estimates.

    English has about 4 characters a token with the vendors' tokenizers; scripts without spaces between words (Chinese,
    Japanese, Thai) and Korean about one. Right within some 15 % for English prose, too low for code and tables.
    """
    dense = 0 if text.isascii() else len(_DENSE.findall(text))
    return math.ceil((len(text) - dense) / CHARACTERS_PER_TOKEN + dense)


def _price(path: Path, name: object, entry: Any) -> Price:
    try:
        written = entry.get("written")
        price = Price(
            float(entry["input"]),
            float(entry.get("cached", entry["input"])),
            float(entry["output"]),
            None if written is None else float(written),
        )
    except (TypeError, KeyError, ValueError, AttributeError) as error:
        raise FileFormatError(
            f"The price of {name} in {path} is incomplete.", "Give input and output as numbers."
        ) from error
    parts = (price.input, price.cached, price.output, price.written or 0.0)
    if not all(math.isfinite(part) and part >= 0 for part in parts):
        raise FileFormatError(f"The price of {name} in {path} is not a sum of money.", "Give numbers of 0 or more.")
    return price
