"""The door where a provider says who people are: who is let in, and what can't be made up."""

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient, WebSocketDenialResponse
from starlette.websockets import WebSocket

from app.domain.people.actor import Role
from app.entrance.door import door_routes
from app.entrance.gate import Gate
from app.errors import InputError
from app.oidc.documents import forget_documents
from app.services.people.invitations import accept_invitation, invite, invite_owner, revoke_access
from app.services.people.sign_ins import actor_of_cookie
from app.services.people.ways_in import SIGN_IN_COOKIE, check_way_in
from app.services.runtime.workbench import Workbench, open_workbench
from app.settings import settings
from tests.support.oidc_provider import CLIENT, SECRET, OidcProviderServer, oidc_provider, rsa_key, signed, unsigned
from tests.support.projects import ready_to_score

HOST = "http://testserver"
ATTEMPT = "interacteval_attempt"
Set = Callable[..., None]


async def inside(request: Request) -> PlainTextResponse:
    return PlainTextResponse("the app")


async def stream(socket: WebSocket) -> None:
    await socket.accept()
    await socket.send_text("the app")
    await socket.close()


@pytest.fixture
def provider() -> Iterator[OidcProviderServer]:
    forget_documents()
    with oidc_provider() as found:
        yield found
    forget_documents()


@pytest.fixture
def set_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, provider: OidcProviderServer) -> Iterator[Set]:
    """Sets the server's variables, in a data folder of the test's own."""

    def changed(**variables: str) -> None:
        for name, value in variables.items():
            monkeypatch.setenv(f"INTERACTEVAL_{name.upper()}", value)
        settings.cache_clear()

    changed(home=str(tmp_path / "home"), access="oidc", address=HOST, contact="the office")
    changed(oidc_discovery=provider.discovery, oidc_client=CLIENT, oidc_secret=SECRET, oidc_allowed="lab.example")
    yield changed
    settings.cache_clear()


@pytest.fixture
def bench(set_up: Set) -> Workbench:
    found = open_workbench()
    ready_to_score(found)
    return found


def browser(host: str = HOST) -> TestClient:
    """One with cookies of its own."""
    routes = [*door_routes(), WebSocketRoute("/_stcore/stream", stream), Route("/{path:path}", inside)]
    guarded = Starlette(routes=routes, middleware=[Middleware(Gate, mode=check_way_in("127.0.0.1"))])
    return TestClient(guarded, host, follow_redirects=False)


def at_provider(one: TestClient, path: str = "/sign-in") -> str:
    """Where the button sends the browser."""
    answer = one.get(path)
    assert answer.status_code == 303, answer.text
    return answer.headers["location"]


def back(one: TestClient, said: dict[str, str]) -> httpx2.Response:
    return one.get(f"/oidc-callback?{urlencode(said)}")


def sign_in(provider: OidcProviderServer, one: TestClient, path: str = "/sign-in", **claims: object) -> httpx2.Response:
    provider.claims |= claims
    return back(one, provider.authorize(at_provider(one, path)))


def is_in(one: TestClient) -> bool:
    answer = one.get("/")
    assert (answer.status_code, answer.text == "the app") in ((200, True), (401, False))
    return answer.status_code == 200


def refused(one: TestClient, answer: httpx2.Response, said: str, status: int) -> None:
    """With a sentence, a way on and nothing that is secret."""
    assert (answer.status_code, SIGN_IN_COOKIE in one.cookies, is_in(one)) == (status, False, False)
    text = " ".join(answer.text.replace("&#39;", "'").split())
    assert said in text
    assert "Sign in</a>" in text
    assert not any(secret in text for secret in (SECRET, "Traceback", "eyJ"))


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
        assert [(entry.who, entry.act) for entry in work.trail.of(None)][:1] == [("Ana Silva", "signed in")]


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


@pytest.mark.parametrize("ways", [["client_secret_basic"], ["client_secret_post", "client_secret_basic"], None])
def test_the_secret_goes_where_the_provider_wants_it(
    bench: Workbench, provider: OidcProviderServer, ways: list[str] | None
) -> None:
    provider.document = {"token_endpoint_auth_methods_supported": ways}
    ana = browser()
    assert sign_in(provider, ana).status_code == 303
    assert ("client_secret" in provider.exchanged[0]) == (ways is not None and "client_secret_post" in ways)
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
    """Forged, of another browser's sign-in, without a cookie, and with one that was made up or is for something else."""
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
    monkeypatch.setattr("itsdangerous.timed.time.time", lambda now=time.time() + 601: now)
    answer = back(ana, said)
    assert (answer.status_code, "more than 10 minutes" in answer.text) == (403, True)


NOW = int(time.time())
DAY = 24 * 3600
FORGED: dict[str, tuple[dict[str, object], str, int]] = {
    "of another sign-in": ({"nonce": "x"}, "answers another sign-in", 403),
    "without nonce": ({"nonce": None}, "answers another sign-in", 403),
    "for another client": ({"aud": "other"}, "for another server", 403),
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


@pytest.mark.parametrize("what", FORGED)
def test_a_token_that_is_not_meant_for_this_sign_in_is_refused(
    bench: Workbench, provider: OidcProviderServer, what: str
) -> None:
    claims, said, status = FORGED[what]
    claims = {k: v.format(issuer=provider.address) if isinstance(v, str) else v for k, v in claims.items()}
    ana = browser()
    refused(ana, sign_in(provider, ana, **claims), said, status)


def test_a_token_that_the_provider_did_not_sign_is_refused(bench: Workbench, provider: OidcProviderServer) -> None:
    from joserfc.jwk import OctKey

    public = OctKey.import_key(rsa_key("first").as_pem(private=False))
    for make in (
        lambda claims: signed(claims, rsa_key("foreign")),
        lambda claims: signed(claims, rsa_key("foreign"), kid="first"),
        lambda claims: signed(claims, rsa_key("foreign"), jku="https://evil.example/keys"),
        unsigned,
        lambda claims: signed(claims, public, "HS256", kid="first"),
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


@pytest.mark.parametrize("verified", [False, "false", 0, "no"])
def test_an_address_that_nobody_has_shown_to_be_theirs_counts_for_nothing(
    bench: Workbench, provider: OidcProviderServer, verified: object
) -> None:
    ana = browser()
    refused(ana, sign_in(provider, ana, email_verified=verified), "gives no address of yours", 403)


@pytest.mark.parametrize("verified", [True, "true", None])
def test_a_provider_may_say_nothing_of_whether_it_was_shown(
    bench: Workbench, provider: OidcProviderServer, verified: object
) -> None:
    ana = browser()
    sign_in(provider, ana, email_verified=verified)
    assert is_in(ana)


LISTED = "ana@x.example, @lab.example, Group.example"


@pytest.mark.parametrize(
    ("address", "comes_in"),
    [
        ("ana@x.example", True),
        ("ANA@X.Example", True),
        ("bea@lab.example", True),
        ("cy@group.example", True),
        ("bea@x.example", False),
        ("ana@evil-lab.example", False),
        ("ana@evil.lab.example", False),
        ("ana@lab.example.evil", False),
        ("ana@lab.example@evil.example", False),
        ("ana@evil.example@lab.example", False),
        ('"ana@evil.example"@lab.example', False),
        ("ana@evil.example\n@lab.example", False),
        ("ana @lab.example", False),
        ("@lab.example", False),
        ("lab.example", False),
        ("", False),
        (None, False),
        (["ana@lab.example"], False),
        ("a" * 300 + "@lab.example", False),
    ],
)
def test_only_listed_addresses_and_whole_domains_come_in(
    bench: Workbench, provider: OidcProviderServer, set_up: Set, address: object, comes_in: bool
) -> None:
    set_up(oidc_allowed=LISTED)
    one = browser()
    answer = sign_in(provider, one, email=address)
    assert (answer.status_code, is_in(one)) == ((303, True) if comes_in else (403, False))


def test_whoever_is_not_on_the_list_is_told_whom_to_ask_and_can_be_somebody_else(
    bench: Workbench, provider: OidcProviderServer
) -> None:
    one = browser()
    answer = sign_in(provider, one, email="ana@private.example")
    refused(one, answer, "ana@private.example isn't on the list of those who may come in. Ask the office", 403)
    assert "other=yes" in answer.text
    assert "prompt=select_account" in at_provider(one, "/sign-in?other=yes")
    with bench.database.read() as work:
        assert work.people.find(provider.address, "ana-1") is None


def test_what_a_person_is_called_elsewhere_is_shown_as_text(bench: Workbench, provider: OidcProviderServer) -> None:
    one = browser()
    page = sign_in(provider, one, email="<b>x</b>@evil.example")
    assert "<b>" not in page.text
    provider.claims |= {"email": "ana@lab.example", "name": "line\nbreak"}
    assert sign_in(provider, one).status_code == 303
    with bench.database.read() as work:
        person = work.people.find(provider.address, "ana-1")
        assert person is not None
        assert person.name == "ana@lab.example"


def test_whoever_is_taken_off_the_list_is_out_at_the_next_click(
    bench: Workbench, provider: OidcProviderServer, set_up: Set
) -> None:
    ana = browser()
    sign_in(provider, ana)
    set_up(oidc_allowed="bea@lab.example")
    assert not is_in(ana)
    set_up(oidc_allowed="ana@lab.example")
    assert is_in(ana)


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


def test_a_sign_in_that_was_ended_is_over(bench: Workbench, provider: OidcProviderServer) -> None:
    ana = browser()
    sign_in(provider, ana)
    kept = ana.cookies[SIGN_IN_COOKIE]
    assert "sign in again at any time" in ana.get("/leave").text
    page = ana.post("/leave", headers={"Origin": HOST})
    assert all(words in page.text for words in ("You are signed out", "127.0.0.1", "other=yes"))
    assert not is_in(ana)
    ana.cookies.set(SIGN_IN_COOKIE, kept)
    assert not is_in(ana)


def test_a_sign_in_does_not_last_for_ever(
    bench: Workbench, provider: OidcProviderServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    ana = browser()
    sign_in(provider, ana)
    monkeypatch.setattr("itsdangerous.timed.time.time", lambda now=time.time() + 7 * DAY + 1: now)
    assert not is_in(ana)


def link(bench: Workbench, name: str = "Ana", role: Role = Role.EXPERT) -> str:
    return f"/enter?key={invite(bench, 1, name, role).token}"


def test_a_link_alone_signs_nobody_in(bench: Workbench, provider: OidcProviderServer) -> None:
    stranger, address = browser(), link(bench)
    for answer in (stranger.get(address), stranger.post(address, headers={"Origin": HOST})):
        assert (answer.status_code, "set-cookie" in answer.headers) == (401, False)
        assert "Sign in first" in answer.text
        assert "Ana" not in answer.text
    assert not is_in(stranger)
    ana = browser()
    sign_in(provider, ana)
    assert "Welcome, Ana" in ana.get(address).text  # it wasn't used up


def test_a_link_leads_through_the_provider_and_gives_the_part(bench: Workbench, provider: OidcProviderServer) -> None:
    ana, address = browser(), link(bench)
    page = ana.get(address)
    begin = page.text.partition('href="')[2].partition('"')[0].replace("&amp;", "&").removeprefix(HOST)
    answer = sign_in(provider, ana, begin)
    assert answer.headers["location"] == HOST + address
    assert "You are signed in as Ana Silva." in ana.get(address).text
    cookie = ana.cookies[SIGN_IN_COOKIE]
    answer = ana.post(address, headers={"Origin": HOST})
    assert (answer.status_code, "set-cookie" in answer.headers, ana.cookies[SIGN_IN_COOKIE]) == (303, False, cookie)
    with bench.database.read() as work:
        person = work.people.find(provider.address, "ana-1")
        assert person is not None
        assert (work.people.actor(person.id).memberships[1].role, person.name) == (Role.EXPERT, "Ana Silva")
    revoke_access(bench, 1, "Ana")
    assert not is_in(ana)  # signed out, and free to sign in again without a part
    sign_in(provider, ana)
    assert is_in(ana)


def test_the_owners_link_makes_an_owner_of_whoever_signed_in(bench: Workbench, provider: OidcProviderServer) -> None:
    owner = browser()
    sign_in(provider, owner)
    assert owner.post(f"/enter?key={invite_owner(bench).token}").status_code == 303
    with bench.database.read() as work:
        assert [(one.issuer, one.subject) for one in work.people.owners()] == [(provider.address, "ana-1")]


def test_whoever_came_in_by_links_before_is_handed_on_by_a_new_one(
    bench: Workbench, provider: OidcProviderServer
) -> None:
    """Else a team that changes its way in would lose its people, and the server its owner."""
    accept_invitation(bench, invite(bench, 1, "Ana", Role.EXPERT).token)
    accept_invitation(bench, invite_owner(bench).token)
    ana, bea = browser(), browser()
    sign_in(provider, ana)
    sign_in(provider, bea, sub="bea-2", email="bea@lab.example")
    assert ana.post(link(bench)).status_code == 303
    assert ana.post(f"/enter?key={invite_owner(bench).token}").status_code == 303
    with bench.database.read() as work:
        (owner,) = work.people.owners()
        assert (owner.subject, work.people.actor(owner.id).memberships[1].name) == ("ana-1", "Ana")
    assert "who was here before" in bea.post(link(bench)).text  # Ana is the provider's now


def test_nobody_with_a_part_takes_another_ones_place_in_the_project(
    bench: Workbench, provider: OidcProviderServer
) -> None:
    accept_invitation(bench, invite(bench, 1, "Ana", Role.EXPERT).token)
    bea = browser()
    sign_in(provider, bea)
    assert bea.post(link(bench, "Bea", Role.READER)).status_code == 303
    answer = bea.post(link(bench, "Ana"))
    assert (answer.status_code, "This link is for" in answer.text) == (403, True)


def test_the_way_back_never_leads_to_another_server(bench: Workbench, provider: OidcProviderServer) -> None:
    for wished in ("https://evil.example", "//evil.example", "/\\evil.example", "@evil.example", ".evil", "/a\r\nX: y"):
        answer = sign_in(provider, browser(), f"/sign-in?{urlencode({'back': wished})}")
        assert urlsplit(answer.headers["location"]).netloc == "testserver", wished
        assert "x" not in answer.headers
    for wished in ("/sign-in?back=/", "/oidc-callback", "/leave", "/" + "a" * 5000, "", "score"):
        answer = sign_in(provider, browser(), f"/sign-in?{urlencode({'back': wished})}")
        assert answer.headers["location"] == f"{HOST}/", wished


@pytest.mark.parametrize(
    ("error", "said", "status"),
    [
        ("access_denied", "didn't let you in, or you said no there", 403),
        ("login_required", "didn't let you in", 403),
        ("temporarily_unavailable", "can't sign anybody in now", 502),
        ("invalid_scope", "refuses this server's request", 502),
        ("<b>made up</b>", "refuses this server's request", 502),
    ],
)
def test_what_the_provider_says_went_wrong_is_a_sentence(
    bench: Workbench, provider: OidcProviderServer, error: str, said: str, status: int
) -> None:
    ana = browser()
    state = provider.authorize(at_provider(ana))["state"]
    answer = back(ana, {"error": error, "error_description": "Call 0900 now", "state": state})
    refused(ana, answer, said, status)
    assert "made up" not in answer.text
    assert "0900" not in answer.text


def test_an_answer_that_names_another_provider_is_refused(bench: Workbench, provider: OidcProviderServer) -> None:
    ana = browser()
    said = provider.authorize(at_provider(ana))
    refused(ana, back(ana, said | {"iss": "https://evil.example"}), "from another provider", 403)
    said = provider.authorize(at_provider(ana))
    assert back(ana, said | {"iss": provider.address}).status_code == 303


BEGUN = {
    "down": ("", None, "doesn't answer"),
    "no JSON": ("/.well-known/openid-configuration", (200, "<html>"), "sent something unreadable"),
    "an error": ("/.well-known/openid-configuration", (500, "{}"), "sent something unreadable"),
    "a list": ("/.well-known/openid-configuration", (200, "[]"), "sent something unreadable"),
}


@pytest.mark.parametrize("what", BEGUN)
def test_a_provider_that_can_not_be_reached_is_a_sentence(
    bench: Workbench, provider: OidcProviderServer, set_up: Set, caplog: pytest.LogCaptureFixture, what: str
) -> None:
    path, answered, said = BEGUN[what]
    if answered:
        provider.answers[path] = answered
    else:
        set_up(oidc_discovery="http://127.0.0.1:1/.well-known/openid-configuration")
    one = browser()
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
    monkeypatch.setattr("app.oidc.documents.time.monotonic", lambda now=time.monotonic() + 6: now)
    assert one.get("/sign-in").status_code == 303


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ({"issuer": "https://evil.example"}, "that of another issuer"),
        ({"issuer": None}, "that of another issuer"),
        ({"token_endpoint": "http://provider.example/token"}, "“token_endpoint” is no https address"),
        ({"authorization_endpoint": "javascript:alert(1)"}, "“authorization_endpoint” is no https address"),
        ({"jwks_uri": None}, "“jwks_uri” is no https address"),
        ({"token_endpoint_auth_methods_supported": ["private_key_jwt"]}, "takes no client secret"),
    ],
)
def test_a_provider_that_describes_itself_otherwise_is_not_used(
    bench: Workbench, provider: OidcProviderServer, document: dict[str, object], said: str
) -> None:
    provider.document = document
    one = browser()
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


@pytest.mark.parametrize("what", COME_BACK)
def test_a_provider_that_fails_half_way_is_a_sentence(
    bench: Workbench, provider: OidcProviderServer, what: str
) -> None:
    path, answered, said = COME_BACK[what]
    provider.answers[path] = answered
    ana = browser()
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


@pytest.mark.parametrize(
    ("variables", "said"),
    [
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
    ],
)
def test_a_setting_that_is_missing_or_can_not_be_is_a_sentence_at_the_start(
    set_up: Set, variables: dict[str, str], said: str
) -> None:
    set_up(**variables)
    with pytest.raises(InputError, match=said) as caught:
        check_way_in("0.0.0.0")
    assert SECRET not in f"{caught.value} {settings()!r}"


def test_the_issuer_alone_names_its_document(bench: Workbench, provider: OidcProviderServer, set_up: Set) -> None:
    set_up(oidc_discovery=f"{provider.address}/")
    ana = browser()
    sign_in(provider, ana)
    assert is_in(ana)


@pytest.mark.parametrize("mode", ["local", "invite", "proxy"])
def test_the_other_ways_in_have_no_such_door(bench: Workbench, provider: OidcProviderServer, set_up: Set, mode: str) -> None:
    set_up(access=mode, proxy_header="X-Who", proxy_addresses="10.0.0.2")
    one = browser()
    for path in ("/sign-in", "/oidc-callback?state=x&code=y"):
        answer = one.get(path)
        assert (answer.status_code, answer.text == "the app") in ((200, mode == "local"), (401, False), (403, False))
    assert provider.asked == []


def test_whoever_is_in_acts_as_they_themselves(bench: Workbench, provider: OidcProviderServer) -> None:
    """The same subject at another address is the same person, and the same address under another subject another."""
    one, two, three = browser(), browser(), browser()
    sign_in(provider, one)
    sign_in(provider, two, email="silva@lab.example")
    sign_in(provider, three, sub="new-3")
    with bench.database.read() as work:
        people = [work.people.find(provider.address, subject) for subject in ("ana-1", "new-3")]
    assert all(people)
    assert len({person.id for person in people if person}) == 2
    assert replace(bench).actor.owner
