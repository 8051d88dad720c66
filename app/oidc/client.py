"""Client: this server as the provider knows it, from the settings."""

import ipaddress
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from app.errors import InputError
from app.settings import settings

CALLBACK = "/oidc-callback"
"""Where the provider sends people back to, below the server's address."""
WELL_KNOWN = "/.well-known/openid-configuration"


@dataclass(frozen=True, slots=True)
class OidcClient:
    """discovery: the address of the document in which the provider describes itself."""

    discovery: str
    id: str
    secret: str = field(repr=False)

    @property
    def host(self) -> str:
        """Where people sign in, as they know it."""
        return urlsplit(self.discovery).hostname or ""


def oidc_client() -> OidcClient:
    """Raises InputError for the first setting that is missing or can't be."""
    now = settings()
    given = {
        "INTERACTEVAL_OIDC_DISCOVERY": now.oidc_discovery.strip(),
        "INTERACTEVAL_OIDC_CLIENT": now.oidc_client.strip(),
        "INTERACTEVAL_OIDC_SECRET": (now.provider_variable("INTERACTEVAL_OIDC_SECRET") or "").strip(),
    }
    for name, value in given.items():
        if not value:
            raise InputError(f"{name} isn't set.", "Without it nobody could sign in with a provider.")
    discovery, client, secret = given.values()
    if not is_safe(discovery):
        raise InputError(
            f"INTERACTEVAL_OIDC_DISCOVERY is “{discovery[:60]}”, which is no https address.",
            f"Give it whole, such as https://login.example.org{WELL_KNOWN}.",
        )
    return OidcClient(discovery if WELL_KNOWN in discovery else discovery.rstrip("/") + WELL_KNOWN, client, secret)


def is_safe(address: str) -> bool:
    """Whether what is said to this address stays between the two: https, or this very computer."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    if parts.scheme == "http":
        return _is_this_computer(parts.hostname or "")
    return parts.scheme == "https" and bool(parts.hostname)


def _is_this_computer(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
