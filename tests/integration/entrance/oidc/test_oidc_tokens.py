"""What a provider signs is believed only where it is for this sign-in, from this provider, and still good."""

import time

import pytest

from app.services.runtime.workbench import Workbench
from tests.support.oidc_browser import DAY, at_provider, back, browser, is_in, refused, sign_in
from tests.support.oidc_provider import (
    CLIENT,
    OidcProviderServer,
    rsa_key,
    signed,
    signed_with_what_is_public,
    unsigned,
)

NOW = int(time.time())

FORGED: dict[str, tuple[dict[str, object], str, int]] = {
    "of another sign-in": ({"nonce": "x"}, "answers another sign-in", 403),
    "without nonce": ({"nonce": None}, "answers another sign-in", 403),
    "for another client": ({"aud": "other"}, "for another server", 403),
    "for another client, asked for by this one": ({"aud": "other", "azp": CLIENT}, "for another server", 403),
    "for others too, given to another": ({"aud": [CLIENT, "other"], "azp": "other"}, "for another server", 403),
    "for others too, given to nobody": ({"aud": [CLIENT, "other"]}, "for another server", 403),
    "for nobody": ({"aud": None}, "for another server", 403),
    "from another issuer": ({"iss": "https://evil.example"}, "from another issuer", 403),
    "from an issuer with a slash": ({"iss": "{issuer}/"}, "from another issuer", 403),
    "too old": ({"iat": NOW - DAY, "exp": NOW - DAY // 2}, "clock", 502),
    "without end": ({"exp": None}, "for another server", 403),
    "with an end that is no number": ({"exp": "never"}, "for another server", 403),
    "not good yet": ({"iat": NOW + DAY, "exp": NOW + 2 * DAY}, "clock", 502),
    "about nobody": ({"sub": None}, "for another server", 403),
    "about an empty name": ({"sub": ""}, "for another server", 403),
    "about a number": ({"sub": 7}, "for another server", 403),
    "with another access token": ({"at_hash": "x"}, "for another server", 403),
}


def test_a_token_that_is_not_meant_for_this_sign_in_is_refused(
    bench: Workbench, provider: OidcProviderServer, subtests: pytest.Subtests
) -> None:
    for what, (forged, said, status) in FORGED.items():
        provider.claims = {k: v.format(issuer=provider.address) if isinstance(v, str) else v for k, v in forged.items()}
        ana = browser()
        with subtests.test(what):
            refused(ana, sign_in(provider, ana), said, status)


def test_a_token_that_the_provider_did_not_sign_is_refused(bench: Workbench, provider: OidcProviderServer) -> None:
    for make in (
        lambda claims: signed(claims, rsa_key("foreign")),
        lambda claims: signed(claims, rsa_key("foreign"), kid="first"),
        lambda claims: signed(claims, rsa_key("foreign"), jku="https://evil.example/keys"),
        unsigned,
        lambda claims: signed_with_what_is_public(claims, rsa_key("first")),
        lambda claims: signed(claims, rsa_key("first"))[:-8] + "AAAAAAAA",
        lambda claims: "a.b.c",
        lambda claims: "x",
    ):
        ana = browser()
        said = provider.authorize(at_provider(ana))
        nonce = provider.codes[said["code"]]["nonce"]
        provider.token = make({**provider.usual_claims(nonce, "x"), "at_hash": "x"})
        refused(ana, back(ana, said), "doesn't bear its signature", 502)


def test_a_key_that_is_new_at_the_provider_is_fetched(bench: Workbench, provider: OidcProviderServer) -> None:
    assert sign_in(provider, browser()).status_code == 303
    provider.key, provider.shown_keys = "second", ("first", "second")
    ana = browser()
    assert sign_in(provider, ana).status_code == 303
    assert is_in(ana)


def test_an_answer_that_names_another_provider_is_refused(bench: Workbench, provider: OidcProviderServer) -> None:
    ana = browser()
    said = provider.authorize(at_provider(ana))
    refused(ana, back(ana, said | {"iss": "https://evil.example"}), "from another provider", 403)
    said = provider.authorize(at_provider(ana))
    assert back(ana, said | {"iss": provider.address}).status_code == 303


def test_an_address_that_is_kept_out_of_the_token_is_asked_for(bench: Workbench, provider: OidcProviderServer) -> None:
    ana = browser()
    provider.userinfo = {"sub": "ana-1", "email": "ana@lab.example", "email_verified": True}
    assert sign_in(provider, ana, email=None, email_verified=None).status_code == 303
    assert is_in(ana)
    for said in ({"sub": "bea-2"}, {"sub": None}, {}):
        provider.userinfo = {"email": "ana@lab.example"} | said
        one = browser()
        refused(one, sign_in(provider, one), "mixes up two people", 502)
    provider.userinfo = {"sub": "ana-1", "email": "ana@lab.example", "email_verified": False}
    one = browser()
    refused(one, sign_in(provider, one), "gives no address of yours", 403)
