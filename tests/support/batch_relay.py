"""Relay before the vendors' stand-in: holds a request where a test wants it, and lists batches where that doesn't."""

import http.client
import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from tests.support.modern_vendors import ModernVendors

FILES = re.compile(r"POST .*/v1/files$")
HANDED_IN = re.compile(r"POST .*(/v1/batches|/messages/batches|:batchGenerateContent)$")
LOOKED_AT = re.compile(r"GET .*/batches/[^/]+$")
READ = re.compile(r"GET .*(/results|/files/[^/]+/content)$")
_ANTHROPIC_LIST = re.compile(r"GET .*/v1/messages/batches$")
_GOOGLE_LIST = re.compile(r"GET .*/(v1|v1beta)/batches$")

Wanted = Callable[[str], bool]
"""Whether a request, written "METHOD path", is to be held."""


def nothing(_: str) -> bool:
    return False


class BatchRelay:
    """`before`: requests that never arrive; `after`: those whose answer never comes. `held` is set once that happens.

    What is held stays so until the relay ends: whoever asked is to be killed."""

    def __init__(self, vendors: ModernVendors) -> None:
        self._to = urlsplit(vendors.url).netloc
        self._created: list[dict[str, Any]] = []
        self.over = threading.Event()
        self.let_through()

    def let_through(self) -> None:
        self.before: Wanted = nothing
        self.after: Wanted = nothing
        self.held = threading.Event()

    def hold(self) -> None:
        self.held.set()
        self.over.wait()

    def forward(self, method: str, path: str, headers: dict[str, str], sent: bytes) -> tuple[int, str, bytes]:
        """Status, type and body of the answer."""
        plain = f"{method} {path.partition('?')[0]}"
        google = "x-goog-api-key" in headers
        if _ANTHROPIC_LIST.match(plain) or (google and _GOOGLE_LIST.match(plain)):
            kind = "operations" if google else "data"
            return 200, "application/json", json.dumps({kind: self._created[::-1], "has_more": False}).encode()
        connection = http.client.HTTPConnection(self._to, timeout=60)
        try:
            connection.request(method, path, sent, headers)
            answer = connection.getresponse()
            content = answer.read()
        finally:
            connection.close()
        if HANDED_IN.match(plain) and answer.status == 200:
            made = json.loads(content)
            now = datetime.now(UTC).isoformat()
            self._created.append(made | ({"created_at": now} if "created_at" in made and not google else {}))
        return answer.status, answer.getheader("content-type", ""), content


@contextmanager
def batch_relay(vendors: ModernVendors) -> Iterator[tuple[BatchRelay, ModernVendors]]:
    """The relay, and the vendors as they are reached through it."""
    relay = BatchRelay(vendors)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            """Quiet."""

        def do_GET(self) -> None:
            self._serve()

        def do_POST(self) -> None:
            self._serve()

        def _serve(self) -> None:
            sent = self.rfile.read(int(self.headers.get("content-length") or 0))
            plain = f"{self.command} {self.path.partition('?')[0]}"
            if relay.before(plain):
                relay.hold()
                return
            status, kind, content = relay.forward(self.command, self.path, _lower(self.headers.items()), sent)
            if relay.after(plain):
                relay.hold()
                return
            try:
                self.send_response(status)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)
            except OSError:  # whoever asked was killed
                self.close_connection = True

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 128

    with Server(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), name="batch relay")
        thread.start()
        try:
            yield relay, ModernVendors(f"http://127.0.0.1:{server.server_address[1]}")
        finally:
            relay.over.set()
            server.shutdown()
            thread.join()


def _lower(headers: Any) -> dict[str, str]:
    return {name.lower(): value for name, value in headers if name.lower() != "connection"}
