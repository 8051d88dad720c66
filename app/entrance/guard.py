"""Stands before every route and socket: exact origin, headers, sessions' own files, counted uploads."""

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

from app.domain.people import AccessMode
from app.entrance.gate import API, PERSON, Gate
from app.limits import FILES_HELD
from app.services.people.ways_in import BROWSER_COOKIE, SIGN_IN_COOKIE, cookie_name, proxy_subject
from app.settings import ServerNames

_PORTS = {"http": 80, "https": 443}
Origin = tuple[str, str, int]
"""Scheme, host in small letters, port."""


@dataclass(frozen=True, slots=True)
class OwnAddresses:
    """Where browsers reach this server.

    port: the one it listens on, without TLS. address: the one that is set (INTERACTEVAL_ADDRESS), "" for none.
    """

    names: ServerNames
    port: int
    address: str = ""

    def owns(self, origin: str, host: str | None) -> bool:
        """Whether a page at this Origin is one of ours. host: the Host that its request names.

        A proxy may name another host than browsers do: then the address that is set counts. Otherwise the browser's
        Host is where it connected to, so that a page of another port or scheme never has the same.
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
    """None for what is none, such as "null". path: whether one may follow, as in an address."""
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
"""The browser's name and what it is signed in by; () for one that takes no cookie."""


def owner_of(cookies: Mapping[str, str], headers: Mapping[str, str]) -> Owner:
    browser = cookies.get(cookie_name(BROWSER_COOKIE), "")
    return (browser, cookies.get(cookie_name(SIGN_IN_COOKIE), ""), proxy_subject(headers)) if browser else ()


class SessionOwners:
    """Safe to call from any thread. most_bytes: what a person may have in memory of uploads, over all their sessions.

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
        """This session may upload a file under this name from now on."""
        with self._lock:
            self._open[session].append(file)

    def may_upload(self, owner: Owner, session: str, file: str) -> bool:
        with self._lock:
            return bool(owner) and self._sessions.get(session) == owner and file in self._open.get(session, ())

    def begin_upload(self, session: str, person: int | None) -> None:
        """What this session keeps counts as this person's."""
        with self._lock:
            if session in self._sessions:
                self._uploaders[session] = person

    def arriving(self, person: int | None, size: int) -> bool:
        """Count bytes that are on their way; False where they would be too many, and then they aren't counted."""
        with self._lock:
            held = [files for session, files in self._uploads.items() if self._uploaders.get(session) == person]
            kept = sum(sum(files.values()) for files in held)
            if sum(map(len, held)) >= FILES_HELD or kept + self._arriving[person] + size > self._most:
                return False
            self._arriving[person] += size
            return True

    def arrived(self, person: int | None, size: int) -> None:
        """They are kept, which `keep` counts, or gone."""
        with self._lock:
            self._arriving[person] -= size
            if self._arriving[person] <= 0:
                del self._arriving[person]

    def keep(self, session: str, file: str, size: int) -> None:
        with self._lock:
            self._uploads[session][file] = size

    def let_go(self, session: str, file: str) -> None:
        with self._lock:
            self._uploads.get(session, {}).pop(file, None)

    def share(self, file: str, session: str) -> None:
        """A file that this session's browser may fetch."""
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
    """What a route of Streamlit's is to the workbench."""

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
"""All of them but its static files, which are the same for everybody. A test compares them with Streamlit's."""
_PATTERNS = [(compile_path(path)[0], use) for path, use in STREAMLIT_ROUTES.items()]


def use_of(path: str) -> Use:
    """Below `/_stcore` what isn't listed is closed, also what a later Streamlit adds."""
    listed = next((use for pattern, use in _PATTERNS if pattern.match(path)), None)
    return listed or (Use.CLOSED if path.lstrip("/").startswith("_stcore") else Use.OPEN)


NOT_YOURS = "This belongs to another browser, or to a screen that is closed. Load the screen anew.\n"
TOO_MUCH = "Your uploads fill your share of the server's memory. Load the screen anew, or upload smaller files."
TOO_LARGE = 413


class OwnFiles:
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
    """Counts bytes as they arrive, so that too many are refused before they are kept."""

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
        """What was kept counts as kept from now on; what wasn't is gone."""
        self._owners.arrived(self._person, self._taken)


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
    """Whether somebody followed a link elsewhere to a page of ours, in a tab of its own: no frame, no image."""
    return (
        scope["type"] == "http"
        and scope["method"] in ("GET", "HEAD")
        and headers.get("sec-fetch-mode") == "navigate"
        and headers.get("sec-fetch-dest", "document") == "document"
        and not scope["path"].startswith(_DATA)
    )


def _brings_proof(scope: Scope) -> bool:
    """What no page elsewhere knows: the key of an invitation, or the token that the HTTP API asks for, which takes no
    cookie in its place."""
    return scope["path"].startswith(API) or (scope["path"] == "/enter" and b"key" in parse_qs(scope["query_string"]))


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
