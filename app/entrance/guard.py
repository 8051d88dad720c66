"""Guard: what stands before every route and WebSocket, the server's own and Streamlit's.

In this order: the Host is one of ours; the page that asks is one of ours (Origin, then Fetch Metadata); the route is
one that the workbench uses; the browser may come in (`Gate`); a file belongs to the browser that asks (`OwnFiles`).
Every answer, also each refusal, bears the same headers.
"""

import base64
import hashlib
from collections.abc import Iterable
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.domain.people.person import AccessMode
from app.entrance.gate import Gate
from app.entrance.origins import OwnAddresses
from app.entrance.own_files import OwnFiles
from app.entrance.session_owners import SessionOwners
from app.entrance.streamlit_routes import Use, use_of

OWN_HEADER = "x-interacteval"
"""A program that isn't a browser sends it with what changes something: no page elsewhere can, without asking first."""
UNKNOWN_HOST = (
    "This server doesn't answer to the name in the address. If the name is yours, start the server with "
    "`interacteval serve --allow-host NAME`, or put it into INTERACTEVAL_ALLOWED_HOSTS.\n"
)
FOREIGN_PAGE = (
    "This request came from a page of another server, or of another port of this one. Behind a proxy set "
    "INTERACTEVAL_ADDRESS to the address that browsers show.\n"
)
NO_ORIGIN = f"This request doesn't say which page it came from. A program sends the header {OWN_HEADER}: 1 with it.\n"
CLOSED_ROUTE = "There is nothing here.\n"

_SAFE = ("GET", "HEAD", "OPTIONS")
_DATA = ("/_stcore", "/media", "/component")
"""What pages of the app fetch, and no link leads to."""


class Guard:
    """scripts: the words of each script within a page; no others run but those from the server's own files.
    start_token: as in `Gate`."""

    def __init__(
        self,
        app: ASGIApp,
        own: OwnAddresses,
        owners: SessionOwners,
        mode: AccessMode,
        start_token: str = "",
        scripts: Iterable[str] = (),
    ) -> None:
        self._app = Gate(OwnFiles(app, owners), mode, start_token, own.port)
        self._own = own
        self._headers = answer_headers(scripts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        await (self._refusal(scope) or self._app)(scope, receive, self._sent(send))

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        if not self._own.names.knows(headers.get("host")):
            return PlainTextResponse(UNKNOWN_HOST, 403)
        if reason := self._foreign(scope, headers):
            return PlainTextResponse(reason, 403)
        return PlainTextResponse(CLOSED_ROUTE, 404) if use_of(scope["path"]) is Use.CLOSED else None

    def _foreign(self, scope: Scope, headers: Headers) -> str:
        """Why a request isn't from a page of ours; "" where it is, or from no page."""
        origins = headers.getlist("origin")
        if any(not self._own.owns(origin, headers.get("host")) for origin in origins):
            return FOREIGN_PAGE
        site = headers.get("sec-fetch-site", "none")
        if site not in ("same-origin", "none") and not _is_visit(scope, headers):
            return FOREIGN_PAGE
        changes = scope["type"] == "websocket" or scope["method"] not in _SAFE
        proven = origins or site == "same-origin" or OWN_HEADER in headers or "authorization" in headers
        return NO_ORIGIN if changes and not (proven or _has_key(scope)) else ""

    def _sent(self, send: Send) -> Send:
        async def send_with_headers(message: Message) -> None:
            if message["type"] in ("http.response.start", "websocket.http.response.start"):
                headers = MutableHeaders(scope=message)
                for name in [name for name in headers if name.startswith("access-control-")]:
                    del headers[name]
                for name, value in self._headers.items():
                    headers.setdefault(name, value)
            await send(message)

        return send_with_headers


def _is_visit(scope: Scope, headers: Headers) -> bool:
    """Whether somebody followed a link elsewhere to a page of ours, in a tab of its own: no frame, no image."""
    return (
        scope["type"] == "http"
        and scope["method"] in ("GET", "HEAD")
        and headers.get("sec-fetch-mode") == "navigate"
        and headers.get("sec-fetch-dest", "document") == "document"
        and not scope["path"].startswith(_DATA)
    )


def _has_key(scope: Scope) -> bool:
    """The key of an invitation, which no page elsewhere knows."""
    return scope["path"] == "/enter" and b"key" in parse_qs(scope["query_string"])


def answer_headers(scripts: Iterable[str]) -> dict[str, str]:
    """A page that has a stricter policy of its own keeps it."""
    hashes = " ".join(f"'sha256-{base64.b64encode(hashlib.sha256(one.encode()).digest()).decode()}'" for one in scripts)
    policy = {
        "default-src": "'self'",
        # Streamlit opens the script of each component as a blob that it made.
        "script-src": f"'self' blob: {hashes}".strip(),
        "style-src": "'self' 'unsafe-inline'",
        "img-src": "'self' data: blob:",
        "media-src": "'self' blob:",
        "font-src": "'self' data:",
        "connect-src": "'self' data: blob:",
        "worker-src": "'self' blob:",
        "object-src": "'none'",
        "frame-src": "'none'",
        "frame-ancestors": "'none'",
        "form-action": "'self'",
        "base-uri": "'none'",
    }
    return {
        "Content-Security-Policy": "; ".join(f"{name} {value}" for name, value in policy.items()),
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        # "no-referrer" would also hide from us which page a form was sent from.
        "Referrer-Policy": "same-origin",
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
    }
