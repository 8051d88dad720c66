"""Documents of the provider: fetched with a limit of time, and kept for some minutes."""

import ssl
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

import httpx2

from app.errors import SignInError

KEPT = 600.0
"""Seconds. Providers change their keys some times a year, and announce new ones before they sign with them."""
TRIED_AGAIN = 5.0
"""Seconds before a document that couldn't be had is asked for anew: else everybody would wait for a provider that is
down, one behind the other."""
PATIENCE = httpx2.Timeout(5.0)
_ASK = "Try again in a minute; if it stays so, tell whoever runs this server."

Document = dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Kept:
    until: float
    document: Document
    trouble: str = ""


_kept: dict[str, _Kept] = {}
_fetching = Lock()


def kept_document(address: str, anew: bool = False) -> Document:
    """Raises SignInError where it can't be had. anew: whatever is kept."""
    with _fetching:
        found = _kept.get(address)
        if found is None or monotonic() >= found.until or (anew and not found.trouble):
            try:
                found = _Kept(monotonic() + KEPT, fetch_document(address))
            except SignInError as error:
                found = _Kept(monotonic() + TRIED_AGAIN, {}, error.message)
            _kept[address] = found
    if found.trouble:
        raise SignInError(found.trouble, _ASK)
    return found.document


def fetch_document(address: str, token: str = "") -> Document:
    """token: shown to the provider, where it lets nobody else read it."""
    headers = {"Accept": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
    try:
        with httpx2.Client(verify=trusted_certificates(), timeout=PATIENCE) as client:
            answer = client.get(address, headers=headers)
    except (httpx2.HTTPError, httpx2.InvalidURL, ValueError) as error:
        raise no_answer(address) from error
    try:
        document = answer.json() if answer.status_code == httpx2.codes.OK else None
    except ValueError:
        document = None
    if not isinstance(document, dict):
        raise SignInError(f"{host_of(address)}, the sign-in provider, sent something unreadable.", _ASK)
    return document


def no_answer(address: str) -> SignInError:
    return SignInError(f"{host_of(address)}, the sign-in provider, doesn't answer.", _ASK)


def host_of(address: str) -> str:
    return urlsplit(address).hostname or "The address"


def forget_documents() -> None:
    with _fetching:
        _kept.clear()


@lru_cache(maxsize=1)
def trusted_certificates() -> ssl.SSLContext:
    """Those that this computer trusts."""
    return httpx2.create_ssl_context()
