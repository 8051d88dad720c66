"""The models that a vendor lets a key use, newest first. The SDK isn't used: it relies on the form of lists."""

import json
import re
from contextlib import suppress
from datetime import date
from typing import Any

import httpx2

from app.errors import ConnectionFailedError, ProviderError, UnsupportedError
from app.limits import OversizedBodyError
from app.providers.adapters.compatible import LONGEST_NAME, list_refused, list_timed_out, list_unreadable
from app.providers.adapters.connections import at_home_sync, trusted
from app.providers.credentials import Endpoint
from app.providers.known_prices import note_ends
from app.providers.model_name import answers_in_text, newest_first
from app.providers.specs import ProviderSpec, VendorListing

_DATED = re.compile(r"-(\d{4}-\d{2}-\d{2}|\d{8})$")


def list_vendor_models(provider: ProviderSpec, endpoint: Endpoint, timeout: float) -> list[str]:
    """Return names without the provider, of the vendor's own models that answer questions, judging by their names. A
    snapshot is left out if the model itself is listed.

    timeout: seconds. Raises a ProviderError that holds neither the key nor what was sent.
    """
    listing = provider.listing
    assert listing is not None
    key = endpoint.key.get_secret_value()
    headers = {listing.key_header: f"{listing.key_before}{key}", **dict(listing.more)}
    failure: ProviderError | None = None
    answer: object = None
    try:
        with httpx2.Client(verify=trusted(), timeout=timeout, event_hooks=at_home_sync(endpoint.base_url)) as client:
            found = client.get(f"{endpoint.base_url.rstrip('/')}/{listing.path}", headers=headers)
        if found.status_code == httpx2.codes.OK:
            answer = json.loads(found.content)
        else:
            failure = list_refused(provider, found.status_code, endpoint.key_place or provider.key_variable)
    except httpx2.TimeoutException:
        failure = list_timed_out(provider, timeout)
    except OversizedBodyError:
        failure = list_unreadable(provider)
    except (httpx2.HTTPError, httpx2.InvalidURL):
        failure = ConnectionFailedError(
            f"The connection to {provider.title} failed.",
            f"Check the network and the address ({provider.url_variable}).",
        )
    except (ValueError, RecursionError):
        failure = list_unreadable(provider)
    # Raised out here, so that the library's exception, which holds the key, is not its context.
    if failure is not None:
        raise failure
    names = models_in(listing, answer)
    if names is None:
        raise list_unreadable(provider)
    note_ends(provider.prefix, ends_in(listing, answer))
    usable = [name for name in names if provider.family.match(name) and answers_in_text(name)]
    if not usable:
        raise UnsupportedError(
            f"{provider.title} lists no model that answers questions, going by their names.",
            "Type a model's name, as provider:name.",
        )
    return [name for name in usable if _DATED.sub("", name) == name or _DATED.sub("", name) not in usable]


def models_in(listing: VendorListing, answer: object) -> list[str] | None:
    """Return the names in a list, newest first, each once; None if the answer is no list of models."""
    listed = answer.get(listing.items) if isinstance(answer, dict) else None
    if not isinstance(listed, list):
        return None
    models = [model for model in listed if isinstance(model, dict) and _usable(model, listing)]
    names = [str(model[listing.named]).removeprefix("models/") for model in models]
    days: list[Any] = [model.get(listing.dated) for model in models] if listing.dated else []
    if days and (all(isinstance(day, int) for day in days) or all(isinstance(day, str) for day in days)):
        by_day = sorted(zip(days, names, strict=True), key=lambda pair: pair[0], reverse=True)
        names = [name for _, name in by_day] if len(set(days)) > 1 else newest_first(names)
    else:
        names = newest_first(names)
    return list(dict.fromkeys(names))


def ends_in(listing: VendorListing, answer: object) -> dict[str, date]:
    """Return the last day of each listed model that has one. Unreadable days are left out."""
    listed = answer.get(listing.items) if isinstance(answer, dict) and listing.ends else None
    found = {}
    for model in listed if isinstance(listed, list) else []:
        if isinstance(model, dict) and _usable(model, listing) and isinstance(day := model.get(listing.ends), str):
            with suppress(ValueError):
                found[str(model[listing.named])] = date.fromisoformat(day[:10])
    return found


def _usable(model: dict[str, Any], listing: VendorListing) -> bool:
    """Return whether the model can be used here, by its name and by its abilities if the list has them."""
    name, can = model.get(listing.named), model.get(listing.abilities, [listing.ability])
    fine = isinstance(name, str) and name.strip() and name.isprintable() and len(name) <= LONGEST_NAME
    able = [key for key, value in can.items() if value is True] if isinstance(can, dict) else can
    return bool(fine) and isinstance(able, list) and listing.ability in able
