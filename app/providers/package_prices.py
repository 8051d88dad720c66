"""Prices from genai-prices (https://github.com/pydantic/genai-prices): of the installed package, or of a newer file.

For each model it has a pattern of names, prices with their first day and by length of a request, and prices by service
tier. Only this module imports it, when the first price is looked up: that takes some 0.2 s of processor time.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time
from decimal import Decimal
from importlib.metadata import version
from pathlib import Path
from typing import Any

from genai_prices.data_snapshot import DataSnapshot, get_snapshot
from genai_prices.types import ConditionalPrice, ModelInfo, ModelPrice, Provider, StartDateConstraint, TieredPrices
from genai_prices.types import _providers_from_raw as providers_from_raw  # what its own update reads the file with

from app.errors import FileFormatError
from app.providers.model_name import answers_in_text, newest_first
from app.providers.pricing import BATCH, FLEX, STANDARD, Price, PriceOrigin
from app.providers.specs import KNOWN_PROVIDERS

PACKAGE = "genai-prices"
VENDORS = {prefix: spec.priced_as for prefix, spec in KNOWN_PROVIDERS.items() if spec.priced_as}
_CONTEXTS: Mapping[str, dict[str, str]] = {FLEX: {"service_tier": "flex"}, BATCH: {"processing": "batch"}}


@dataclass(frozen=True)
class PackagePrices:
    """The prices of genai-prices, of any day."""

    snapshot: DataSnapshot
    source: PriceOrigin
    _found: dict[tuple[str, date, str], Price | None] = field(default_factory=dict, repr=False)
    _names: dict[date, list[str]] = field(default_factory=dict, repr=False)

    def of(self, model: str, day: date, tier: str) -> Price | None:
        """Return the price as PriceSource.of. A tier without a price is unknown; it doesn't get the standard price."""
        key = model, day, tier
        if key not in self._found:
            self._found[key] = self._look_up(model, day, tier)
        return self._found[key]

    def names(self, day: date) -> list[str]:
        """Return names as PriceSource.names: priced models of the vendors' own families that aren't being retired."""
        if day not in self._names:
            found = []
            for prefix, vendor in VENDORS.items():
                family = KNOWN_PROVIDERS[prefix].family
                ids = [
                    model.id for model in self._vendor(vendor).models if not model.deprecated and family.match(model.id)
                ]
                asked = [f"{prefix}:{name}" for name in newest_first(ids) if answers_in_text(name)]
                found += [name for name in asked if self.of(name, day, STANDARD) is not None]
            self._names[day] = found
        return self._names[day]

    def _look_up(self, name: str, day: date, tier: str) -> Price | None:
        prefix, _, model = name.partition(":")
        if prefix not in VENDORS:
            return None
        found = self._vendor(VENDORS[prefix]).find_model(model)
        moment = datetime.combine(day, time.max, UTC)
        if found is None or not found.prices or (tier and not _sold(found, moment, tier)):
            return None
        origin = PriceOrigin(self.source.source, self.source.day, _since(found, moment))
        return _price(found.get_prices(moment, _CONTEXTS.get(tier)), origin)

    def _vendor(self, vendor: str) -> Provider:
        return next(provider for provider in self.snapshot.providers if provider.id == vendor)


def bundled_prices(compared: Mapping[str, Any]) -> PackagePrices:
    """Return the package's prices. compared: its version that was compared with the vendors' pages, and the day."""
    installed = version(PACKAGE)
    day = compared.get("day") if compared.get("version") == installed else None
    return PackagePrices(get_snapshot(), PriceOrigin(f"{PACKAGE} {installed}", day))


def parse_price_file(content: bytes, day: date) -> PackagePrices:
    """Return the prices of an update's file from that day. Raises FileFormatError if it isn't one or lacks a vendor."""
    try:
        snapshot = DataSnapshot(providers_from_raw(json.loads(content)), from_auto_update=True)
        kept = PackagePrices(snapshot, PriceOrigin(PACKAGE, day))
        names = kept.names(day)
    except Exception as error:  # whatever the package stumbles over: its file may have any form one day
        raise FileFormatError(f"That is no file of {PACKAGE}.", "Update the prices again.") from error
    if not all(any(name.startswith(f"{prefix}:") for name in names) for prefix in VENDORS):
        raise FileFormatError(f"The file of {PACKAGE} lacks the prices of a vendor.", "Update the prices again.")
    return kept


def read_price_file(path: Path) -> PackagePrices:
    """Return prices as `parse_price_file`; the file's modification time is the day of the update."""
    day = datetime.fromtimestamp(path.stat().st_mtime, UTC).date()
    return parse_price_file(path.read_bytes(), day)


def _sold(model: ModelInfo, moment: datetime, tier: str) -> bool:
    """Return whether the tier has its own price; without one the package gives the standard price."""
    wanted = _CONTEXTS.get(tier)
    return wanted is not None and any(
        variant.when == wanted and (variant.constraint is None or variant.constraint.active(moment))
        for variant in model.price_variants or ()
    )


def _since(model: ModelInfo, moment: datetime) -> date | None:
    """Return the first day of the standard price; None if it has always been the same, as far as is known."""
    if isinstance(model.prices, ModelPrice):
        return None
    begun = [price.constraint.start_date for price in model.prices if _has_begun(price, moment)]  # type: ignore[union-attr]
    return max(begun, default=None)


def _has_begun(price: ConditionalPrice, moment: datetime) -> bool:
    return isinstance(price.constraint, StartDateConstraint) and price.constraint.active(moment)


def _price(found: ModelPrice, origin: PriceOrigin) -> Price | None:
    parts = (found.input_mtok, found.cache_read_mtok, found.output_mtok, found.cache_write_mtok)
    if found.input_mtok is None or found.output_mtok is None:
        return None
    sizes = sorted({tier.start for part in parts if isinstance(part, TieredPrices) for tier in part.tiers})

    def above(tokens: int) -> Price:
        given, cached, output, written = (_amount(part, tokens) for part in parts)
        assert given is not None
        assert output is not None
        return Price(given, given if cached is None else cached, output, written, origin=origin)

    base = above(-1)
    longer = tuple((size, above(size)) for size in sizes)
    return Price(base.input, base.cached, base.output, base.written, longer, origin)


def _amount(part: Decimal | TieredPrices | None, tokens: int) -> float | None:
    """Return the price of a part, for requests with more than this many tokens."""
    if isinstance(part, TieredPrices):
        reached = [tier.price for tier in part.tiers if tier.start <= tokens]
        part = reached[-1] if reached else part.base
    return None if part is None else float(part)
