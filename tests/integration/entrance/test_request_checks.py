"""The guard: pages of other servers get nothing, files are for whose they are, and what isn't used is closed."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient, WebSocketDenialResponse, WebSocketTestSession
from starlette.websockets import WebSocket

from app.domain.sign_in import AccessMode
from app.entrance.request_checks import (
    OWN_HEADER,
    STREAMLIT_ROUTES,
    Guard,
    OwnAddresses,
    SessionOwners,
    Use,
    owner_of,
    use_of,
)
from app.entrance.streamlit_app import StreamlitApp
from app.limits import FILES_HELD
from app.services.people.ways_to_sign_in import BROWSER_COOKIE
from app.settings import names_of_server

PORT, MOST = 8501, 1000
HOST = f"http://127.0.0.1:{PORT}"
Set = Callable[..., None]


async def inside(request: Request) -> Response:
    await request.body()
    return HTMLResponse("the app", headers={"Access-Control-Allow-Origin": "*"})


async def stream(socket: WebSocket) -> None:
    await socket.accept()
    await socket.close()


@pytest.fixture
def owners() -> SessionOwners:
    return SessionOwners(MOST)


@pytest.fixture
def local(set_up: Set) -> None:
    set_up(access="local")


def client(owners: SessionOwners, token: str = "", address: str = "", scripts: tuple[str, ...] = ()) -> TestClient:
    own = OwnAddresses(names_of_server("127.0.0.1", ["lab.example"]), PORT, address)
    guard = Middleware(Guard, own=own, owners=owners, mode=AccessMode.LOCAL, start_token=token, scripts=scripts)
    methods = ["GET", "PUT", "POST", "DELETE"]
    routes = [WebSocketRoute("/_stcore/stream", stream), Route("/{path:path}", inside, methods=methods)]
    return TestClient(Starlette(routes=routes, middleware=[guard]), HOST, follow_redirects=False)


def connected(client: TestClient, origin: str | None = None, cookie: str = "") -> WebSocketTestSession:
    said = {name: value for name, value in (("Origin", origin), ("Cookie", cookie)) if value is not None}
    return client.websocket_connect("/_stcore/stream", headers={"Host": f"127.0.0.1:{PORT}", **said})


FOREIGN = [
    "http://127.0.0.1:8502",
    "http://127.0.0.1",
    "https://127.0.0.1:8501",
    "http://localhost:8501",
    "http://lab.example:8501",
    "https://share.streamlit.io",
    "null",
    "",
]


@pytest.mark.usefixtures("local")
@pytest.mark.parametrize("origin", FOREIGN)
def test_guard_foreign_origin_is_refused_everywhere(owners: SessionOwners, origin: str) -> None:
    asked = client(owners)
    for method, path in (("GET", "/"), ("GET", "/_stcore/host-config"), ("POST", "/leave"), ("PUT", "/data")):
        answer = asked.request(method, path, headers={"Origin": origin})
        assert (answer.status_code, "the app" in answer.text) == (403, False), (method, path)
    with pytest.raises(WebSocketDenialResponse), connected(asked, origin):
        pass


@pytest.mark.usefixtures("local")
def test_guard_own_origin_is_let_through(owners: SessionOwners) -> None:
    asked = client(owners)
    assert asked.post("/leave", headers={"Origin": HOST}).status_code == 200
    with connected(asked, HOST):
        pass


@pytest.mark.usefixtures("local")
def test_guard_change_without_origin_needs_a_proof(owners: SessionOwners) -> None:
    asked = client(owners)
    assert asked.post("/leave").status_code == 403
    for proof in ({OWN_HEADER: "1"}, {"Sec-Fetch-Site": "same-origin"}, {"Authorization": "Bearer x"}):
        assert asked.post("/leave", headers=proof).status_code == 200, proof
    with pytest.raises(WebSocketDenialResponse), connected(asked):
        pass


@pytest.mark.usefixtures("local")
@pytest.mark.parametrize("site", ["same-site", "cross-site", "else"])
def test_guard_fetch_metadata_of_other_sites_is_refused_but_for_visits(owners: SessionOwners, site: str) -> None:
    asked = client(owners)
    visit = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    assert asked.get("/data", headers=visit).status_code == 200
    for path, more in (
        ("/data", {"Sec-Fetch-Dest": "iframe"}),
        ("/data", {"Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"}),
        ("/media/a.png", {}),
        ("/_stcore/host-config", {}),
    ):
        assert asked.get(path, headers=visit | more).status_code == 403, (path, more)
    assert asked.post("/leave", headers=visit | {"Origin": HOST}).status_code == 403


@pytest.mark.usefixtures("local")
def test_guard_headers_are_on_every_answer_and_let_no_other_page_read(owners: SessionOwners) -> None:
    asked = client(owners, scripts=("let a = 1",))
    known = {"Origin": HOST}
    answers = [
        asked.get("/"),
        asked.get("/_stcore/metrics"),
        asked.get("/", headers={"Origin": "null"}),
        asked.get("/media/x"),
        asked.get("/", headers={"Host": "evil.example"}),
        asked.get("/", headers=known),
    ]
    assert [answer.status_code for answer in answers] == [200, 404, 403, 403, 403, 200]
    for answer in answers:
        policy = answer.headers["content-security-policy"]
        assert "frame-ancestors 'none'" in policy
        assert "'unsafe-inline'" not in policy.split("script-src ")[1].split(";")[0]
        assert "'sha256-" in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "same-origin"
        assert not [name for name in answer.headers if name.startswith("access-control-")]


@pytest.mark.usefixtures("local")
def test_guard_address_that_is_set_counts_with_its_scheme_and_port(owners: SessionOwners) -> None:
    asked = client(owners, address="https://lab.example:8443/bench")

    def status(origin: str, host: str) -> int:
        return asked.post("/leave", headers={"Origin": origin, "Host": host}).status_code

    assert status("https://lab.example:8443", "lab.example:8443") == 200
    assert status("https://lab.example:8443", "127.0.0.1:8501") == 200, "a proxy that names its own host"
    for other in ("http://lab.example:8443", "https://lab.example", "https://lab.example:9000"):
        assert status(other, "127.0.0.1:8501") == 403, other
    assert status("http://lab.example", "lab.example") == 403, "the address is https"


def owner(browser: str) -> dict[str, str]:
    return {"Cookie": f"{BROWSER_COOKIE}={browser}", "Origin": HOST}


@pytest.fixture
def sessions(owners: SessionOwners) -> SessionOwners:
    for name in ("ana", "ben"):
        owners.begin(f"of-{name}", owner_of({BROWSER_COOKIE: name}, {}))
        owners.open_upload(f"of-{name}", "asked-for")
        owners.share(f"picture-{name}", f"of-{name}")
    return owners


@pytest.mark.usefixtures("local")
def test_upload_is_taken_for_ones_own_session_and_an_address_it_asked_for(sessions: SessionOwners) -> None:
    asked, base = client(sessions), "/_stcore/upload_file"
    assert asked.put(f"{base}/of-ana/asked-for", headers=owner("ana")).status_code == 200
    for path, who in (("of-ben/asked-for", "ana"), ("of-ana/made-up", "ana"), ("gone/asked-for", "ana"),
                      ("of-ana/asked-for", "eve"), ("of-ana/asked-for", "")):  # fmt: skip
        assert asked.put(f"{base}/{path}", headers=owner(who)).status_code == 403, (path, who)
    assert asked.delete(f"{base}/of-ben/asked-for", headers=owner("ana")).status_code == 403


@pytest.mark.usefixtures("local")
def test_media_is_for_the_browser_it_was_made_for(sessions: SessionOwners) -> None:
    asked = client(sessions)
    found = [asked.get(f"/media/picture-{name}.png", headers=owner("ana")).status_code for name in ("ana", "ben", "x")]
    assert found == [200, 403, 403]
    sessions.forget("picture-ana")
    assert asked.get("/media/picture-ana.png", headers=owner("ana")).status_code == 403


@pytest.mark.usefixtures("local")
def test_upload_bytes_are_counted_before_they_are_kept(sessions: SessionOwners) -> None:
    asked, path = client(sessions), "/_stcore/upload_file/of-ana/asked-for"

    def pieces(count: int) -> Iterator[bytes]:
        yield from [b"x" * 100] * count

    assert asked.put(path, content=pieces(10), headers=owner("ana")).status_code == 200
    assert asked.put(path, content=pieces(11), headers=owner("ana")).status_code == 413
    sessions.keep("of-ana", "asked-for", 600)
    assert asked.put(path, content=b"x" * 401, headers=owner("ana")).status_code == 413
    assert asked.put(path, content=b"x" * 400, headers=owner("ana")).status_code == 200
    sessions.release_file("of-ana", "asked-for")
    assert asked.put(path, content=b"x" * 1000, headers=owner("ana")).status_code == 200


@pytest.mark.usefixtures("local")
def test_uploads_of_all_browsers_count_together_on_ones_own_computer(sessions: SessionOwners) -> None:
    asked, size = client(sessions), b"x" * 401
    path = "/_stcore/upload_file/of-{}/asked-for"
    assert asked.put(path.format("ben"), content=b"x" * 600, headers=owner("ben")).status_code == 200
    sessions.keep("of-ben", "asked-for", 600)
    assert asked.put(path.format("ana"), content=size, headers=owner("ana")).status_code == 413
    sessions.end("of-ben")
    assert asked.put(path.format("ana"), content=size, headers=owner("ana")).status_code == 200


def test_uploads_of_each_person_are_counted_apart(sessions: SessionOwners) -> None:
    for session, person in (("of-ana", 1), ("of-ben", 2)):
        sessions.begin_upload(session, person)
    sessions.keep("of-ana", "asked-for", MOST)
    assert [sessions.arriving(person, 1) for person in (1, 2)] == [False, True]


def test_upload_count_of_files_is_limited_for_a_person(sessions: SessionOwners) -> None:
    sessions.begin_upload("of-ana", 1)
    for number in range(FILES_HELD):
        sessions.keep("of-ana", str(number), 1)
    assert not sessions.arriving(1, 1)
    sessions.end("of-ana")
    assert sessions.arriving(1, 1)


@pytest.mark.usefixtures("local")
def test_start_token_link_lets_in_and_nothing_else_does(owners: SessionOwners) -> None:
    asked = client(owners, token="of-this-start")
    assert [asked.get(path).status_code for path in ("/", "/data", "/_stcore/host-config", "/metrics")] == [401] * 4
    assert [asked.get(path).status_code for path in ("/_stcore/health", "/healthz")] == [200, 200]
    assert asked.get("/?token=another").status_code == 403
    with pytest.raises(WebSocketDenialResponse), connected(asked, HOST):
        pass
    page = asked.get("/%5Cevil.example/?token=of-this-start&project=News")
    assert (page.status_code, 'content="0; url=/%5Cevil.example/?project=News"' in page.text) == (200, True)
    cookie = page.headers["set-cookie"]
    assert all(word in cookie for word in (f"_{PORT}=", "HttpOnly", "SameSite=strict", "Path=/"))
    assert asked.get("/").text == "the app"
    with connected(asked, HOST, cookie.partition(";")[0]):
        pass
    later = client(owners, token="of-the-next-start")
    later.cookies.update(asked.cookies)
    assert later.get("/").text == "the app", "a tab that is open goes on after a restart"


@pytest.mark.parametrize(
    ("path", "use"),
    [
        ("/_stcore/metrics", Use.CLOSED),
        ("/_stcore/agent/mcp", Use.CLOSED),
        ("/_stcore/of-a-later-version", Use.CLOSED),
        ("/_stcore/upload_file/a/b", Use.UPLOAD),
        ("/_stcore/upload_file/a/b/c", Use.CLOSED),
        ("/media/a/b.png", Use.MEDIA),
        ("/component/a/index.html", Use.CLOSED),
        ("/data", Use.OPEN),
    ],
)
def test_use_of_a_route(path: str, use: Use) -> None:
    assert use_of(path) is use


def test_every_route_of_the_installed_streamlit_is_listed() -> None:
    app = StreamlitApp(Path(__file__).resolve().parents[3] / "app" / "main.py", SessionOwners(1))
    found = {route.path for route in app._build_starlette_app().routes if hasattr(route, "path") and route.path}
    assert found == set(STREAMLIT_ROUTES)
