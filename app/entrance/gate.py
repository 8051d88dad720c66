"""Gate: nothing of the app is sent to those whom the server doesn't know, and no proxy is believed that isn't named."""

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from app.domain.people.person import AccessMode
from app.entrance.guide import GUIDE
from app.entrance.oidc_door import BEGIN, button, way_back
from app.entrance.page import door_page, refusal
from app.entrance.start_link import StartLink
from app.entrance.status import HEALTH, METRICS
from app.errors import WorkbenchError
from app.oidc.client import CALLBACK
from app.services.people.ways_in import proxies, who_asks, whom_to_ask
from app.services.runtime.workbench import open_workbench

WATCHED = ("/_stcore/health", HEALTH, METRICS)
"""Asked by whatever watches the server, from wherever it is; nothing of a project is in it."""
OPEN = ("/enter", "/leave", GUIDE.rstrip("/"))
OPEN_TO_A_PROVIDER = (BEGIN, CALLBACK)
FORWARDED = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip")
"""Headers that a proxy sets. Without them it can't be told from a browser of this computer."""
OPEN_FOLDERS = ("/static/", "/app/static/", GUIDE)
"""The pages of the door themselves, and files that are the same for everybody, with nothing of a project in them."""


class Gate:
    """start_token: what the link holds that was printed at the start, "" where everybody at this computer may come in.
    port: the one it stands for; servers beside each other share a browser's cookies."""

    def __init__(self, app: ASGIApp, mode: AccessMode, start_token: str = "", port: int = 0) -> None:
        self._app = app
        self._start = StartLink(start_token, port) if start_token else None
        self._mode = mode
        self._open = OPEN + OPEN_TO_A_PROVIDER if mode is AccessMode.OIDC else OPEN
        self._proxies = proxies() if mode is AccessMode.PROXY else frozenset()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan" or (self._mode is not AccessMode.LOCAL and scope["path"] in WATCHED):
            await self._app(scope, receive, send)
            return
        if self._mode is AccessMode.LOCAL:
            await (_passed_on(scope) or self._not_started(scope) or self._app)(scope, receive, send)
            return
        answer = self._stranger(scope)
        path = scope["path"]
        if answer is None and path not in self._open and not path.startswith(OPEN_FOLDERS):
            answer = await run_in_threadpool(_unknown, HTTPConnection(scope), self._mode)
        await (answer or self._app)(scope, receive, send)

    def _not_started(self, scope: Scope) -> Response | None:
        path = scope["path"]
        if self._start is None or path in (*WATCHED[:2], GUIDE.rstrip("/")) or path.startswith(OPEN_FOLDERS):
            return None
        return self._start.answer(HTTPConnection(scope))

    def _stranger(self, scope: Scope) -> Response | None:
        if self._mode is not AccessMode.PROXY or (scope.get("client") or ("",))[0] in self._proxies:
            return None
        return refusal("This server is reached through a proxy, and this address isn't one of those it trusts.")


def _passed_on(scope: Scope) -> Response | None:
    """The page for whoever comes through a proxy where nobody signs in; None for this computer's own browser."""
    if not any(name in Headers(scope=scope) for name in FORWARDED):
        return None
    return refusal(
        "This server is for its own computer alone, and this request came through a proxy. To let others in, it needs "
        "INTERACTEVAL_ACCESS: invite, proxy or oidc."
    )


def _unknown(connection: HTTPConnection, mode: AccessMode) -> Response | None:
    """The page for somebody whom nobody vouches for; None for everybody else. For a WebSocket it ends the handshake."""
    try:
        actor = who_asks(open_workbench(), connection.cookies, connection.headers)
    except WorkbenchError as error:
        return refusal(error)
    if actor.person is not None:
        return None
    if mode is AccessMode.OIDC:
        wished = f"{connection.url.path}?{connection.url.query}".removesuffix("?")
        return door_page("sign_in", 401, **button(way_back(wished)))
    return door_page("closed", 401, ask=whom_to_ask())
