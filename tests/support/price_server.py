"""A server on this machine in the place of the one that has the newest prices."""

import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any


def price_file(dollars: float) -> bytes:
    """A file of prices as genai-prices publishes it: one model a vendor, its input at so many dollars."""
    models = {"openai": "gpt-9", "anthropic": "claude-9", "google": "gemini-9", "mistral": "mistral-9"}

    def model(name: str) -> dict[str, Any]:
        return {"id": name, "match": {"equals": name}, "prices": {"input_mtok": dollars, "output_mtok": 10 * dollars}}

    return json.dumps(
        [{"id": vendor, "name": vendor, "api_pattern": vendor, "models": [model(m)]} for vendor, m in models.items()]
    ).encode()


class PriceServer:
    """`status` and `content` are what it answers with; `asked`: how often it was."""

    def __init__(self, content: bytes, status: int = 200) -> None:
        self.content = content
        self.status = status
        self.asked = 0
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.asked += 1
                self.send_response(outer.status)
                self.send_header("content-length", str(len(outer.content)))
                self.end_headers()
                self.wfile.write(outer.content)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
                """Says nothing."""

        self._server = HTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/data.json"

    def __enter__(self) -> "PriceServer":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
