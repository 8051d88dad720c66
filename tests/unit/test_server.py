"""What stands before Streamlit: addresses of several parts, and halves of characters from a browser."""

from typing import Any, cast

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocket
from streamlit.config import get_config_options, get_option
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.runtime.app_session import AppSession, AppSessionState
from streamlit.runtime.scriptrunner import RerunData, RerunException, ScriptRunner
from streamlit.runtime.state import SafeSessionState, SessionState

from app import server
from app.entrance.streamlit_app import PINNED, run_callbacks_whole
from app.server import KnownBrowsers, ScreenAddresses, SurrogateFilter, with_whole_characters
from pages.components.shell.browser.page_scripts import BROWSER_COOKIE
from pages.components.shell.error_panel import error_panel


async def reached(request: Request) -> PlainTextResponse:
    return PlainTextResponse(request.url.path)


async def echo(socket: WebSocket) -> None:
    await socket.accept()
    await socket.send_bytes(await socket.receive_bytes())
    await socket.close()


@pytest.fixture
def client() -> TestClient:
    routes = [Route("/{path:path}", reached), WebSocketRoute("/_stcore/stream", echo)]
    guards = [Middleware(ScreenAddresses), Middleware(SurrogateFilter)]
    return TestClient(Starlette(routes=routes, middleware=guards), follow_redirects=False)


def typed(text: str) -> bytes:
    """What a browser sends after somebody typed this into a field; "<>" stands for half a character."""
    message = BackMsg()
    state = message.rerun_script.widget_states.widgets.add()
    state.id, state.string_value = "search", text.replace("<>", "@@@")
    sent: bytes = message.SerializeToString()
    return sent.replace(b"@@@", b"\xed\xa0\xbd")


@pytest.mark.parametrize(
    ("address", "goes_to"),
    [
        ("/data/x", "/data-x"),
        ("/results/1/?project=Demo&run=3", "/results-1?project=Demo&run=3"),
        ("/data%2Fx", "/data-x"),
        ("/%5Cevil.example/x", "/%5Cevil.example-x"),
    ],
)
def test_an_address_of_several_parts_leads_to_one_that_is_said_to_be_unknown(
    client: TestClient, address: str, goes_to: str
) -> None:
    answer = client.get(address, headers={"Accept": "text/html"})
    assert (answer.status_code, answer.headers["location"]) == (307, goes_to)


@pytest.mark.parametrize("address", ["/", "/data", "/_stcore/health", "/media/a.html", "/static/js/x.js"])
def test_what_the_server_has_is_reached(client: TestClient, address: str) -> None:
    assert client.get(address, headers={"Accept": "text/html"}).text == address


def test_half_a_character_in_a_field_does_not_end_the_connection(client: TestClient) -> None:
    with client.websocket_connect("/_stcore/stream") as socket:
        socket.send_bytes(typed("fer<>ry"))
        received = BackMsg.FromString(socket.receive_bytes())
    assert received.rerun_script.widget_states.widgets[0].string_value == "fer\ufffdry"


def test_a_message_that_can_be_read_stays_as_it_came() -> None:
    message = BackMsg()
    state = message.rerun_script.widget_states.widgets.add()
    state.bytes_value = b"\xed\xa0\xbd"  # bytes are no text
    for sent in (message.SerializeToString(), typed("a whole \U0001f600")):
        assert with_whole_characters(sent) == sent


async def page_or_code(request: Request) -> Response:
    return HTMLResponse("<p>") if request.url.path == "/" else PlainTextResponse("let a;")


def test_a_browser_gets_a_name_of_its_own_with_its_first_page() -> None:
    app = Starlette(routes=[Route("/{path:path}", page_or_code)], middleware=[Middleware(KnownBrowsers)])
    client = TestClient(app)
    assert "set-cookie" not in client.get("/code.js").headers
    cookie = client.get("/").headers["set-cookie"]
    assert cookie.startswith(f"{BROWSER_COOKIE}=")
    assert {"HttpOnly", "Path=/", "SameSite=lax"} == set(cookie.split("; ")[1:])
    assert "set-cookie" not in client.get("/").headers, "it has one"
    other = TestClient(app, base_url="https://testserver").get("/").headers["set-cookie"]
    assert other.split(";")[0] != cookie.split(";")[0]
    assert "Secure" in other


def test_server_shows_nothing_of_streamlits_own_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    made: dict[str, Any] = {}

    class Recorded:
        def __init__(self, *_: object, **options: object) -> None:
            made.update(options)

        def run(self, config: dict[str, object]) -> None:
            made.update(config)

    monkeypatch.setattr(server, "StreamlitApp", Recorded)
    monkeypatch.setattr(server, "read_own_options_alone", lambda: None)
    monkeypatch.setattr(server.signal, "signal", lambda *_: None)
    server.start("127.0.0.1", 8770, [], start_token="")
    assert made["on_script_error"] is error_panel
    assert (made["client.showErrorDetails"], made["client.showErrorLinks"]) == ("none", "false")
    assert all(name in get_config_options() for name in made if "." in name)


@pytest.mark.parametrize("before", [False, True])
def test_callbacks_of_a_click_are_not_interrupted(monkeypatch: pytest.MonkeyPatch, before: bool) -> None:
    """Another message of the browser arrives before a callback, or while it runs: it waits for the script's next step.
    Streamlit would drop the click that it took from the queue before."""
    monkeypatch.setattr(SafeSessionState, "on_script_will_rerun", SafeSessionState.on_script_will_rerun)
    arrived = before

    def interrupt() -> None:
        if arrived:
            raise RerunException(RerunData())

    class Callbacks:
        def on_script_will_rerun(self, *_: object, **__: object) -> None:
            nonlocal arrived
            arrived = True
            state["edit"] = "saved"
            state["open"] = "no"

        def __setitem__(self, key: str, value: str) -> None:
            kept[key] = value

    kept: dict[str, str] = {}
    state = SafeSessionState(cast(SessionState, Callbacks()), interrupt)
    run_callbacks_whole()
    state.on_script_will_rerun(None)
    assert kept == {"edit": "saved", "open": "no"}
    with pytest.raises(RerunException):
        state["later"] = "interrupted"


def test_a_click_never_starts_a_second_script_beside_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two scripts of one session take turns at the state of all fields: the older could forget the newer's click."""

    class Running:
        def request_rerun(self, _: RerunData) -> bool:
            heard.append("rerun")
            return True

        def request_stop(self) -> None:
            heard.append("stop")

    class Session:
        _state = AppSessionState.APP_IS_RUNNING
        _scriptrunner = Running()

        def _create_scriptrunner(self, _: RerunData) -> None:
            heard.append("second script")

    heard: list[str] = []
    monkeypatch.setattr("streamlit.config.get_option", lambda name: PINNED.get(name, get_option(name)))
    AppSession.request_rerun(cast(AppSession, Session()), None)
    assert heard == ["rerun"]


def test_a_callback_that_changes_the_address_is_not_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Streamlit's runner is interrupted at each message to the browser while its flag says that a script runs."""
    monkeypatch.setattr(SafeSessionState, "on_script_will_rerun", SafeSessionState.on_script_will_rerun)

    class Runner:
        _execing = True

        def interrupt(self) -> None:
            """Of no matter here."""

    class Callbacks:
        def on_script_will_rerun(self, *_: object, **__: object) -> None:
            seen.append(runner._execing)

    seen: list[bool] = []
    runner = Runner()
    assert hasattr(ScriptRunner, "_set_execing_flag"), "Streamlit's runner has another flag now"
    run_callbacks_whole()
    SafeSessionState(cast(SessionState, Callbacks()), runner.interrupt).on_script_will_rerun(None)
    assert (seen, runner._execing) == ([False], True)
