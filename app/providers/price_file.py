"""Files of prices that are laid over the kept ones: that of the program and the person's own."""

import math
from datetime import date
from pathlib import Path
from typing import Any

import yaml

from app.errors import FileFormatError, NotFoundError
from app.input_file import read_file
from app.limited_yaml import read_yaml
from app.limits import YAML
from app.providers.pricing import BATCH, FLEX, STANDARD, OwnPrices, Price, PriceOrigin

_COMPARE = "Compare it with the shipped prices.yaml."


def read_prices(path: Path) -> OwnPrices:
    """Raises NotFoundError and FileFormatError, naming the model whose entry is wrong."""
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
