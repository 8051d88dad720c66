"""A token is believed with any key of two halves, and for as long as two clocks that differ a little say it is good."""

import time
from typing import Any

import pytest
from joserfc import jwt
from joserfc.jwk import ECKey, KeySet, OctKey, OKPKey, RSAKey

from app.errors import SignInError
from app.oidc import checked_claims

ISSUER, CLIENT, NONCE = "https://login.example", "workbench", "n"


def claims(**changed: Any) -> dict[str, Any]:
    now = int(time.time())
    return {"iss": ISSUER, "aud": CLIENT, "sub": "1", "iat": now, "exp": now + 60, "nonce": NONCE} | changed


def believed(key: Any, alg: str, said: dict[str, Any], shown: Any = None) -> dict[str, Any]:
    token = jwt.encode({"alg": alg, "kid": "k"}, said, key, [alg])
    keys = KeySet([shown or key])
    return checked_claims(token, lambda anew: keys, ISSUER, CLIENT, NONCE)


@pytest.mark.parametrize(
    ("alg", "key"),
    [
        ("RS256", RSAKey.generate_key(2048, {"kid": "k"})),
        ("PS384", RSAKey.generate_key(2048, {"kid": "k"})),
        ("ES256", ECKey.generate_key("P-256", {"kid": "k"})),
        ("ES512", ECKey.generate_key("P-521", {"kid": "k"})),
        ("Ed25519", OKPKey.generate_key("Ed25519", {"kid": "k"})),
    ],
)
def test_a_key_of_two_halves_is_believed(alg: str, key: Any) -> None:
    assert believed(key, alg, claims(aud=[CLIENT]))["sub"] == "1"
    with pytest.raises(SignInError, match="signature"):
        believed(key, alg, claims(), type(key).generate_key(*_size(key), {"kid": "k"}))


def _size(key: Any) -> tuple[Any, ...]:
    return (2048,) if isinstance(key, RSAKey) else (key.curve_name,)


def test_a_secret_that_the_provider_shows_to_all_signs_nothing() -> None:
    with pytest.raises(SignInError, match="signature"):
        believed(OctKey.generate_key(256, {"kid": "k"}), "HS256", claims())


KEY = ECKey.generate_key("P-256", {"kid": "k"})


@pytest.mark.parametrize(
    ("times", "good"),
    [
        ({"iat": 30, "exp": 300}, True),
        ({"iat": 90, "exp": 300}, False),
        ({"iat": -300, "exp": -30}, True),
        ({"iat": -300, "exp": -90}, False),
        ({"nbf": 30}, True),
        ({"nbf": 90}, False),
    ],
)
def test_clocks_may_differ_by_a_minute(times: dict[str, int], good: bool) -> None:
    now = int(time.time())
    said = claims(**{name: now + seconds for name, seconds in times.items()})
    if good:
        assert believed(KEY, "ES256", said)["sub"] == "1"
    else:
        with pytest.raises(SignInError, match="clock"):
            believed(KEY, "ES256", said)
