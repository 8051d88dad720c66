"""The server answers to its own names alone, and asks nobody which these are."""

import http.client
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.conftest import ATTEMPTS, App, served
from tests.support import network_guard

HANDSHAKE = {
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    "Sec-WebSocket-Version": "13",
}
OWN = ("localhost", "127.0.0.1", "[::1]", "LocalHost.")
FOREIGN = ("evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "10.1.2.3", "", "a b", "localhost@evil")
PATHS = ("/", "/_stcore/health", "/_stcore/host-config", "/_stcore/upload_file/a/b", "/media/a")


@pytest.fixture
def attempts(tmp_path: Path) -> Path:
    return tmp_path / ATTEMPTS


@pytest.fixture
def environment(attempts: Path) -> dict[str, str]:
    return {network_guard.LOG: str(attempts)}


def status(app: App, path: str, host: str, headers: dict[str, str] | None = None) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", app.port, timeout=30)
    connection.putrequest("GET", path, skip_host=True)
    for name, value in {"Host": host, **(headers or {})}.items():
        connection.putheader(name, value)
    connection.endheaders()
    try:
        return connection.getresponse().status
    finally:
        connection.close()


def socket_status(app: App, host: str, origin: str = "", headers: dict[str, str] | None = None) -> int:
    """101 where the server takes the WebSocket that drives the whole app."""
    return status(app, "/_stcore/stream", host, HANDSHAKE | ({"Origin": origin} if origin else {}) | (headers or {}))


def test_only_its_own_names_are_answered(served_demo: App) -> None:
    app = served_demo
    known = {"Cookie": "; ".join(f"{name}={value}" for name, value in app.cookies().items())}
    for host in OWN:
        assert status(app, "/_stcore/health", f"{host}:{app.port}") == 200
        assert socket_status(app, f"{host}:{app.port}", f"http://{host}:{app.port}", known) == 101
    assert (status(app, "/", own := f"localhost:{app.port}"), status(app, "/_stcore/host-config", own)) == (401, 401)
    for host in FOREIGN:
        assert {status(app, path, f"{host}:{app.port}") for path in PATHS} == {403}, host
        assert socket_status(app, f"{host}:{app.port}", f"http://{host}:{app.port}", known) == 403
    assert not (app.home / ATTEMPTS).exists()


@pytest.mark.long
def test_a_page_from_elsewhere_is_refused_and_nobody_is_asked_for_an_address(app: App, attempts: Path) -> None:
    known = {"Cookie": "; ".join(f"{name}={value}" for name, value in app.cookies().items())}
    here = ("http://127.0.0.1", "http://127.0.0.1:1", f"https://127.0.0.1:{app.port}", f"http://localhost:{app.port}")
    for origin in ("http://evil.example", "https://evil.example:8501", "null", "http://10.1.2.3", "", *here):
        assert socket_status(app, f"127.0.0.1:{app.port}", origin, known) == 403, origin
    assert not attempts.exists()


@pytest.fixture
def renamed(tmp_path: Path, environment: dict[str, str]) -> Iterator[App]:
    """On a network, where people sign in."""
    named = {"INTERACTEVAL_ALLOWED_HOSTS": "bench.example.org, *.lab.example"}
    more = {**environment, **named, "INTERACTEVAL_ACCESS": "invite"}
    with served(tmp_path, more, "--host", "0.0.0.0", "--allow-host", "Second.example") as running:
        yield running


def signed_in(app: App) -> dict[str, str]:
    """The cookie of the owner, as a browser sends it."""
    link = json.loads(app.command("people", "invite", "--owner", "--json"))["link"]
    connection = http.client.HTTPConnection("127.0.0.1", app.port, timeout=30)
    connection.request("POST", link[link.index("/enter") :])
    cookie = connection.getresponse().getheader("Set-Cookie", "").partition(";")[0]
    connection.close()
    assert cookie
    return {"Cookie": cookie}


@pytest.mark.long
def test_further_names_are_those_that_were_given(renamed: App, attempts: Path) -> None:
    known = signed_in(renamed)
    for host in ("bench.example.org", "a.lab.example", "second.example:80", "192.168.1.7:8501", "localhost"):
        assert status(renamed, "/", host, known) == 200, host
        assert socket_status(renamed, host, f"http://{host}", known) == 101, host
        assert (status(renamed, "/", host), socket_status(renamed, host, f"http://{host}")) == (401, 401)
    for host in ("evil.example", "lab.example", "other.example.org"):
        assert status(renamed, "/", host, known) == 403, host
        assert socket_status(renamed, host, f"http://{host}", known) == 403, host
    # A proxy that passes another Host on: the address that browsers show has to be set.
    assert socket_status(renamed, "127.0.0.1:8501", "https://bench.example.org", known) == 403
    assert not attempts.exists()


@pytest.mark.long
def test_address_that_is_set_is_where_pages_come_from(
    tmp_path: Path, environment: dict[str, str], attempts: Path
) -> None:
    named = {"INTERACTEVAL_ADDRESS": "https://bench.example.org", "INTERACTEVAL_ALLOWED_HOSTS": "bench.example.org"}
    with served(tmp_path, {**environment, **named, "INTERACTEVAL_ACCESS": "invite"}) as app:
        known = signed_in(app)
        for host in (f"127.0.0.1:{app.port}", "bench.example.org"):
            assert socket_status(app, host, "https://bench.example.org", known) == 101, host
            for other in ("http://bench.example.org", "https://bench.example.org:8443", "https://evil.example"):
                assert socket_status(app, host, other, known) == 403, (host, other)
    assert not attempts.exists()


@pytest.fixture
def behind_a_proxy(tmp_path: Path, environment: dict[str, str]) -> Iterator[App]:
    """One that trusts another machine's word, not this one's."""
    named = {"INTERACTEVAL_PROXY_HEADER": "X-Who", "INTERACTEVAL_PROXY_ADDRESSES": "192.0.2.9"}
    with served(tmp_path, {**environment, **named, "INTERACTEVAL_ACCESS": "proxy"}) as running:
        yield running


@pytest.mark.long
def test_a_request_that_only_says_it_comes_from_the_proxy_is_not_believed(behind_a_proxy: App) -> None:
    vouched = {"X-Who": "ana@example.org"}
    host = f"127.0.0.1:{behind_a_proxy.port}"
    for said in ({}, {"X-Forwarded-For": "192.0.2.9"}, {"X-Real-IP": "192.0.2.9"}, {"Forwarded": "for=192.0.2.9"}):
        assert status(behind_a_proxy, "/", host, vouched | said) == 403
        assert socket_status(behind_a_proxy, host, f"http://{host}", vouched | said) == 403
