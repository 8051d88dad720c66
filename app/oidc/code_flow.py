"""Code flow: a browser is sent to the provider and comes back with a code, which this server changes into who it is.

Authorization code with PKCE (RFC 7636): the code is worth nothing without what this browser's cookie holds.
"""

import secrets
from dataclasses import dataclass, field
from typing import Any

import httpx2
from authlib.common.errors import AuthlibBaseError
from authlib.integrations.httpx_client import OAuth2Client

from app.errors import NotAllowedError, SignInError
from app.oidc.client import OidcClient
from app.oidc.documents import PATIENCE, fetch_document, host_of, no_answer, trusted_certificates
from app.oidc.id_token import Claims, checked_claims
from app.oidc.identity import Identity, identity_of
from app.oidc.provider import TELL, OidcProvider, find_provider, signing_keys

SCOPE = "openid email profile"
_BYTES = 32
_AGAIN = "Sign in again."


@dataclass(frozen=True, slots=True)
class Attempt:
    """One sign-in on its way, as the browser's cookie keeps it. back: the path on this server that it leads to."""

    state: str
    nonce: str
    verifier: str = field(repr=False)
    back: str


def new_attempt(back: str) -> Attempt:
    state, nonce, verifier = (secrets.token_urlsafe(_BYTES) for _ in range(3))
    return Attempt(state, nonce, verifier, back)


def address_to_sign_in(client: OidcClient, attempt: Attempt, redirect: str, other: bool = False) -> str:
    """Where the browser goes. other: as another than last time, where the provider would ask nothing."""
    provider = find_provider(client)
    more = {"prompt": provider.who_prompt} if other and provider.who_prompt else {}
    with _session(client, provider, redirect) as session:
        address, _ = session.create_authorization_url(
            provider.authorization,
            state=attempt.state,
            nonce=attempt.nonce,
            code_verifier=attempt.verifier,
            **more,
        )
    return str(address)


def identity_by_code(client: OidcClient, attempt: Attempt, code: str, redirect: str, said_by: str = "") -> Identity:
    """said_by: the issuer that the browser came back from, where it says so (RFC 9207).

    Raises SignInError or NotAllowedError, with a sentence a person can act on; nothing secret stands in it.
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
            "Whoever runs this server checks INTERACTEVAL_OIDC_CLIENT and INTERACTEVAL_OIDC_SECRET.",
        )
    if why.startswith("5"):
        return no_answer(provider.token)
    return SignInError(f"{host_of(provider.token)}, the sign-in provider, refuses this server's request.", TELL)


def _with_userinfo(claims: Claims, provider: OidcProvider, access: str) -> Claims:
    """Some providers keep the address out of the ID token. What is said of somebody else is no word about this one."""
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
