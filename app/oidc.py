"""Sign-in by OpenID Connect: discovery, authorization code with PKCE, and the checked ID token."""

import ipaddress
import secrets
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from threading import Lock
from time import monotonic
from typing import Any, cast
from urllib.parse import urlsplit

import httpx2
from authlib.common.errors import AuthlibBaseError
from authlib.integrations.httpx_client import OAuth2Client
from authlib.oidc.core import CodeIDToken
from joserfc import jwt
from joserfc.errors import ClaimError, ExpiredTokenError, InvalidKeyIdError, JoseError
from joserfc.jwk import KeySet, KeySetSerialization

from app.domain.sign_in import plain_address
from app.domain.storable_text import NAME_LIMIT, checked_name, is_storable
from app.errors import InputError, NotAllowedError, SignInError
from app.settings import settings

CALLBACK = "/oidc-callback"
"""The path on this server to which the provider sends the browser back."""
WELL_KNOWN = "/.well-known/openid-configuration"


@dataclass(frozen=True, slots=True)
class OidcClient:
    """This server's registration at the provider. discovery: the address of the provider's discovery document."""

    discovery: str
    id: str
    secret: str = field(repr=False)

    @property
    def host(self) -> str:
        """Return the host of the sign-in page."""
        return urlsplit(self.discovery).hostname or ""


def oidc_client() -> OidcClient:
    """Return the client from the settings. Raises InputError for the first missing or invalid setting."""
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
    """Return whether a connection to this address is private: https, or this computer."""
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


KEPT = 600.0
"""Seconds that documents are cached. Providers rarely change keys, and announce new ones before they use them."""
TRIED_AGAIN = 5.0
"""Seconds before a document that couldn't be had is asked for anew: else everybody would wait for a provider that is
down, one behind the other."""
PATIENCE = httpx2.Timeout(5.0)
_ASK = "Try again in a minute; if it stays so, tell this server's owner."

Document = dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Kept:
    until: float
    document: Document
    trouble: str = ""


_kept: dict[str, _Kept] = {}
_fetching = Lock()


def cached_document(address: str, anew: bool = False) -> Document:
    """Return the JSON document at this address, cached. anew: fetch it again. Raises SignInError if it can't be
    fetched."""
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
    """Fetch a JSON document. token: bearer token for a protected document. Raises SignInError if it can't be
    fetched."""
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
    """Return the certificates that this computer trusts."""
    return httpx2.create_ssl_context()


ALGORITHMS = (*("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"), *("ES256", "ES384", "ES512", "EdDSA", "Ed25519"))
"""Algorithms with a public key. Never "none", and never a shared secret."""
CLOCKS_APART = 60
"""Seconds by which the two clocks may differ."""

Claims = dict[str, Any]


def checked_claims(
    token: str, keys: Callable[[bool], KeySet], issuer: str, client: str, nonce: str, access_token: str = ""
) -> Claims:
    """Return the claims of an ID token after checking its signature, issuer, client, nonce and expiry.

    keys: returns the provider's keys, for True fetched anew. Raises SignInError or NotAllowedError; neither quotes the
    token.
    """
    signed = _signed(token, keys)
    essential = {"essential": True}
    options = {"iss": essential | {"value": issuer}, "aud": essential | {"value": client}, "sub": essential}
    asked = {"nonce": nonce, "client_id": client, "access_token": access_token}
    try:
        CodeIDToken(signed.claims, signed.header, options, asked).validate(leeway=CLOCKS_APART)
    except ExpiredTokenError as error:
        raise _clocks() from error
    except ClaimError as error:
        raise (_clocks() if error.claim in ("iat", "nbf") else _not_for_us(error.claim)) from error
    except (JoseError, ValueError, TypeError, AttributeError) as error:
        raise _unreadable() from error
    return signed.claims


def _signed(token: str, keys: Callable[[bool], KeySet]) -> jwt.Token:
    try:
        try:
            return jwt.decode(token, keys(False), ALGORITHMS)
        except InvalidKeyIdError:  # a key that is newer than those that are kept
            return jwt.decode(token, keys(True), ALGORITHMS)
    except (JoseError, ValueError, TypeError, AttributeError) as error:
        raise _unreadable() from error


def _unreadable() -> SignInError:
    return SignInError(
        "What the provider sent doesn't bear its signature.", "Sign in again; if it stays so, tell this server's owner."
    )


def _clocks() -> SignInError:
    return SignInError(
        "What the provider sent is too old, or not good yet: its clock and this server's differ.",
        "Sign in again; if it stays so, this server's owner sets its clock right.",
    )


def _not_for_us(claim: str) -> NotAllowedError:
    if claim == "nonce":
        return NotAllowedError("What the provider sent answers another sign-in.", "Sign in again.")
    return NotAllowedError(
        "What the provider sent is for another server, or from another issuer.",
        "If it stays so, this server's owner checks INTERACTEVAL_OIDC_DISCOVERY and INTERACTEVAL_OIDC_CLIENT.",
    )


_LONGEST_SUBJECT = 255


@dataclass(frozen=True, slots=True)
class Identity:
    """The identity of a person who signed in. `subject` identifies a person permanently; address and name can change.
    address: in lower case, "" if the provider gives none or says that it isn't verified."""

    issuer: str
    subject: str
    name: str
    address: str


def identity_of(claims: Mapping[str, Any]) -> Identity:
    """Return the identity in verified claims. Raises SignInError if they name nobody."""
    issuer, subject = claims["iss"], claims["sub"]
    if not isinstance(subject, str) or not 0 < len(subject) <= _LONGEST_SUBJECT or not is_storable(subject):
        raise SignInError("The provider doesn't say who you are.", "Tell this server's owner.")
    address = _address(claims)
    return Identity(issuer, subject, _name(claims.get("name")) or address[:NAME_LIMIT] or "Somebody", address)


def _address(claims: Mapping[str, Any]) -> str:
    """Return the claimed address, "" if it is unverified. Some providers send true and false as words, some omit the
    claim."""
    verified, written = claims.get("email_verified"), claims.get("email")
    shown = verified is None or str(verified).lower() == "true"
    return plain_address(written) if shown and isinstance(written, str) else ""


def _name(written: Any) -> str:
    try:
        return checked_name(written, "person") if isinstance(written, str) else ""
    except InputError:
        return ""


TELL = "Tell this server's owner."
_PROMPTS = ("select_account", "login")
_BASIC, _POST = "client_secret_basic", "client_secret_post"


@dataclass(frozen=True, slots=True)
class OidcProvider:
    """The provider as its discovery document describes it: issuer and the addresses of the endpoints; userinfo: "" if
    there is none. secret_sent: how the token endpoint takes the client's secret. who_prompt: the `prompt` parameter
    that makes the provider ask who is signing in even if it has a session, "" if it supports none."""

    issuer: str
    authorization: str
    token: str
    keys: str
    userinfo: str
    secret_sent: str
    who_prompt: str


def find_provider(client: OidcClient) -> OidcProvider:
    """Return the provider from its discovery document. Raises SignInError if it can't be fetched or is unusable."""
    document = cached_document(client.discovery)
    issuer = document.get("issuer")
    if not isinstance(issuer, str) or issuer.rstrip("/") + WELL_KNOWN != client.discovery:
        # The specification asks for it: else one issuer could describe another (OpenID Connect Discovery 1.0, 4.3).
        raise SignInError(
            f"The document at INTERACTEVAL_OIDC_DISCOVERY is that of another issuer, “{str(issuer)[:200]}”.",
            f"This server's owner sets it to that address with {WELL_KNOWN} behind it.",
        )
    return OidcProvider(
        issuer,
        _endpoint(document, "authorization_endpoint"),
        _endpoint(document, "token_endpoint"),
        _endpoint(document, "jwks_uri"),
        _endpoint(document, "userinfo_endpoint") if document.get("userinfo_endpoint") else "",
        _secret_sent(document, client),
        next((prompt for prompt in _PROMPTS if prompt in document.get("prompt_values_supported", _PROMPTS)), ""),
    )


def signing_keys(provider: OidcProvider, anew: bool = False) -> KeySet:
    """Return the keys with which the provider signs. anew: fetch them again. Raises SignInError if they can't be
    fetched or parsed."""
    document: Any = cached_document(provider.keys, anew)
    try:
        return KeySet.import_key_set(cast(KeySetSerialization, document))
    except (JoseError, ValueError, TypeError, KeyError) as error:
        raise SignInError(f"{host_of(provider.keys)} sent keys that can't be read.", TELL) from error


def _endpoint(document: Document, name: str) -> str:
    found = document.get(name)
    if not isinstance(found, str) or not is_safe(found):
        raise SignInError(f"The provider's “{name}” is no https address.", TELL)
    return found


def _secret_sent(document: Document, client: OidcClient) -> str:
    """Return how to send the client's secret: in the body if the provider allows it, because providers decode special
    characters in the header differently; else, and by default, in the header."""
    taken = document.get("token_endpoint_auth_methods_supported") or [_BASIC]
    for way in (_POST, _BASIC):
        if way in taken:
            return way
    raise SignInError(f"{host_of(client.discovery)} takes no client secret.", TELL)


SCOPE = "openid email profile"
_BYTES = 32
_AGAIN = "Sign in again."


@dataclass(frozen=True, slots=True)
class Attempt:
    """A sign-in in progress, as stored in the browser's cookie. back: the path on this server to return to."""

    state: str
    nonce: str
    verifier: str = field(repr=False)
    back: str


def new_attempt(back: str) -> Attempt:
    state, nonce, verifier = (secrets.token_urlsafe(_BYTES) for _ in range(3))
    return Attempt(state, nonce, verifier, back)


def address_to_sign_in(client: OidcClient, attempt: Attempt, redirect: str, other: bool = False) -> str:
    """Return the address to which the browser is sent. other: let the user choose another account."""
    provider = find_provider(client)
    more = {"prompt": provider.who_prompt} if other and provider.who_prompt else {}
    with _session(client, provider, redirect) as session:
        address, _ = session.create_authorization_url(
            provider.authorization, state=attempt.state, nonce=attempt.nonce, code_verifier=attempt.verifier, **more
        )
    return str(address)


def identity_by_code(client: OidcClient, attempt: Attempt, code: str, redirect: str, said_by: str = "") -> Identity:
    """Exchange the authorization code for the checked identity. said_by: the issuer that the provider's answer names,
    "" for none (RFC 9207).

    Raises SignInError or NotAllowedError with a message the user can act on; it holds nothing secret.
    """
    provider = find_provider(client)
    if said_by not in ("", provider.issuer):
        raise NotAllowedError("This answer is from another provider.", _AGAIN)
    reply = _change(client, provider, attempt, code, redirect)
    token, access = reply.get("id_token"), reply.get("access_token")
    if not isinstance(token, str):
        raise SignInError(f"{host_of(provider.token)} doesn't say who you are (it sent no ID token).", TELL)
    access = access if isinstance(access, str) else ""
    claims = checked_claims(
        token, lambda anew: signing_keys(provider, anew), provider.issuer, client.id, attempt.nonce, access
    )
    if not claims.get("email") and provider.userinfo and access:
        claims = _with_userinfo(claims, provider, access)
    return identity_of(claims)


def _change(client: OidcClient, provider: OidcProvider, attempt: Attempt, code: str, redirect: str) -> dict[str, Any]:
    try:
        with _session(client, provider, redirect) as session:
            return dict(
                session.fetch_token(
                    provider.token, grant_type="authorization_code", code=code, code_verifier=attempt.verifier
                )
            )
    except AuthlibBaseError as error:
        # Without the cause: what the provider writes in its own words may hold what it was asked.
        raise _refusal(provider, str(error.error)) from None
    except httpx2.HTTPStatusError as error:
        raise _refusal(provider, str(error.response.status_code)) from None
    except (httpx2.HTTPError, httpx2.InvalidURL):
        raise no_answer(provider.token) from None
    except (ValueError, TypeError):
        raise SignInError(
            f"{host_of(provider.token)}, the sign-in provider, sent something unreadable.", TELL
        ) from None


def _refusal(provider: OidcProvider, why: str) -> SignInError | NotAllowedError:
    if why == "invalid_grant":
        return NotAllowedError("The provider takes this sign-in no more; each is good once, for some minutes.", _AGAIN)
    if why in ("invalid_client", "unauthorized_client", "401", "403"):
        return SignInError(
            f"{host_of(provider.token)} doesn't know this server, or its secret is wrong or too old.",
            "This server's owner checks INTERACTEVAL_OIDC_CLIENT and INTERACTEVAL_OIDC_SECRET.",
        )
    if why.startswith("5"):
        return no_answer(provider.token)
    return SignInError(f"{host_of(provider.token)}, the sign-in provider, refuses this server's request.", TELL)


def _with_userinfo(claims: Claims, provider: OidcProvider, access: str) -> Claims:
    """Return the claims with address and name from the userinfo endpoint. Some providers keep them out of the ID token.
    Raises SignInError if the answer is about another subject."""
    said = fetch_document(provider.userinfo, access)
    if said.get("sub") != claims.get("sub"):
        raise SignInError("The provider mixes up two people.", TELL)
    return claims | {str(name): said[name] for name in ("email", "email_verified", "name") if name in said}


def _session(client: OidcClient, provider: OidcProvider, redirect: str) -> Any:
    return OAuth2Client(
        client.id,
        client.secret,
        token_endpoint_auth_method=provider.secret_sent,
        scope=SCOPE,
        redirect_uri=redirect,
        code_challenge_method="S256",
        verify=trusted_certificates(),
        timeout=PATIENCE,
    )
