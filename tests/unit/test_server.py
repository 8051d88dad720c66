"""What stands before Streamlit: addresses of several parts, and halves of characters from a browser."""

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocket
from streamlit.proto.BackMsg_pb2 import BackMsg

from app.server import ScreenAddresses, WholeCharacters, with_whole_characters


async def reached(request: Request) -> PlainTextResponse:
    return PlainTextResponse(request.url.path)


async def echo(socket: WebSocket) -> None:
    await socket.accept()
    await socket.send_bytes(await socket.receive_bytes())
    await socket.close()


@pytest.fixture
def client() -> TestClient:
    routes = [Route("/{path:path}", reached), WebSocketRoute("/_stcore/stream", echo)]
    guards = [Middleware(ScreenAddresses), Middleware(WholeCharacters)]
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
