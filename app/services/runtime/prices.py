"""Prices of models: where each comes from, and their update, which happens only when a person asks for it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from app.domain.people import Right
from app.errors import InputError
from app.providers.credentials import credentials_problem
from app.providers.known_prices import known_prices, today
from app.providers.pricing import FLEX
from app.providers.pricing import Price as Price  # noqa: PLC0414 - for the screen
from app.providers.registry import describe_models
from app.services.runtime.endpoint_models import endpoint_models
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench


@dataclass(frozen=True, slots=True)
class PricedModel:
    """US dollars per million tokens, None where the price is unknown; `flex` in the vendor's tier of that name, None
    where there is none. `ready`: nothing is missing to use it."""

    name: str
    price: Price | None
    ready: bool
    flex: Price | None = None

    @property
    def free(self) -> bool:
        return self.price is not None and self.price.free

    def to_json(self) -> dict[str, Any]:
        origin = self.price.origin if self.price else None
        return {
            "model": self.name,
            **_amounts(self.price),
            "longer": [{"over_tokens": n, **_amounts(price)} for n, price in (self.price.longer if self.price else ())],
            "flex": _amounts(self.flex) if self.flex else None,
            "source": origin.source if origin else None,
            "day": origin.day.isoformat() if origin and origin.day else None,
            "since": origin.since.isoformat() if origin and origin.since else None,
        }


@dataclass(frozen=True, slots=True)
class Prices:
    """The models known by name with their prices of one day. source: what keeps them; checked: of what day it is,
    None where nobody says."""

    source: str
    checked: date | None
    models: Sequence[PricedModel]


@use_case(Right.SET_UP)
def price_list(workbench: Workbench) -> Prices:
    known, credentials, day = known_prices(), workbench.credentials, today()
    models = [
        PricedModel(
            model.name,
            model.price,
            not credentials_problem(model.provider, credentials),
            None if model.price is None or model.price.free else known.of(model.name, day, FLEX),
        )
        for model in describe_models(credentials, known, endpoint_models(workbench).chat, day)
    ]
    origin = known.kept.source if known.kept is not None else None
    return Prices(origin.source if origin else "", origin.day if origin else None, models)


@use_case(Right.SERVE, act="updated the prices of models")
def update_prices(workbench: Workbench) -> date:
    """Fetch what is newest, for everybody on this server; the day of it. Runs that were paid keep their costs. Raises a
    ProviderError or InputError that says why the prices stay as they were."""
    from app.providers.price_update import fetch_prices  # noqa: PLC0415 - nothing else needs what it is fetched with

    try:
        kept = fetch_prices(today())
    except OSError as error:
        raise InputError(
            f"The prices can't be kept: {error.strerror or 'the folder can not be written'}.",
            "Check the workbench's folder (INTERACTEVAL_HOME) and try again.",
        ) from error
    return kept.source.day or today()


def _amounts(price: Price | None) -> dict[str, float | None]:
    """Null where unknown; what is written to a cache costs what other input does where nothing else is said."""
    if price is None:
        return dict.fromkeys(("input_usd", "cached_usd", "cache_write_usd", "output_usd"))
    return {
        "input_usd": price.input,
        "cached_usd": price.cached,
        "cache_write_usd": price.input if price.written is None else price.written,
        "output_usd": price.output,
    }
