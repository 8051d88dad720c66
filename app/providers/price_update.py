"""Update of prices: downloaded on request, checked, and stored in the workbench's folder."""

from datetime import date
from urllib.parse import urlsplit

import httpx2
from genai_prices.update_prices import DEFAULT_UPDATE_URL

from app.errors import ConnectionFailedError, FileFormatError, TransientError
from app.limits import PRICE_LIST
from app.providers.adapters.connections import trusted
from app.providers.package_prices import PackagePrices, parse_price_file
from app.settings import settings

SECONDS = 30.0
LARGEST = PRICE_LIST.size  # it has 2 MB
_MEANWHILE = "Until then the prices of before hold."


def fetch_prices(day: date) -> PackagePrices:
    """Download and store prices; return the new ones. Raises a ProviderError that says why prices weren't updated, or
    OSError if the folder can't be written."""
    address = settings().prices_url.strip() or DEFAULT_UPDATE_URL
    host = urlsplit(address).hostname or "the address"
    content = _fetched(address, host)
    try:
        kept = parse_price_file(content, day)
    except FileFormatError as error:
        raise TransientError(
            f"What {host} sent is no list of prices that this program can read.",
            f"A newer version of the program may be able to. {_MEANWHILE}",
        ) from error
    file = settings().kept_prices
    file.parent.mkdir(parents=True, exist_ok=True)
    beside = file.with_suffix(".part")
    beside.write_bytes(content)
    beside.replace(file)  # there whole, or not at all
    return kept


def _fetched(address: str, host: str) -> bytes:
    try:
        with (
            httpx2.Client(verify=trusted(), timeout=SECONDS, follow_redirects=True) as client,
            client.stream("GET", address) as answer,
        ):
            content = b"".join(_up_to(LARGEST, answer)) if answer.status_code == httpx2.codes.OK else b""
            status = answer.status_code
    except (httpx2.HTTPError, httpx2.InvalidURL, ValueError) as error:
        raise ConnectionFailedError(
            f"The prices couldn't be fetched: {host} doesn't answer.",
            "Check the network and try again, or set INTERACTEVAL_PRICES_URL to where a copy of the file is. "
            f"{_MEANWHILE}",
        ) from error
    if status != httpx2.codes.OK:
        raise TransientError(
            f"The prices couldn't be fetched: {host} answers with status {status}.", f"Try again later. {_MEANWHILE}"
        )
    return content


def _up_to(most: int, answer: httpx2.Response) -> "list[bytes]":
    """Return the body in parts. Raises ValueError for more than `most` bytes."""
    parts, size = [], 0
    for part in answer.iter_bytes():
        size += len(part)
        if size > most:
            raise ValueError("longer than any list of prices")
        parts.append(part)
    return parts
