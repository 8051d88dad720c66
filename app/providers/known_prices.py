"""Prices of models, from the owner's file, the latest update or the program; and vendors' last days of models."""

import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import yaml

from app.errors import FileFormatError, NotFoundError
from app.input_file import read_file, read_yaml
from app.limits import YAML
from app.providers.pricing import BATCH, FLEX, SNAPSHOT, STANDARD, OwnPrices, Price, PriceList, PriceOrigin, PriceSource
from app.settings import settings

_COMPARE = "Compare it with the shipped prices.yaml."


def read_prices(path: Path) -> OwnPrices:
    """Read a file of prices. Raises NotFoundError, and FileFormatError that names the model with a wrong entry."""
    try:
        content = read_yaml(read_file(path, YAML.size).decode("utf-8"))
    except NotFoundError as error:
        raise NotFoundError(f"There is no price file {path}.") from error
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise FileFormatError(f"{path} is not readable as YAML.", _COMPARE) from error
    if not isinstance(content, dict) or not isinstance(content.get("models"), dict):
        raise FileFormatError(f"{path} has no list of models.", f"Write models: {{}} for none. {_COMPARE}")
    checked = content.get("checked")
    if not isinstance(checked, date):
        raise FileFormatError(f"{path} lacks the day its prices were checked.", "Add checked: 2026-01-31.")
    origin = PriceOrigin(path.name, checked)
    prices = {str(name): _tiers(path, name, entry, origin) for name, entry in content["models"].items()}
    return OwnPrices(path.name, checked, prices, _shares(path, content.get("shares", {})))


def _tiers(path: Path, name: object, entry: Any, origin: PriceOrigin) -> dict[str, Price]:
    found = {STANDARD: _price(path, name, entry, origin)}
    return found | {tier: _price(path, name, entry[tier], origin) for tier in (FLEX, BATCH) if tier in entry}


def _price(path: Path, name: object, entry: Any, origin: PriceOrigin) -> Price:
    try:
        written = entry.get("written")
        longer = sorted((int(tokens), inner) for tokens, inner in entry.get("longer", {}).items())
        price = Price(
            float(entry["input"]),
            float(entry.get("cached", entry["input"])),
            float(entry["output"]),
            None if written is None else float(written),
            tuple((tokens, _price(path, name, inner, origin)) for tokens, inner in longer),
            origin,
        )
    except (TypeError, KeyError, ValueError, AttributeError) as error:
        raise FileFormatError(
            f"The price of {name} in {path} is incomplete.", "Give input and output as numbers."
        ) from error
    parts = (price.input, price.cached, price.output, price.written or 0.0)
    if not all(math.isfinite(part) and part >= 0 for part in parts):
        raise FileFormatError(f"The price of {name} in {path} is not a sum of money.", "Give numbers of 0 or more.")
    return price


def _shares(path: Path, written: Any) -> dict[str, dict[str, float]]:
    try:
        found = {str(p): {str(tier): float(share) for tier, share in tiers.items()} for p, tiers in written.items()}
    except (TypeError, ValueError, AttributeError) as error:
        raise FileFormatError(f"The shares in {path} are no numbers.", _COMPARE) from error
    if not all(0 <= share < math.inf for tiers in found.values() for share in tiers.values()):
        raise FileFormatError(f"A share in {path} is not a number of 0 or more.", _COMPARE)
    return found


SHIPPED = Path(__file__).with_name("prices.yaml")


def today() -> date:
    """Return the day that decides prices. Vendors change theirs at an unknown hour of a day."""
    return datetime.now(UTC).date()


def known_prices() -> PriceList:
    """Return all prices; read again whenever one of the files changes, so that every process sees an update.

    Raises FileFormatError if the owner's file is wrong.
    """
    return _list(_state(settings().own_prices), _state(settings().kept_prices))


@dataclass(slots=True)
class LazySource:
    """A source that is read at its first use."""

    file: Path | None
    _source: PriceSource | None = field(default=None, repr=False)

    @property
    def source(self) -> PriceOrigin:
        return self._opened().source

    def of(self, model: str, day: date, tier: str) -> Price | None:
        return self._opened().of(model, day, tier)

    def names(self, day: date) -> Sequence[str]:
        return self._opened().names(day)

    def _opened(self) -> PriceSource:
        if self._source is None:
            self._source = _kept(self.file)
        return self._source


def _kept(file: Path | None) -> PriceSource:
    from app.providers.package_prices import bundled_prices, read_price_file  # noqa: PLC0415 - most commands need none

    if file is not None:
        try:
            return read_price_file(file)
        except (FileFormatError, OSError) as error:
            print(f"{file} is left aside: {error}", file=sys.stderr)  # noqa: T201 - the screen shows what came instead
    content: dict[str, Any] = yaml.safe_load(SHIPPED.read_text(encoding="utf-8"))
    compared: dict[str, Any] = content["kept"]
    return bundled_prices(compared)


_State = tuple[Path, int, int]


def _state(file: Path) -> _State | None:
    """Return a value that changes when the file does; None without a file."""
    try:
        found = file.stat()
    except OSError:
        return None
    return file, found.st_mtime_ns, found.st_size


@lru_cache(maxsize=4)
def _list(own: _State | None, kept: _State | None) -> PriceList:
    files: list[OwnPrices] = [read_prices(own[0])] if own else []
    return PriceList((*files, shipped_prices()), LazySource(kept[0] if kept else None))


@lru_cache(maxsize=1)
def shipped_prices() -> OwnPrices:
    """Return the program's own prices, which override those of genai-prices."""
    return read_prices(SHIPPED)


_TABLE = Path(__file__).with_name("model_ends.yaml")
_LISTED: dict[str, date] = {}
"""Last days from vendors' lists in this process, by provider:name."""


@dataclass(frozen=True, slots=True)
class ModelEnd:
    """The last day of a model. successor: the model that the vendor names as its replacement, "" if unknown."""

    day: date
    successor: str = ""

    @property
    def past(self) -> bool:
        return self.day <= today()


def note_ends(prefix: str, ends: Mapping[str, date]) -> None:
    """Remember the last days in a vendor's list of models, for this process."""
    _LISTED.update({f"{prefix}:{name}": day for name, day in ends.items()})


def end_of(model: str) -> ModelEnd | None:
    """Return when the model (provider:name) ends; None if no end is known."""
    known = known_ends().get(model) or known_ends().get(SNAPSHOT.sub("", model))
    listed = _LISTED.get(model)
    if listed is not None:
        return ModelEnd(listed, known.successor if known else "")
    return known


def end_label(model: str) -> str:
    """Return the words after a model's name in a list: "until 14 Jan 2027", "removed 23 Oct 2026", or ""."""
    end = end_of(model)
    return "" if end is None else f"{'removed' if end.past else 'until'} {end.day.day} {end.day:%b %Y}"


def end_warning(model: str) -> str:
    """Return a sentence that warns of the end of a model, or "" if none is known."""
    end = end_of(model)
    if end is None:
        return ""
    ends = "was removed" if end.past else "will be removed"
    instead = f" Its vendor names {end.successor} in its place." if end.successor else ""
    return f"{model} {ends} by its vendor on {end.day.day} {end.day:%B %Y}.{instead}"


@cache
def known_ends() -> Mapping[str, ModelEnd]:
    """Return the table, by provider:name."""
    table = yaml.safe_load(_TABLE.read_text(encoding="utf-8"))["ends"]
    return {model: ModelEnd(day, successor) for day, models in table.items() for model, successor in models.items()}
