"""Whatever goes wrong with a provider is a sentence a person can act on, and nothing secret is in it."""

import time
from collections.abc import Callable

import pytest

from app.errors import InputError
from app.oidc import forget_documents
from app.services.people.ways_to_sign_in import check_access_mode
from app.services.runtime.workbench import Workbench
from app.settings import settings
from tests.support.oidc_browser import HOST, at_provider, back, browser, is_in, refused, sign_in
from tests.support.oidc_provider import (
    CLIENT,
    SECRET,
    OidcProviderServer,
)

Set = Callable[..., None]


def test_documents_are_fetched_once_in_some_minutes_and_a_look_at_a_cookie_asks_nobody(
    bench: Workbench, provider: OidcProviderServer
) -> None:
    ana = browser()
    for _ in range(3):
        sign_in(provider, ana)
    asked = list(provider.asked)
    assert {path: asked.count(path) for path in set(asked)} == {
        "/.well-known/openid-configuration": 1,
        "/keys": 1,
        "/token": 3,
    }
    assert is_in(ana)
    assert provider.asked == asked


ERRORS = {
    "access_denied": ("didn't let you in, or you said no there", 403),
    "login_required": ("didn't let you in", 403),
    "temporarily_unavailable": ("can't sign anybody in now", 502),
    "invalid_scope": ("refuses this server's request", 502),
    "<b>made up</b>": ("refuses this server's request", 502),
}


def test_what_the_provider_says_went_wrong_is_a_sentence(
    bench: Workbench, provider: OidcProviderServer, subtests: pytest.Subtests
) -> None:
    for error, (said, status) in ERRORS.items():
        ana = browser()
        state = provider.authorize(at_provider(ana))["state"]
        with subtests.test(error):
            answer = back(ana, {"error": error, "error_description": "Call 0900 now", "state": state})
            refused(ana, answer, said, status)
            assert "made up" not in answer.text
            assert "0900" not in answer.text


BEGUN = {
    "down": ("", None, "doesn't answer"),
    "no JSON": ("/.well-known/openid-configuration", (200, "<html>"), "sent something unreadable"),
    "an error": ("/.well-known/openid-configuration", (500, "{}"), "sent something unreadable"),
    "a list": ("/.well-known/openid-configuration", (200, "[]"), "sent something unreadable"),
}


def test_a_provider_that_can_not_be_reached_is_a_sentence(
    bench: Workbench,
    provider: OidcProviderServer,
    set_up: Set,
    caplog: pytest.LogCaptureFixture,
    subtests: pytest.Subtests,
) -> None:
    for what, (path, answered, said) in BEGUN.items():
        forget_documents()
        caplog.clear()
        if answered:
            provider.answers = {path: answered}
        set_up(oidc_discovery=provider.discovery if answered else "http://127.0.0.1:1/.well-known/openid-configuration")
        one = browser()
        with subtests.test(what):
            refused(one, one.get("/sign-in"), said, 502)
            assert said in caplog.text
            assert SECRET not in caplog.text


def test_a_provider_that_is_down_keeps_nobody_waiting_and_is_found_again(
    bench: Workbench, provider: OidcProviderServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    provider.answers["/.well-known/openid-configuration"] = (503, "")
    one = browser()
    for _ in range(3):
        assert one.get("/sign-in").status_code == 502
    assert len(provider.asked) == 1
    provider.answers.clear()
    now = time.monotonic()
    monkeypatch.setattr("app.oidc.monotonic", lambda: now + 6)
    assert one.get("/sign-in").status_code == 303


DESCRIBED: list[tuple[dict[str, object], str]] = [
    ({"issuer": "https://evil.example"}, "that of another issuer"),
    ({"issuer": None}, "that of another issuer"),
    ({"token_endpoint": "http://provider.example/token"}, "“token_endpoint” is no https address"),
    ({"authorization_endpoint": "javascript:alert(1)"}, "“authorization_endpoint” is no https address"),
    ({"jwks_uri": None}, "“jwks_uri” is no https address"),
    ({"token_endpoint_auth_methods_supported": ["private_key_jwt"]}, "takes no client secret"),
]


def test_a_provider_that_describes_itself_otherwise_is_not_used(
    bench: Workbench, provider: OidcProviderServer, subtests: pytest.Subtests
) -> None:
    for document, said in DESCRIBED:
        forget_documents()
        provider.document = document
        one = browser()
        with subtests.test(str(document)):
            refused(one, one.get("/sign-in"), said, 502)


COME_BACK = {
    "token down": ("/token", (503, ""), "doesn't answer"),
    "token unreadable": ("/token", (200, "<html>"), "sent something unreadable"),
    "no ID token": ("/token", (200, '{"access_token": "x", "token_type": "Bearer"}'), "sent no ID token"),
    "another trouble": ("/token", (400, '{"error": "invalid_request"}'), "refuses this server's request"),
    "a gate before it": ("/token", (403, "no"), "doesn't know this server"),
    "keys down": ("/keys", (503, ""), "sent something unreadable"),
    "no keys": ("/keys", (200, '{"keys": []}'), "keys that can't be read"),
    "odd keys": ("/keys", (200, '{"keys": 1}'), "keys that can't be read"),
}


def test_a_provider_that_fails_half_way_is_a_sentence(
    bench: Workbench, provider: OidcProviderServer, subtests: pytest.Subtests
) -> None:
    for what, (path, answered, said) in COME_BACK.items():
        forget_documents()
        provider.answers = {path: answered}
        ana = browser()
        with subtests.test(what):
            refused(ana, sign_in(provider, ana), said, 502)


def test_a_wrong_secret_is_told_to_whoever_runs_the_server_and_stands_nowhere(
    bench: Workbench, provider: OidcProviderServer, set_up: Set, caplog: pytest.LogCaptureFixture
) -> None:
    set_up(oidc_secret="wr0ng-secret")
    ana = browser()
    answer = sign_in(provider, ana)
    refused(ana, answer, "checks INTERACTEVAL_OIDC_CLIENT and INTERACTEVAL_OIDC_SECRET", 502)
    assert "doesn't know this server" in caplog.text
    assert "wr0ng" not in answer.text + caplog.text


SETTINGS: list[tuple[dict[str, str], str]] = [
    ({"address": ""}, "INTERACTEVAL_ADDRESS isn't set"),
    ({"oidc_discovery": ""}, "INTERACTEVAL_OIDC_DISCOVERY isn't set"),
    ({"oidc_client": " "}, "INTERACTEVAL_OIDC_CLIENT isn't set"),
    ({"oidc_secret": ""}, "INTERACTEVAL_OIDC_SECRET isn't set"),
    ({"oidc_allowed": " , "}, "INTERACTEVAL_OIDC_ALLOWED isn't set"),
    ({"oidc_allowed": "ana@x.org lab"}, "“ana@x.org lab”, which is neither"),
    ({"oidc_discovery": "http://login.example.org"}, "“http://login.example.org”, which is no https address"),
    ({"oidc_discovery": "http://127.0.0.1.example.org"}, "no https address"),
    ({"oidc_discovery": "login.example.org"}, "no https address"),
    ({"oidc_discovery": "https://[::1"}, "no https address"),
]


def test_a_setting_that_is_missing_or_can_not_be_is_a_sentence_at_the_start(
    set_up: Set, provider: OidcProviderServer, subtests: pytest.Subtests
) -> None:
    usual = {"address": HOST, "oidc_discovery": provider.discovery}
    usual |= {"oidc_client": CLIENT, "oidc_secret": SECRET, "oidc_allowed": "lab.example"}
    for variables, said in SETTINGS:
        set_up(**{**usual, **variables})
        with subtests.test(str(variables)):
            with pytest.raises(InputError, match=said) as caught:
                check_access_mode("0.0.0.0")
            assert SECRET not in f"{caught.value} {settings()!r}"


def test_the_issuer_alone_names_its_document(bench: Workbench, provider: OidcProviderServer, set_up: Set) -> None:
    set_up(oidc_discovery=f"{provider.address}/")
    ana = browser()
    sign_in(provider, ana)
    assert is_in(ana)
