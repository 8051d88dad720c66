"""The door where a provider says who people are: the button, the way there and back, and how long it lasts."""

from collections.abc import Callable
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from starlette.testclient import WebSocketDenialResponse

from app.domain.roles_and_rights import Role
from app.oidc import forget_documents
from app.services.people.invitations import accept_invitation, invite
from app.services.people.sign_ins import actor_of_cookie
from app.services.people.ways_to_sign_in import SIGN_IN_COOKIE
from app.services.runtime.workbench import Workbench
from tests.support.oidc_browser import ATTEMPT, DAY, HOST, at_provider, back, browser, is_in, later, refused, sign_in
from tests.support.oidc_provider import (
    CLIENT,
    OidcProviderServer,
)

Set = Callable[..., None]


def test_nothing_is_sent_to_somebody_unknown_but_the_button(bench: Workbench, provider: OidcProviderServer) -> None:
    unknown = browser()
    for path in ("/", "/score?project=Ready", "/media/a.png", "/_stcore/host-config", "/sign-in/x", "/oidc-callback/"):
        answer = unknown.get(path)
        assert (answer.status_code, "the app" in answer.text) == (401, False), path
    page = unknown.get("/score?project=Ready&a=b")
    assert f'href="{HOST}/sign-in?back=%2Fscore%3Fproject%3DReady%26a%3Db"' in page.text
    assert all(word in page.text for word in ("127.0.0.1", "ask the office"))
    assert "<script" not in page.text
    assert "default-src 'none'" in page.headers["content-security-policy"]
    with pytest.raises(WebSocketDenialResponse) as denied, unknown.websocket_connect("/_stcore/stream"):
        pass
    assert denied.value.status_code == 401
    assert provider.asked == []


def test_whoever_the_provider_knows_and_the_list_has_comes_in_without_a_part_in_any_project(
    bench: Workbench, provider: OidcProviderServer
) -> None:
    ana = browser()
    answer = sign_in(provider, ana, "/sign-in?back=%2Fscore%3Fproject%3DReady")
    assert (answer.status_code, answer.headers["location"]) == (303, f"{HOST}/score?project=Ready")
    assert is_in(ana)
    with ana.websocket_connect("/_stcore/stream") as socket:
        assert socket.receive_text() == "the app"
    with bench.database.read() as work:
        person = work.people.find(provider.address, "ana-1")
        assert person is not None
        assert (person.name, person.owner, person.seen_at is None) == ("Ana Silva", False, False)
        assert work.people.actor(person.id).memberships == {}
        assert [(entry.who, entry.act) for entry in work.audit_log.of(None)][:1] == [("Ana Silva", "signed in")]


def test_the_provider_is_asked_for_a_code_with_proof_state_and_nonce_of_this_browser(
    bench: Workbench, provider: OidcProviderServer
) -> None:
    one, other = browser(), browser()
    asked, others = ({k: v[0] for k, v in parse_qs(urlsplit(at_provider(b)).query).items()} for b in (one, other))
    assert asked["response_type"] == "code"
    assert asked["scope"].split() == ["openid", "email", "profile"]
    assert (asked["redirect_uri"], asked["client_id"]) == (f"{HOST}/oidc-callback", CLIENT)
    assert (asked["code_challenge_method"], "prompt" in asked) == ("S256", False)
    assert all(len(asked[name]) >= 43 for name in ("state", "nonce", "code_challenge"))
    assert {asked[name] == others[name] for name in ("state", "nonce", "code_challenge")} == {False}


def test_the_secret_goes_where_the_provider_wants_it(bench: Workbench, provider: OidcProviderServer) -> None:
    for ways in (["client_secret_basic"], ["client_secret_post", "client_secret_basic"], None):
        forget_documents()
        provider.document = {"token_endpoint_auth_methods_supported": ways}
        ana = browser()
        assert sign_in(provider, ana).status_code == 303
        in_body = ways is not None and "client_secret_post" in ways
        assert ("client_secret" in provider.exchanged[-1]) == in_body, ways
        assert is_in(ana)


def test_cookies_are_for_the_server_alone_and_travel_safely_where_the_address_is_safe(
    bench: Workbench, provider: OidcProviderServer, set_up: Set
) -> None:
    plain = browser().get("/sign-in").headers["set-cookie"]
    assert all(word in plain for word in (f"{ATTEMPT}=", "HttpOnly", "SameSite=lax", "Path=/", "Max-Age=600"))
    assert "Secure" not in plain
    set_up(address="https://workbench.example.org")
    ana = browser("https://workbench.example.org")
    safe = ana.get("/sign-in").headers["set-cookie"]
    assert safe.startswith(f"__Host-{ATTEMPT}=")
    assert all(word in safe for word in ("Secure", "HttpOnly", "SameSite=lax", "Path=/"))
    assert "Domain" not in safe
    kept = sign_in(provider, ana).headers.get_list("set-cookie")
    assert all("Secure" in cookie and "HttpOnly" in cookie and "SameSite=lax" in cookie for cookie in kept)
    assert is_in(ana)


def test_an_answer_that_this_browser_did_not_ask_for_signs_nobody_in(
    bench: Workbench, provider: OidcProviderServer
) -> None:
    """Forged, of another browser's sign-in, without a cookie, and with one that was made up."""
    thief, victim = browser(), browser()
    stolen = provider.authorize(at_provider(thief))
    refused(victim, back(victim, stolen), "wasn't begun in this browser", 403)
    at_provider(victim)
    for state in ("", "x", "é", stolen["state"]):
        refused(victim, back(victim, stolen | {"state": state}), "wasn't begun in this browser", 403)
    other = thief.cookies[ATTEMPT]
    for made_up in ("x", other[:-3] + "abc", other.partition(".")[0]):
        forger = browser()
        forger.cookies.set(ATTEMPT, made_up)
        refused(forger, back(forger, stolen), "wasn't begun in this browser", 403)
    assert provider.exchanged == []


def test_an_answer_that_was_not_asked_for_ends_no_sign_in_that_is_under_way(
    bench: Workbench, provider: OidcProviderServer
) -> None:
    ana = browser()
    said = provider.authorize(at_provider(ana))
    back(ana, {"state": "forged", "code": "x"})
    assert back(ana, said).status_code == 303
    assert is_in(ana)


def test_an_answer_counts_once(bench: Workbench, provider: OidcProviderServer) -> None:
    ana = browser()
    said = provider.authorize(at_provider(ana))
    kept = ana.cookies[ATTEMPT]
    assert back(ana, said).status_code == 303
    assert ATTEMPT not in ana.cookies
    assert back(ana, said).status_code == 403
    again = browser()
    again.cookies.set(ATTEMPT, kept)  # whoever kept the cookie too
    refused(again, back(again, said), "takes this sign-in no more", 403)


def test_an_attempt_does_not_wait_for_ever(
    bench: Workbench, provider: OidcProviderServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    ana = browser()
    said = provider.authorize(at_provider(ana))
    later(monkeypatch, 601)
    answer = back(ana, said)
    assert (answer.status_code, "more than 10 minutes" in answer.text) == (403, True)


def test_a_cookie_is_good_for_one_provider_and_one_way_in(
    bench: Workbench, provider: OidcProviderServer, set_up: Set
) -> None:
    ana = browser()
    sign_in(provider, ana)
    set_up(access="invite")
    assert not is_in(ana)
    set_up(access="oidc", oidc_discovery="https://other.example/.well-known/openid-configuration")
    assert not is_in(ana)
    _, invited = accept_invitation(bench, invite(bench, 1, "Ana", Role.EXPERT).token)
    set_up(oidc_discovery=provider.discovery)
    assert is_in(ana)
    for cookie in (invited, ana.cookies[SIGN_IN_COOKIE][:-2] + "zz", "x"):
        thief = browser()
        thief.cookies.set(SIGN_IN_COOKIE, cookie)
        assert not is_in(thief)
    assert actor_of_cookie(bench, ana.cookies[SIGN_IN_COOKIE]).person is None


def test_a_sign_in_that_was_ended_or_is_old_is_over(
    bench: Workbench, provider: OidcProviderServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    ana, bea = browser(), browser()
    sign_in(provider, ana)
    kept = ana.cookies[SIGN_IN_COOKIE]
    assert "sign in again at any time" in ana.get("/leave").text
    page = ana.post("/leave", headers={"Origin": HOST})
    assert all(words in page.text for words in ("You are signed out", "127.0.0.1", "other=yes"))
    assert not is_in(ana)
    ana.cookies.set(SIGN_IN_COOKIE, kept)
    assert not is_in(ana)
    sign_in(provider, bea, sub="bea-2", email="bea@lab.example")
    assert is_in(bea)
    later(monkeypatch, 7 * DAY + 1)
    assert not is_in(bea)


def test_the_way_back_never_leads_to_another_server(bench: Workbench, provider: OidcProviderServer) -> None:
    for wished in ("https://evil.example", "//evil.example", "/\\evil.example", "@evil.example", ".evil", "/a\r\nX: y"):
        answer = sign_in(provider, browser(), f"/sign-in?{urlencode({'back': wished})}")
        assert urlsplit(answer.headers["location"]).netloc == "testserver", wished
        assert "x" not in answer.headers
    for wished in ("/sign-in?back=/", "/oidc-callback", "/leave", "/" + "a" * 5000, "score"):
        answer = sign_in(provider, browser(), f"/sign-in?{urlencode({'back': wished})}")
        assert answer.headers["location"] == f"{HOST}/", wished


def test_the_other_ways_in_have_no_such_door(bench: Workbench, provider: OidcProviderServer, set_up: Set) -> None:
    for mode in ("local", "invite", "proxy"):
        set_up(access=mode, proxy_header="X-Who", proxy_addresses="10.0.0.2", address="http://localhost")
        one = browser()
        for path in ("/sign-in", "/oidc-callback?state=x&code=y"):
            answer = one.get(path)
            inside = answer.text == "the app"
            assert (answer.status_code, inside) in ((200, mode == "local"), (401, False), (403, False)), mode
    assert provider.asked == []
