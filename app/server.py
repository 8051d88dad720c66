"""The web server's own process: Streamlit on the entry script, for those who ask for it by a name it is known by.

Started as `server.py HOST PORT [NAME ...]`; the names are those of `serve --allow-host`.
"""

import signal
import sys
from pathlib import Path
from types import FrameType

import streamlit as st
from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from app.domain.server_names import LOOPBACK, ServerNames, names_of_server
from app.scoring.engine import DRAIN_SECONDS
from app.services.sitting import stop_all_runs
from pages.components.loading import load_screens
from pages.components.own_address import stay_offline

ENTRY = Path(__file__).with_name("main.py")
REFUSAL = (
    "This server doesn't answer to the name in the address. If the name is yours, start the server with "
    "`interacteval serve --allow-host NAME`, or put it into INTERACTEVAL_ALLOWED_HOSTS.\n"
)


class KnownHosts:
    """Refuses requests and WebSockets that name another host, before anything else sees them."""

    def __init__(self, app: ASGIApp, names: ServerNames) -> None:
        self._app = app
        self._names = names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan" or self._names.knows(Headers(scope=scope).get("host")):
            await self._app(scope, receive, send)
        else:
            await PlainTextResponse(REFUSAL, status_code=403)(scope, receive, send)


def start(host: str, port: int, more: list[str]) -> None:
    """Serve until a signal ends it."""
    names = names_of_server(host, more)
    public = [name for name in names.names if name not in LOOPBACK and "*" not in name]
    for kind in (signal.SIGTERM, signal.SIGINT):
        signal.signal(kind, _end)
    stay_offline()
    st.App(ENTRY, middleware=[Middleware(KnownHosts, names=names)]).run(
        config={
            "server.address": host,
            "server.port": port,
            "server.headless": True,
            "server.allowedHosts": ["*"] if names.any_address else list(names.names),
            # Behind a proxy that passes another Host on, the browser still names ours as the page's origin.
            "server.corsAllowedOrigins": [f"{scheme}://{name}" for name in public for scheme in ("https", "http")],
            "logger.level": "warning",
            "logger.hideWelcomeMessage": True,  # `serve` has said where; it would look for addresses of this machine
        }
    )


def _end(_signal: int, _frame: FrameType | None) -> None:
    """As at the end of a program: work in the background is let finish what it keeps."""
    sys.exit(0)


if __name__ == "__main__":
    load_screens()
    try:
        start(sys.argv[1], int(sys.argv[2]), sys.argv[3:])
    finally:
        # While the interpreter still takes work: replies under way are paid, and kept before it ends.
        stop_all_runs(DRAIN_SECONDS)
