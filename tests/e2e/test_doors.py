"""An attack on the doors, in a real browser: pages of another port, another host name and no origin at all, in the
browser of somebody who is signed in at two web processes. Cookies go along where the host is the same."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.e2e.conftest import App
from tests.e2e.screen import PATIENCE_MS, settled
from tests.support.caddy import free_port

pytestmark = pytest.mark.long

MODES = {
    "local": {},
    "invite": {"INTERACTEVAL_ACCESS": "invite"},
    "proxy": {
        "INTERACTEVAL_ACCESS": "proxy",
        "INTERACTEVAL_PROXY_HEADER": "X-Who",
        "INTERACTEVAL_PROXY_ADDRESSES": "127.0.0.1",
    },
}
ATTACK = """async app => {
  const opened = new Promise(done => {
    const socket = new WebSocket(app.replace("http", "ws") + "/_stcore/stream", ["streamlit"]);
    socket.onopen = () => done("open");
    socket.onerror = () => done("refused");
  });
  const read = path => fetch(app + path, { credentials: "include" }).then(() => "read", () => "refused");
  const put = fetch(app + "/_stcore/upload_file/a/b", { method: "PUT", credentials: "include", body: "x" })
    .then(() => "read", () => "refused");
  const left = fetch(app + "/leave", { method: "POST", mode: "no-cors", credentials: "include" })
    .then(() => "sent", () => "sent");
  const frame = document.createElement("iframe");
  const framed = new Promise(done => frame.onload = () => done("loaded"));
  frame.src = app + "/";
  document.body.append(frame);
  return Promise.all([opened, read("/"), read("/_stcore/host-config"), put, left, framed]);
}"""


SANDBOXED = "/sandboxed"


class Evil(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        if self.path == SANDBOXED:
            self.send_header("Content-Security-Policy", "sandbox allow-scripts")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>Nice pictures</title><h1>Nice pictures</h1>")

    def log_message(self, *_: object) -> None:
        """Nothing."""


@pytest.fixture
def evil() -> Iterator[list[str]]:
    """Pages of the attacker: at another port of the host, at another name of it, and of no origin."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Evil) as running:
        Thread(target=running.serve_forever, args=(0.01,), daemon=True).start()
        port = running.server_port
        yield [f"http://127.0.0.1:{port}", f"http://localhost:{port}", f"http://127.0.0.1:{port}{SANDBOXED}"]
        running.shutdown()


@pytest.fixture(params=sorted(MODES))
def processes(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[list[App]]:
    """Two web processes on one database."""
    with ExitStack() as running:
        found = [App(tmp_path, free_port(), MODES[request.param]) for _ in range(2)]
        for one in found:
            running.callback(one.stop)
            one.start()
        yield found


def come_in(browser: Browser, processes: list[App], name: str) -> BrowserContext:
    """The browser of the owner, who may use both processes."""
    app = processes[0]
    access = app.environment.get("INTERACTEVAL_ACCESS", "local")
    headers = {"X-Who": name} if access == "proxy" else {}
    context = browser.new_context(viewport={"width": 1280, "height": 900}, extra_http_headers=headers)
    for one in processes:
        one.let_in(context)
    if access != "local":
        link = json.loads(app.command("people", "invite", "--owner", "--json"))["link"]
        page = context.new_page()
        page.goto(app.url + link[link.index("/enter") :])
        page.get_by_role("button", name="Come in").click()
        expect(page.get_by_role("heading", level=1)).to_be_visible(timeout=PATIENCE_MS)
        page.close()
    return context


def opened(context: BrowserContext, address: str) -> tuple[Page, list[str]]:
    """A screen, drawn over the WebSocket, and what the browser complained about."""
    page, said = context.new_page(), list[str]()
    page.set_default_timeout(PATIENCE_MS)
    page.on("console", lambda message: said.append(message.text) if "Content Security" in message.text else None)
    page.goto(address)
    expect(page.get_by_role("heading", level=1, name="Overview")).to_be_visible()
    settled(page)
    return page, said


def test_foreign_pages_read_and_change_nothing(processes: list[App], browser: Browser, evil: list[str]) -> None:
    expect.set_options(timeout=PATIENCE_MS)
    context = come_in(browser, processes, "Ana")
    try:
        for app, other in zip(processes, reversed(processes), strict=True):
            for address in evil:
                attacker, blocked = context.new_page(), list[str]()
                attacker.on("console", lambda message, blocked=blocked: blocked.append(message.text))
                attacker.goto(address)
                tried = attacker.evaluate(ATTACK, app.url)
                assert tried == ["refused", "refused", "refused", "refused", "sent", "loaded"], address
                # An empty address: Chromium shows the error in a process of its own, and has loaded nothing.
                assert {frame.url for frame in attacker.frames[1:]} <= {"chrome-error://chromewebdata/", ""}
                assert "frame-ancestors" in " ".join(blocked), address
                attacker.close()
            page, complaints = opened(context, app.url)  # still signed in, and nothing of ours is blocked
            assert complaints == []
            # The other process is another origin for a page of this one: nothing is shared between them by the browser.
            reached = page.evaluate(
                "address => fetch(address, { credentials: 'include' }).then(() => 'read', () => 'refused')", other.url
            )
            assert reached == "refused"
            page.close()
    finally:
        context.close()
