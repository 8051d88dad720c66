"""ID token: what the provider signs about a person, checked before a word of it is believed (OpenID Connect Core 1.0,
3.1.3.7)."""

from collections.abc import Callable
from typing import Any

from authlib.oidc.core import CodeIDToken
from joserfc import jwt
from joserfc.errors import ClaimError, ExpiredTokenError, InvalidKeyIdError, JoseError
from joserfc.jwk import KeySet

from app.errors import NotAllowedError, SignInError

ALGORITHMS = (
    *("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"),
    *("ES256", "ES384", "ES512", "EdDSA", "Ed25519"),
)
"""With a key of two halves each. Never "none", and never with a secret that others know too."""
CLOCKS_APART = 60
"""Seconds by which the two clocks may differ."""
_TIMES = ("iat", "nbf")

Claims = dict[str, Any]


def checked_claims(
    token: str, keys: Callable[[bool], KeySet], issuer: str, client: str, nonce: str, access_token: str = ""
) -> Claims:
    """What a token says that this issuer signed, for this client, in answer to this nonce, and that is still good.

    keys: the provider's, for True fetched anew. Raises SignInError or NotAllowedError, without anything of the token.
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
        raise (_clocks() if error.claim in _TIMES else _not_for_us(error.claim)) from error
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
        "What the provider sent doesn't bear its signature.",
        "Sign in again; if it stays so, tell whoever runs this server.",
    )


def _clocks() -> SignInError:
    return SignInError(
        "What the provider sent is too old, or not good yet: its clock and this server's differ.",
        "Sign in again; if it stays so, whoever runs this server sets its clock right.",
    )


def _not_for_us(claim: str) -> NotAllowedError:
    if claim == "nonce":
        return NotAllowedError("What the provider sent answers another sign-in.", "Sign in again.")
    return NotAllowedError(
        "What the provider sent is for another server, or from another issuer.",
        "If it stays so, whoever runs this server checks INTERACTEVAL_OIDC_DISCOVERY and INTERACTEVAL_OIDC_CLIENT.",
    )
