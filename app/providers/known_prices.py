"""The prices that hold: those of genai-prices, over them the program's file and the person's own."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from app.errors import FileFormatError
from app.providers.price_file import read_prices
from app.providers.pricing import OwnPrices, Price, PriceList, PriceOrigin, PriceSource
from app.settings import settings

SHIPPED = Path(__file__).with_name("prices.yaml")


def today() -> date:
    """The day whose prices a call has. Vendors change theirs at some hour of it, which nobody knows."""
    return datetime.now(UTC).date()


def known_prices() -> PriceList:
    """Looked at anew whenever one of the files changes, so that an update reaches every process.

    Raises FileFormatError where the person's own file is wrong.
    """
    return _list(_state(settings().own_prices), _state(settings().kept_prices))


@dataclass(slots=True)
class LateSource:
    """A source that is read when somebody first asks it."""

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
    from app.providers.kept_prices import bundled_prices, read_kept_file  # noqa: PLC0415 - most commands need none

    if file is not None:
        try:
            return read_kept_file(file)
        except (FileFormatError, OSError) as error:
            print(f"{file} is left aside: {error}", file=sys.stderr)  # noqa: T201 - the screen shows what came instead
    return bundled_prices(_compared())


def _compared() -> dict[str, Any]:
    content: dict[str, Any] = yaml.safe_load(SHIPPED.read_text(encoding="utf-8"))
    compared: dict[str, Any] = content["kept"]
    return compared


_State = tuple[Path, int, int]


def _state(file: Path) -> _State | None:
    """Changes when the file does; None where there is none."""
    try:
        found = file.stat()
    except OSError:
        return None
    return file, found.st_mtime_ns, found.st_size


@lru_cache(maxsize=4)
def _list(own: _State | None, kept: _State | None) -> PriceList:
    files: list[OwnPrices] = [read_prices(own[0])] if own else []
    return PriceList((*files, shipped_prices()), LateSource(kept[0] if kept else None))


@lru_cache(maxsize=1)
def shipped_prices() -> OwnPrices:
    """What comes with the program, laid over what is kept."""
    return read_prices(SHIPPED)
