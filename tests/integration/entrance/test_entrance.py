"""The door: who is let in, who isn't, and that nothing of the app gets past it."""

from collections.abc import Callable

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient, WebSocketDenialResponse
from starlette.websockets import WebSocket

from app.domain.roles_and_rights import Role
from app.entrance.request_checks import Guard, OwnAddresses, SessionOwners, owner_of
from app.entrance.server_pages import sign_in_routes
from app.errors import InputError
from app.services.people.invitations import invite, invite_owner, revoke_access
from app.services.people.ways_to_sign_in import BROWSER_COOKIE, SIGN_IN_COOKIE, check_access_mode, set_address
from app.services.runtime.workbench import Workbench
from app.settings import names_of_server

HOST = "http://testserver"
Set = Callable[..., None]


async def inside(request: Request) -> PlainTextResponse:
    await request.body()
    return PlainTextResponse("the app")


async def stream(socket: WebSocket) -> None:
    await socket.accept()
    await socket.send_text("the app")
    await socket.close()


def browser(address: str = "203.0.113.9", owners: SessionOwners | None = None) -> TestClient:
    """One with cookies of its own, at this address."""
    routes = [
        *sign_in_routes(),
        WebSocketRoute("/_stcore/stream", stream),
        Route("/{path:path}", inside, methods=["GET", "PUT"]),
    ]
    own = OwnAddresses(names_of_server("127.0.0.1", ["testserver"]), 80, set_address())
    kept = owners or SessionOwners(1000)
    guard = Middleware(Guard, own=own, owners=kept, mode=check_access_mode("127.0.0.1"))
    client = TestClient(
        Starlette(routes=routes, middleware=[guard]), HOST, follow_redirects=False, client=(address, 50_000)
    )
    client.headers["Origin"] = set_address() or HOST
    return client


def link(bench: Workbench, name: str = "Ana", role: Role = Role.EXPERT, days: int = 14) -> str:
    return f"/enter?key={invite(bench, 1, name, role, days).token}"


def test_nothing_is_sent_to_somebody_unknown(bench: Workbench) -> None:
    unknown = browser()
    for path in ("/", "/score?project=Ready", "/media/a.png", "/_stcore/host-config", "/enter/", "/static"):
        answer = unknown.get(path)
        assert (answer.status_code, "the app" in answer.text) == (401, False), path
    assert "this server&#39;s owner" in unknown.get("/").text
    with pytest.raises(WebSocketDenialResponse) as refused, unknown.websocket_connect("/_stcore/stream"):
        pass
    assert refused.value.status_code == 401


def test_a_link_is_looked_at_without_being_used_up_and_then_lets_in(bench: Workbench) -> None:
    ana, address = browser(), link(bench)
    assert ana.head(address).status_code == 200
    assert "Welcome, Ana" in ana.get(address).text
    answer = ana.post(address, headers={"Origin": HOST})
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    assert ana.get("/").text == "the app"
    with ana.websocket_connect("/_stcore/stream") as socket:
        assert socket.receive_text() == "the app"


def test_the_cookie_is_for_the_server_alone_and_travels_safely_where_the_address_is_safe(
    bench: Workbench, set_up: Set
) -> None:
    plain = browser().post(link(bench)).headers["set-cookie"]
    assert all(word in plain for word in (f"{SIGN_IN_COOKIE}=", "HttpOnly", "SameSite=lax", "Path=/"))
    assert "Secure" not in plain
    set_up(address="https://workbench.example.org")
    safe = browser().post(link(bench)).headers["set-cookie"]
    assert safe.startswith(f"__Host-{SIGN_IN_COOKIE}=")
    assert "Secure" in safe


def test_a_link_that_another_used_an_old_one_and_a_made_up_one_say_so(bench: Workbench) -> None:
    used = link(bench)
    assert browser().post(used).status_code == 303
    thief = browser().post(used)
    assert (thief.status_code, "set-cookie" in thief.headers) == (403, False)
    assert "used already" in thief.text
    assert '<a href="/guide/facilitators.html#run-a-team">' in thief.text  # the guide is open at the door too
    assert "isn&#39;t one of this server&#39;s" in browser().post("/enter?key=x").text
    assert "isn&#39;t one of this server&#39;s" in browser().get("/enter").text


def test_a_forged_cookie_and_one_whose_part_was_taken_away_let_nobody_in(bench: Workbench) -> None:
    ana = browser()
    ana.post(link(bench))
    cookie = ana.cookies[SIGN_IN_COOKIE]
    assert ana.get("/").status_code == 200
    for forged in ("", "x", cookie[:-3] + "abc", cookie.partition(".")[0], f"{cookie}x"):
        thief = browser()
        thief.cookies.set(SIGN_IN_COOKIE, forged)
        assert thief.get("/").status_code == 401, forged
    revoke_access(bench, 1, "Ana")
    assert ana.get("/").status_code == 401


def test_a_form_on_another_servers_page_signs_nobody_in_or_out(bench: Workbench) -> None:
    others = ("http://evil.example", "null", "http://testserver.evil.example", "http://testserver:8080")
    others += ("http://testserver@evil.example", "")
    address, ana = link(bench), browser()
    for origin in others:
        assert ana.post(address, headers={"Origin": origin}).status_code == 403, origin
    assert ana.post(address).status_code == 303
    for origin in others:
        assert ana.post("/leave", headers={"Origin": origin}).status_code == 403, origin
        assert ana.get("/").text == "the app"


def test_signing_out(bench: Workbench) -> None:
    ana = browser()
    ana.post(link(bench))
    assert "Sign out of this browser?" in ana.get("/leave").text
    assert "You are signed out" in ana.post("/leave").text
    assert ana.get("/").status_code == 401


def test_whoever_opens_their_old_link_again_is_in_already(bench: Workbench) -> None:
    ana, address = browser(), link(bench)
    ana.post(address)
    assert ana.get(address).headers["location"] == "/"


def test_a_name_is_shown_as_text(bench: Workbench) -> None:
    page = browser().get(link(bench, "<script>alert(1)</script>"))
    assert "<script>" not in page.text
    assert "&lt;script&gt;" in page.text
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert page.headers["cache-control"] == "no-store"


def test_a_proxy_is_believed_only_at_its_own_address(bench: Workbench, set_up: Set) -> None:
    set_up(access="proxy", proxy_header="X-Who", proxy_addresses="10.0.0.2, ::1")
    known = {"X-Who": "ana@example.org"}
    assert browser("10.0.0.2").get("/", headers=known).text == "the app"
    for stranger in ("10.0.0.3", "203.0.113.9"):
        for headers in (known, {**known, "X-Forwarded-For": "10.0.0.2"}):
            answer = browser(stranger).get("/", headers=headers)
            assert (answer.status_code, "the app" in answer.text) == (403, False)
        with (
            pytest.raises(WebSocketDenialResponse),
            browser(stranger).websocket_connect("/_stcore/stream", headers=known),
        ):
            pass
    assert browser("10.0.0.3").get("/_stcore/health").status_code == 200
    assert browser("10.0.0.2").get("/").status_code == 401
    assert browser("10.0.0.2").get("/", headers={"X-Who": " "}).status_code == 401


def test_proxy_with_two_identity_headers_is_refused(bench: Workbench, set_up: Set) -> None:
    set_up(access="proxy", proxy_header="X-Who", proxy_addresses="10.0.0.2")
    twice = [("X-Who", "eve"), ("x-who", "ana@example.org")]
    assert browser("10.0.0.2").get("/", headers=twice).status_code == 403  # type: ignore[arg-type]


def test_uploads_of_one_person_in_several_browsers_count_together(bench: Workbench, set_up: Set) -> None:
    set_up(access="proxy", proxy_header="X-Who", proxy_addresses="10.0.0.2")
    owners = SessionOwners(1000)
    asked = browser("10.0.0.2", owners)
    for who in ("ana", "ben"):
        asked.post(link(bench, who), headers={"X-Who": who})

    def upload(who: str, tab: str, size: int) -> int:
        said = {"X-Who": who, "Cookie": f"{BROWSER_COOKIE}={tab}"}
        owners.begin(tab, owner_of({BROWSER_COOKIE: tab}, said))
        owners.open_upload(tab, "file")
        answer = asked.put(f"/_stcore/upload_file/{tab}/file", content=b"x" * size, headers=said).status_code
        if answer == 200:
            owners.keep(tab, "file", size)
        return answer

    assert [upload("ana", "first", 600), upload("ana", "second", 401), upload("ben", "third", 401)] == [200, 413, 200]
    owners.release_file("first", "file")
    assert upload("ana", "second", 401) == 200
    owners.end("second")
    assert upload("ana", "fourth", 1000) == 200


def test_a_link_gives_a_part_to_whom_a_proxy_vouches_for(bench: Workbench, set_up: Set) -> None:
    set_up(access="proxy", proxy_header="X-Who", proxy_addresses="10.0.0.2")
    ana = browser("10.0.0.2")
    answer = ana.post(link(bench), headers={"X-Who": "ana@example.org"})
    assert (answer.status_code, "set-cookie" in answer.headers) == (303, False)
    with bench.database.read() as work:
        person = work.people.find("proxy", "ana@example.org")
        assert person is not None
        assert work.people.actor(person.id).memberships[1].role is Role.EXPERT


def test_a_refusal_is_said_to_those_who_are_in_as_somebody_else(bench: Workbench, set_up: Set) -> None:
    ana, address = browser(), link(bench)
    ana.post(address)
    ben = browser()
    ben.post(link(bench, "Ben"))
    for answer in (ben.get(address), ben.post(address)):
        assert (answer.status_code, "used already" in answer.text) == (403, True)
    assert "isn&#39;t one of this server&#39;s" in ben.get("/enter?key=x").text
    set_up(access="proxy", proxy_header="X-Who", proxy_addresses="10.0.0.2")
    proxied = browser("10.0.0.2")
    assert "isn&#39;t one of this server&#39;s" in proxied.get("/enter?key=x", headers={"X-Who": "cy"}).text
    assert proxied.get("/enter?key=x", headers={"X-Who": "c" * 1000}).status_code == 403


def test_a_proxy_may_ask_by_another_name_than_browsers_do(bench: Workbench, set_up: Set) -> None:
    set_up(address="https://workbench.example.org/")
    at_proxy = {"Origin": "https://workbench.example.org:443"}
    assert browser().post(link(bench), headers=at_proxy).status_code == 303
    assert browser().post(link(bench, "Ben"), headers={"Origin": "https://example.org"}).status_code == 403


def test_a_header_says_nothing_where_no_proxy_is_trusted(bench: Workbench, set_up: Set) -> None:
    set_up(proxy_header="X-Who", proxy_addresses="203.0.113.9")
    assert browser().get("/", headers={"X-Who": "ana@example.org"}).status_code == 401


def test_on_ones_own_computer_there_is_no_door(bench: Workbench, set_up: Set) -> None:
    set_up(access="local")
    assert browser("127.0.0.1").get("/").text == "the app"


@pytest.mark.parametrize("header", ["X-Forwarded-For", "Forwarded", "X-Real-IP", "X-Forwarded-Host"])
def test_a_proxy_before_a_server_where_nobody_signs_in_gets_nothing(set_up: Set, header: str) -> None:
    set_up(access="local")
    passed_on = {header: "203.0.113.9"}
    answer = browser("127.0.0.1").get("/", headers=passed_on)
    assert (answer.status_code, "INTERACTEVAL_ACCESS" in answer.text) == (403, True)
    with (
        pytest.raises(WebSocketDenialResponse) as refused,
        browser("127.0.0.1").websocket_connect("/_stcore/stream", headers=passed_on),
    ):
        pass
    assert refused.value.status_code == 403


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.7", "::", "workbench.example.org"])
def test_everybodys_network_needs_a_way_to_know_people(set_up: Set, host: str) -> None:
    set_up(access="local")
    with pytest.raises(InputError, match="everybody who reaches this computer"):
        check_access_mode(host)
    set_up(access="invite")
    check_access_mode(host)


@pytest.mark.parametrize("name", ["workbench.example.org", "*.lab.example", "*", "192.0.2.7"])
def test_names_for_others_need_a_way_to_know_people(set_up: Set, name: str) -> None:
    set_up(access="local")
    with pytest.raises(InputError, match="nobody would have to sign in") as refused:
        check_access_mode("127.0.0.1", [name])
    assert "INTERACTEVAL_ACCESS to invite, proxy or oidc" in refused.value.hint
    set_up(access="invite")
    check_access_mode("127.0.0.1", [name])


def test_an_address_for_others_needs_a_way_to_know_people(set_up: Set) -> None:
    set_up(access="local", address="https://workbench.example.org")
    with pytest.raises(InputError, match=r"INTERACTEVAL_ADDRESS .*workbench\.example\.org"):
        check_access_mode("127.0.0.1")
    for here in ("http://localhost:8501", "http://127.0.0.1:8501", "http://bench.localhost", "http://[::1]:8501"):
        set_up(address=here)
        check_access_mode("127.0.0.1", ["bench.localhost", "[::1]", "LocalHost"])


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost", "127.1.2.3"])
def test_this_computer_alone_needs_none(set_up: Set, host: str) -> None:
    set_up(access="local")
    check_access_mode(host)


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({"access": "open"}, "INTERACTEVAL_ACCESS is “open”"),
        ({"access": "invite", "address": "workbench.example.org"}, "“workbench.example.org”, which is no address"),
        ({"access": "invite", "address": "http://[::1"}, "no address"),
        ({"access": "proxy"}, "has to be named"),
        ({"access": "proxy", "proxy_header": "X-Who"}, "has to be named"),
        ({"access": "proxy", "proxy_header": "X-Who", "proxy_addresses": "proxy.local"}, "“proxy.local”"),
    ],
)
def test_a_setting_that_can_not_be_is_a_sentence(set_up: Set, variables: dict[str, str], said: str) -> None:
    set_up(**variables)
    with pytest.raises(InputError, match=said):
        check_access_mode("127.0.0.1")


def test_the_owners_link_opens_without_a_project(bench: Workbench) -> None:
    owner = browser()
    assert owner.post(f"/enter?key={invite_owner(bench).token}").status_code == 303
    assert owner.get("/").text == "the app"
