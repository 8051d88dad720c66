"""Provider: what its discovery document says of it, and the keys it signs with."""

from dataclasses import dataclass
from typing import Any, cast

from joserfc.errors import JoseError
from joserfc.jwk import KeySet, KeySetSerialization

from app.errors import SignInError
from app.oidc.client import WELL_KNOWN, OidcClient, is_safe
from app.oidc.documents import Document, host_of, kept_document

TELL = "Tell whoever runs this server."
_PROMPTS = ("select_account", "login")
_BASIC, _POST = "client_secret_basic", "client_secret_post"


@dataclass(frozen=True, slots=True)
class OidcProvider:
    """Addresses of its parts. userinfo: "" where it has none. secret_sent: how it wants the client's secret.

    who_prompt: what has it ask who somebody is, also where it thinks it knows; "" where nothing has.
    """

    issuer: str
    authorization: str
    token: str
    keys: str
    userinfo: str
    secret_sent: str
    who_prompt: str


def find_provider(client: OidcClient) -> OidcProvider:
    """Raises SignInError where it can't be reached, or describes itself in a way that nobody could be signed in."""
    document = kept_document(client.discovery)
    issuer = document.get("issuer")
    if not isinstance(issuer, str) or issuer.rstrip("/") + WELL_KNOWN != client.discovery:
        # The specification asks for it: else one issuer could describe another (OpenID Connect Discovery 1.0, 4.3).
        raise SignInError(
            f"The document at INTERACTEVAL_OIDC_DISCOVERY is that of another issuer, “{str(issuer)[:200]}”.",
            f"Whoever runs this server sets it to that address with {WELL_KNOWN} behind it.",
        )
    return OidcProvider(
        issuer,
        _address(document, "authorization_endpoint"),
        _address(document, "token_endpoint"),
        _address(document, "jwks_uri"),
        _address(document, "userinfo_endpoint") if document.get("userinfo_endpoint") else "",
        _secret_sent(document, client),
        next((prompt for prompt in _PROMPTS if prompt in document.get("prompt_values_supported", _PROMPTS)), ""),
    )


def signing_keys(provider: OidcProvider, anew: bool = False) -> KeySet:
    """Raises SignInError where they can't be had or read."""
    document: Any = kept_document(provider.keys, anew)
    try:
        return KeySet.import_key_set(cast(KeySetSerialization, document))
    except (JoseError, ValueError, TypeError, KeyError) as error:
        raise SignInError(f"{host_of(provider.keys)} sent keys that can't be read.", TELL) from error


def _address(document: Document, name: str) -> str:
    found = document.get(name)
    if not isinstance(found, str) or not is_safe(found):
        raise SignInError(f"The provider's “{name}” is no https address.", TELL)
    return found


def _secret_sent(document: Document, client: OidcClient) -> str:
    """In the body where the provider takes it there: how signs in a secret are written in a header is read in
    different ways. Where it says nothing, in the header."""
    taken = document.get("token_endpoint_auth_methods_supported") or [_BASIC]
    for way in (_POST, _BASIC):
        if way in taken:
            return way
    raise SignInError(f"{host_of(client.discovery)} takes no client secret.", TELL)
