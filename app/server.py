"""The web server's process: Streamlit with the entry script, for requests that use one of the server's names.

Started as `server.py HOST PORT [--no-token] [NAME ...]`; the names are those of `serve --allow-host`.
"""

import os
import re
import secrets
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import FrameType
from urllib.parse import quote

from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.requests import HTTPConnection
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.runtime import get_instance
from streamlit.runtime.stats import ACTIVE_SESSIONS_FAMILY, GaugeStat

from app.domain.storable_text import REPLACEMENT
from app.entrance.api import api_routes
from app.entrance.request_checks import Guard, OwnAddresses, SessionOwners
from app.entrance.server_pages import guide_routes, sign_in_routes, status_routes
from app.entrance.streamlit_app import (
    PINNED,
    StreamlitApp,
    explain_failed_downloads,
    read_own_options_alone,
    run_callbacks_whole,
)
from app.limited_process import offload_large_work
from app.limits import MB, UPLOADS_HELD
from app.scoring.engine import DRAIN_SECONDS
from app.services.background.runner import drain_jobs, refuse_jobs
from app.services.job_kinds import load_job_kinds
from app.services.people.sign_ins import begin_start_token, start_link
from app.services.people.upload_limits import largest_upload
from app.services.people.ways_to_sign_in import BROWSER_COOKIE, check_access_mode, cookie_name, is_secure, set_address
from app.services.runtime.backups import SERVER, WriterLock
from app.services.scoring.run_worker import stop_all_runs
from app.settings import names_of_server
from pages.components.shell.browser.page_scripts import scripts_in_pages
from pages.components.shell.current import stay_offline
from pages.components.shell.error_panel import error_panel
from pages.components.shell.frame import load_screens

NO_TOKEN = "--no-token"  # noqa: S105 - a name
ENTRY = Path(__file__).with_name("main.py")

_HALF = re.compile(rb"\xed[\xa0-\xbf][\x80-\xbf]")  # a surrogate, as UTF-8 would write it
# The first part of what the server itself has at addresses of several parts; screens have one part.
SERVED = frozenset({"_stcore", "api", "app", "auth", "component", "guide", "media", "static"})


class ScreenAddresses:
    """Middleware that redirects an address of several parts, which is no screen, to an address of one part. Streamlit
    would look for its own code below the long address and stay white; for one part it says "Page not found" and shows
    Overview."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        parts = [part for part in scope.get("path", "").split("/") if part]
        reads = scope["type"] == "http" and scope["method"] in ("GET", "HEAD")
        if (
            not reads
            or len(parts) < 2
            or parts[0] in SERVED
            or "text/html" not in Headers(scope=scope).get("accept", "")
        ):
            await self._app(scope, receive, send)
            return
        query = scope["query_string"].decode("latin-1")
        address = "/" + quote("-".join(parts), safe="") + (f"?{query}" if query else "")
        await RedirectResponse(address)(scope, receive, send)


class KnownBrowsers:
    """Middleware that gives each browser a random name until it is closed, so that acts can be undone after a reload,
    which begins a new session. No script can read the name, and no other site sends it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_named(message: Message) -> None:
            headers = MutableHeaders(scope=message) if message["type"] == "http.response.start" else None
            if headers is not None and headers.get("content-type", "").startswith("text/html"):
                named = Response()
                name, safe = secrets.token_urlsafe(24), is_secure() or scope["scheme"] == "https"
                named.set_cookie(cookie_name(BROWSER_COOKIE), name, httponly=True, samesite="lax", secure=safe)
                headers.append("set-cookie", named.headers["set-cookie"])
            await send(message)

        new = scope["type"] == "http" and cookie_name(BROWSER_COOKIE) not in HTTPConnection(scope).cookies
        await self._app(scope, receive, send_named if new else send)


class SurrogateFilter:
    """Middleware that replaces half a character (a lone surrogate) typed or pasted into a field by U+FFFD.

    UTF-8 can't encode it. Some browsers send it all the same, and Streamlit closes the connection; the browser
    reconnects, sends the field again, and is disconnected again without end.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def receive_whole() -> Message:
            message = await receive()
            if message["type"] == "websocket.receive" and message.get("bytes"):
                return {**message, "bytes": with_whole_characters(message["bytes"])}
            return message

        await self._app(scope, receive_whole if scope["type"] == "websocket" else receive, send)


def with_whole_characters(message: bytes) -> bytes:
    """Return a browser's message unchanged if it can be parsed, else with U+FFFD (also three bytes) for each half
    character."""
    if _HALF.search(message) is None:
        return message
    try:
        BackMsg.FromString(message)
    except Exception:  # whatever the parser of Streamlit's messages raises; what it can't read can only get better
        return _HALF.sub(REPLACEMENT.encode(), message)
    return message  # what looked like half a character was something else


def start(host: str, port: int, more: list[str], start_token: str) -> None:
    """Serve until a signal ends the process. start_token: as in `Gate`."""
    own = OwnAddresses(names_of_server(host, more), port, set_address())
    owners = SessionOwners(most_bytes=UPLOADS_HELD * largest_upload() * MB)
    # Nobody's word is taken for where a request came from: a proxy that is trusted is known by its own address.
    os.environ["FORWARDED_ALLOW_IPS"] = ""
    for kind in (signal.SIGTERM, signal.SIGINT):
        signal.signal(kind, _end)
    stay_offline()
    read_own_options_alone()
    run_callbacks_whole()
    offload_large_work()
    explain_failed_downloads()
    mode = check_access_mode(host, more)
    middleware = [
        Middleware(Guard, own=own, owners=owners, mode=mode, start_token=start_token, scripts=scripts_in_pages()),
        Middleware(KnownBrowsers),
        Middleware(ScreenAddresses),
        Middleware(SurrogateFilter),
    ]
    routes = [*sign_in_routes(), *status_routes(_sessions), *guide_routes(), *api_routes()]

    @asynccontextmanager
    async def announced(_: object) -> AsyncIterator[None]:
        """Print the link just before the server answers. Opened earlier it would be refused."""
        if start_token:
            sys.stderr.write(f"Open this link in your browser: {start_link(host, port, start_token)}\n")
        yield

    app = StreamlitApp(
        ENTRY, owners, routes=routes, middleware=middleware, on_script_error=error_panel, lifespan=announced
    )
    app.run(
        config={
            **PINNED,
            "client.showErrorLinks": "false",
            "server.address": host,
            "server.port": port,
            "server.maxUploadSize": largest_upload(),
            "server.allowedHosts": ["*"] if own.names.any_address else list(own.names.names),
            # Where a proxy passes another Host on, Streamlit lets in the page that our guard has let in.
            "server.corsAllowedOrigins": [own.address] if own.address else [],
            "logger.level": "warning",
            # Fields take their value from the address or the session here; some widgets can't do without a default too.
            "global.disableWidgetStateDuplicationWarning": True,
            "logger.hideWelcomeMessage": True,  # `serve` has said where; it would look for addresses of this machine
        }
    )


def _sessions() -> int:
    """Return how many browser sessions this process serves, from Streamlit's statistics."""
    families = get_instance().stats_mgr.get_stats([ACTIVE_SESSIONS_FAMILY])
    return sum(stat.value for stats in families.values() for stat in stats if isinstance(stat, GaugeStat))


def _end(_signal: int, _frame: FrameType | None) -> None:
    """Exit normally on a signal, so that background work can save its results."""
    sys.exit(0)


if __name__ == "__main__":
    load_screens()
    load_job_kinds()
    sign = WriterLock(SERVER)
    sign.acquire()
    try:
        names = [name for name in sys.argv[3:] if name != NO_TOKEN]
        token = "" if NO_TOKEN in sys.argv else begin_start_token()
        start(sys.argv[1], int(sys.argv[2]), names, token)
    finally:
        # While the interpreter still takes work: replies under way are paid, and kept before it ends.
        refuse_jobs()
        stop_all_runs(DRAIN_SECONDS)
        drain_jobs(0.0)
        sign.release()
