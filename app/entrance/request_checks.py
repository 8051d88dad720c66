"""Checks of every route and socket: origin, headers, ownership of sessions' files, and limits of uploads."""

import base64
import hashlib
import threading
from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from urllib.parse import parse_qs, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse, Response
from starlette.routing import compile_path
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.domain.sign_in import AccessMode
from app.entrance.server_pages import API, PERSON, Gate
from app.limits import FILES_HELD
from app.services.people.ways_to_sign_in import BROWSER_COOKIE, SIGN_IN_COOKIE, cookie_name, proxy_subject
from app.settings import ServerNames

_PORTS = {"http": 80, "https": 443}
Origin = tuple[str, str, int]
"""Scheme, lower-case host, port."""


@dataclass(frozen=True, slots=True)
class OwnAddresses:
    """Addresses at which browsers reach this server.

    port: the one it listens on, without TLS. address: the configured one (INTERACTEVAL_ADDRESS), "" for none.
    """

    names: ServerNames
    port: int
    address: str = ""

    def owns(self, origin: str, host: str | None) -> bool:
        """Return whether a page of this Origin is ours. host: the request's Host header.

        A proxy may name another host than browsers do; then the configured address counts. Otherwise Host is the
        address that the browser connected to, which never equals the Origin of a page of another port or scheme.
        """
        said = read_origin(origin)
        if said is None:
            return False
        return said == read_origin(self.address, path=True) or said in self._asked_at(host)

    def _asked_at(self, host: str | None) -> set[Origin]:
        if not self.names.knows(host):
            return set()
        parts = urlsplit(f"//{host}")
        name = (parts.hostname or "").rstrip(".")
        if parts.port == self.port:
            return {("http", name, self.port)}
        # Another port is a proxy's, or one that a container's is mapped to. Without a port either scheme is possible.
        set_scheme = urlsplit(self.address).scheme
        schemes = [set_scheme] if set_scheme and parts.port is None else list(_PORTS)
        return {(scheme, name, parts.port or _PORTS[scheme]) for scheme in schemes}


def read_origin(origin: str, path: bool = False) -> Origin | None:
    """Return scheme, host and port; None for anything else, such as "null". path: whether a path may follow."""
    try:
        parts = urlsplit(origin)
        port = parts.port
    except ValueError:
        return None
    more = parts.query or parts.fragment or "@" in parts.netloc or (parts.path and not path)
    if parts.scheme not in _PORTS or not parts.hostname or more:
        return None
    return parts.scheme, parts.hostname.rstrip("."), port or _PORTS[parts.scheme]


Owner = tuple[str, ...]
"""The browser's id, its sign-in cookie and the proxy's subject; () for a browser without cookies."""


def owner_of(cookies: Mapping[str, str], headers: Mapping[str, str]) -> Owner:
    browser = cookies.get(cookie_name(BROWSER_COOKIE), "")
    return (browser, cookies.get(cookie_name(SIGN_IN_COOKIE), ""), proxy_subject(headers)) if browser else ()


class SessionOwners:
    """Which browser each session, file and upload belongs to. Safe to call from any thread. most_bytes: the most that a
    person's uploads may take in memory, over all their sessions.

    A person is an id, None for the owner in local mode.
    """

    def __init__(self, most_bytes: int) -> None:
        self._most = most_bytes
        self._lock = threading.Lock()
        self._sessions: dict[str, Owner] = {}
        self._open: defaultdict[str, deque[str]] = defaultdict(lambda: deque(maxlen=FILES_HELD))
        self._uploads: defaultdict[str, dict[str, int]] = defaultdict(dict)
        self._uploaders: dict[str, int | None] = {}
        self._arriving: Counter[int | None] = Counter()
        self._files: defaultdict[str, set[Owner]] = defaultdict(set)

    def begin(self, session: str, owner: Owner) -> None:
        with self._lock:
            self._sessions[session] = owner

    def end(self, session: str) -> None:
        with self._lock:
            for kept in (self._sessions, self._open, self._uploads, self._uploaders):
                kept.pop(session, None)

    def owns(self, owner: Owner, session: str) -> bool:
        with self._lock:
            return bool(owner) and self._sessions.get(session) == owner

    def open_upload(self, session: str, file: str) -> None:
        """Allow this session to upload a file under this name."""
        with self._lock:
            self._open[session].append(file)

    def may_upload(self, owner: Owner, session: str, file: str) -> bool:
        with self._lock:
            return bool(owner) and self._sessions.get(session) == owner and file in self._open.get(session, ())

    def begin_upload(self, session: str, person: int | None) -> None:
        """Count this session's uploads as this person's."""
        with self._lock:
            if session in self._sessions:
                self._uploaders[session] = person

    def arriving(self, person: int | None, size: int) -> bool:
        """Count bytes of an upload in progress. Returns False, without counting them, if they are more than allowed."""
        with self._lock:
            held = [files for session, files in self._uploads.items() if self._uploaders.get(session) == person]
            kept = sum(sum(files.values()) for files in held)
            if sum(map(len, held)) >= FILES_HELD or kept + self._arriving[person] + size > self._most:
                return False
            self._arriving[person] += size
            return True

    def arrived(self, person: int | None, size: int) -> None:
        """Stop counting these bytes as in progress: the file is stored (see `keep`) or was given up."""
        with self._lock:
            self._arriving[person] -= size
            if self._arriving[person] <= 0:
                del self._arriving[person]

    def keep(self, session: str, file: str, size: int) -> None:
        with self._lock:
            self._uploads[session][file] = size

    def release_file(self, session: str, file: str) -> None:
        with self._lock:
            self._uploads.get(session, {}).pop(file, None)

    def share(self, file: str, session: str) -> None:
        """Allow this session's browser to fetch the file."""
        with self._lock:
            if owner := self._sessions.get(session, ()):
                self._files[file].add(owner)

    def may_fetch(self, owner: Owner, file: str) -> bool:
        with self._lock:
            return bool(owner) and owner in self._files.get(file, ())

    def forget(self, file: str) -> None:
        with self._lock:
            self._files.pop(file, None)


class Use(Enum):
    """How the workbench uses a route of Streamlit's."""

    OPEN = "for everybody who is let in"
    UPLOAD = "for the session that asked to upload the file"
    MEDIA = "for browsers whose session made the file"
    CLOSED = "not used"


STREAMLIT_ROUTES = {
    "/_stcore/health": Use.OPEN,
    "/_stcore/host-config": Use.OPEN,
    "/_stcore/stream": Use.OPEN,
    "/_stcore/bidi-components/{path:path}": Use.OPEN,
    "/_stcore/upload_file/{session_id}/{file_id}": Use.UPLOAD,
    "/media/{file_id:path}": Use.MEDIA,
    "/_stcore/metrics": Use.CLOSED,
    "/_stcore/agent/interact": Use.CLOSED,
    "/_stcore/agent/openapi.json": Use.CLOSED,
    "/_stcore/agent/mcp": Use.CLOSED,
    "/component/{path:path}": Use.CLOSED,
    "/auth/login": Use.CLOSED,
    "/auth/logout": Use.CLOSED,
    "/oauth2callback": Use.CLOSED,
}
"""Streamlit's routes without those of its static files. A test compares them with Streamlit's."""
_PATTERNS = [(compile_path(path)[0], use) for path, use in STREAMLIT_ROUTES.items()]


def use_of(path: str) -> Use:
    """Return a path's use. Below `/_stcore` unlisted paths are closed, including those a later Streamlit adds."""
    listed = next((use for pattern, use in _PATTERNS if pattern.match(path)), None)
    return listed or (Use.CLOSED if path.lstrip("/").startswith("_stcore") else Use.OPEN)


NOT_YOURS = "This belongs to another browser, or to a screen that is closed. Load the screen anew.\n"
TOO_MUCH = "Your uploads fill your share of the server's memory. Load the screen anew, or upload smaller files."
TOO_LARGE = 413


class FileGuard:
    def __init__(self, app: ASGIApp, owners: SessionOwners) -> None:
        self._app = app
        self._owners = owners

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        use = use_of(scope["path"]) if scope["type"] == "http" else Use.OPEN
        if use not in (Use.UPLOAD, Use.MEDIA):
            await self._app(scope, receive, send)
            return
        asking = HTTPConnection(scope)
        owner = owner_of(asking.cookies, asking.headers)
        if refused := self._refused(scope, use, owner):
            await refused(scope, receive, send)
            return
        if use is Use.MEDIA:
            await self._app(scope, receive, send)
            return
        upload = _Upload(self._owners, scope, receive)
        try:
            await self._app(scope, upload.receive, send)
        finally:
            upload.end()

    def _refused(self, scope: Scope, use: Use, owner: Owner) -> Response | None:
        parts = _parts(scope)
        if use is Use.MEDIA:
            known = self._owners.may_fetch(owner, "/".join(parts[1:]).partition(".")[0])
        else:
            session, file = parts[-2:]
            put = scope["method"] == "PUT"
            known = self._owners.may_upload(owner, session, file) if put else self._owners.owns(owner, session)
        return None if known else PlainTextResponse(NOT_YOURS, 403)


def _parts(scope: Scope) -> list[str]:
    return [part for part in scope["path"].split("/") if part]


class _Upload:
    """Counts an upload's bytes as they arrive, so that an upload that is too large is refused before it is stored."""

    def __init__(self, owners: SessionOwners, scope: Scope, receive: Receive) -> None:
        self._owners, self._person, self._receive, self._taken = owners, scope.get(PERSON), receive, 0
        owners.begin_upload(_parts(scope)[-2], self._person)

    async def receive(self) -> Message:
        message = await self._receive()
        size = len(message.get("body", b""))
        if size and not self._owners.arriving(self._person, size):
            raise HTTPException(TOO_LARGE, TOO_MUCH)
        self._taken += size
        return message

    def end(self) -> None:
        """Stop counting the upload's bytes as in progress."""
        self._owners.arrived(self._person, self._taken)


OWN_HEADER = "x-interacteval"
"""Header that programs other than browsers send with changing requests; foreign pages can't without a preflight."""
UNKNOWN_HOST = (
    "This server doesn't answer to the name in the address. If the name is yours, start the server with "
    "`interacteval serve --allow-host NAME`, or put it into INTERACTEVAL_ALLOWED_HOSTS.\n"
)
FOREIGN_PAGE = (
    "This request came from a page of another server, or of another port of this one. Behind a proxy set "
    "INTERACTEVAL_ADDRESS to the address that browsers show.\n"
)
NO_ORIGIN = f"This request doesn't say which page it came from. A program sends the header {OWN_HEADER}: 1 with it.\n"

_DATA = ("/_stcore", "/media", "/component")
"""Paths that the app's pages fetch; no link leads to them."""


class Guard:
    """Middleware that refuses requests from other pages. scripts: the texts of the inline scripts that may run; all
    others must come from the server's files. start_token: as in `Gate`."""

    def __init__(
        self,
        app: ASGIApp,
        own: OwnAddresses,
        owners: SessionOwners,
        mode: AccessMode,
        start_token: str = "",
        scripts: Iterable[str] = (),
    ) -> None:
        self._app = Gate(FileGuard(app, owners), mode, start_token, own.port)
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
        return PlainTextResponse("There is nothing here.\n", 404) if use_of(scope["path"]) is Use.CLOSED else None

    def _foreign(self, scope: Scope, headers: Headers) -> str:
        """Return why a request comes from a page of another server; "" if it comes from ours, or from no page."""
        origins = headers.getlist("origin")
        if any(not self._own.owns(origin, headers.get("host")) for origin in origins):
            return FOREIGN_PAGE
        site = headers.get("sec-fetch-site", "none")
        if site not in ("same-origin", "none") and not _is_visit(scope, headers):
            return FOREIGN_PAGE
        changes = scope["type"] == "websocket" or scope["method"] not in ("GET", "HEAD", "OPTIONS")
        proven = origins or site == "same-origin" or OWN_HEADER in headers or "authorization" in headers
        return NO_ORIGIN if changes and not (proven or _brings_proof(scope)) else ""

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
    """Return whether somebody followed a link from elsewhere to one of our pages, not in a frame or as an image."""
    return (
        scope["type"] == "http"
        and scope["method"] in ("GET", "HEAD")
        and headers.get("sec-fetch-mode") == "navigate"
        and headers.get("sec-fetch-dest", "document") == "document"
        and not scope["path"].startswith(_DATA)
    )


def _brings_proof(scope: Scope) -> bool:
    """Return whether the request needs a secret that other pages don't know: an invitation's key, or the HTTP API's
    token, which a cookie can't replace."""
    return scope["path"].startswith(API) or (scope["path"] == "/enter" and b"key" in parse_qs(scope["query_string"]))


def answer_headers(scripts: Iterable[str]) -> dict[str, str]:
    """Return the security headers of answers. A page's own, stricter policy is kept."""
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
