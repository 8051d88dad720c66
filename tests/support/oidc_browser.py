"""A browser before the door where a provider says who people are."""

import time
from urllib.parse import urlencode

import httpx2
import pytest
from itsdangerous import TimestampSigner
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocket

from app.entrance.server_pages import Gate, sign_in_routes
from app.services.people.ways_to_sign_in import SIGN_IN_COOKIE, check_access_mode
from tests.support.oidc_provider import (
    SECRET,
    OidcProviderServer,
)

HOST = "http://testserver"
ATTEMPT = "interacteval_attempt"
DAY = 24 * 3600


async def inside(request: Request) -> PlainTextResponse:
    return PlainTextResponse("the app")


async def stream(socket: WebSocket) -> None:
    await socket.accept()
    await socket.send_text("the app")
    await socket.close()


def browser(host: str = HOST) -> TestClient:
    """One with cookies of its own."""
    routes = [*sign_in_routes(), WebSocketRoute("/_stcore/stream", stream), Route("/{path:path}", inside)]
    guarded = Starlette(routes=routes, middleware=[Middleware(Gate, mode=check_access_mode("127.0.0.1"))])
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


def later(monkeypatch: pytest.MonkeyPatch, seconds: int) -> None:
    """For the age of cookies."""
    then = int(time.time()) + seconds
    monkeypatch.setattr(TimestampSigner, "get_timestamp", lambda _: then)
