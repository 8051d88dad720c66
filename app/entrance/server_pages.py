"""Pages that the server itself answers: sign-in, start link, status and guide."""

import hmac
import logging
import os
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote, urlencode

from jinja2 import Environment, FileSystemLoader
from prometheus_client import CollectorRegistry, Gauge, generate_latest
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.requests import HTTPConnection, Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send

from app.domain.roles_and_rights import NOBODY
from app.domain.sign_in import OIDC_DAYS, SIGNED_IN_DAYS, AccessMode
from app.errors import NotListedError, SignInError, WorkbenchError
from app.oidc import CALLBACK, oidc_client
from app.services.background.health import health, traffic
from app.services.people.invitations import accept_invitation, read_invitation, used_invitation
from app.services.people.sign_ins import PARAMETER, end_sign_in, signed_words, words_in
from app.services.people.ways_to_sign_in import (
    ATTEMPT_SECONDS,
    SIGN_IN_COOKIE,
    access_contact,
    access_mode,
    attempt_in,
    begin_attempt,
    check_answer,
    cookie_name,
    is_secure,
    person_at_browser,
    proxies,
    set_address,
    sign_in_with_code,
)
from app.services.runtime.workbench import open_workbench
from app.settings import settings

GUIDE = "/guide/"
BUILT = Path(__file__).resolve().parents[1] / "static" / "guide"
NOT_BUILT = "The guide isn't built in this copy of the program: `make docs` builds it in a few seconds.\n"
_GUIDE_HEADERS = {
    # The theme has scripts in its pages. Nothing comes from another server, and no page elsewhere shows it.
    "Content-Security-Policy": "default-src 'self'; script-src 'self' 'unsafe-inline'; "
    "style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}


class _Pages(StaticFiles):
    async def get_response(self, path: str, scope: Scope) -> Response:
        if not (Path(self.directory or BUILT) / "index.html").is_file():
            return PlainTextResponse(NOT_BUILT, 404)
        return await super().get_response(path, scope)

    async def check_config(self) -> None:
        """Accept a missing folder: if nothing is built, the answer says so."""

    def file_response(
        self, full_path: os.PathLike[str] | str, stat_result: os.stat_result, scope: Scope, status_code: int = 200
    ) -> Response:
        answer = super().file_response(full_path, stat_result, scope, status_code)
        answer.headers.update(_GUIDE_HEADERS)
        return answer


def guide_routes(folder: Path = BUILT) -> list[BaseRoute]:
    """Return the guide's routes. folder: that of the built pages, which may be built while the server runs."""
    pages = _Pages(directory=folder, html=True, check_dir=False)
    return [Route(GUIDE.rstrip("/"), _to_pages, methods=["GET"]), Mount(GUIDE.rstrip("/"), pages)]


def _to_pages(_: Request) -> Response:
    return RedirectResponse(GUIDE)


SEE_OTHER = 303
_PAGES = Environment(loader=FileSystemLoader(Path(__file__).parent), autoescape=True)
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; "
    "frame-ancestors 'none'; base-uri 'none'",
    # The address holds the key. "no-referrer" would also hide from us which page a form was sent from.
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}


def sign_in_page(kind: str, status: int = 200, **words: str) -> Response:
    """Return a page of the sign-in template. kind: which one."""
    page = _PAGES.get_template("door.html").render(kind=kind, **words)
    return HTMLResponse(page, status, _HEADERS)


def refusal(reason: str | WorkbenchError) -> Response:
    return sign_in_page("refused", 403, reason=str(reason), ask=access_contact(), more=more_on(reason))


def more_on(reason: str | WorkbenchError) -> str:
    """Return the address of the guide's paragraph on an error; "" without one. The guide needs no sign-in."""
    paragraph = reason.paragraph if isinstance(reason, WorkbenchError) else None
    return GUIDE + paragraph.address if paragraph else ""


BEGIN = "/sign-in"
LONGEST_WAY_BACK = 1000
"""Most characters of the path. It is kept in a cookie, of which browsers keep 4,096 bytes."""
_LOOPS = (BEGIN, CALLBACK, "/leave")
_NOT_KEPT = {"Cache-Control": "no-store", "Referrer-Policy": "no-referrer"}
_log = logging.getLogger(__name__)


def button(back: str = "/", other: bool = False) -> dict[str, str]:
    """Return the template's values for the sign-in button. back: the path to return to after signing in. The button
    leads to the configured address, so that the cookie is there when the provider redirects back."""
    query = urlencode({"back": back} | ({"other": "yes"} if other else {}))
    return {"sign_in": f"{set_address()}{BEGIN}?{query}", "provider": oidc_client().host, "ask": access_contact()}


def begin(request: Request) -> Response:
    back = safe_return_path(request.query_params.get("back", ""))
    try:
        address, cookie = begin_attempt(back, other="other" in request.query_params)
    except WorkbenchError as error:
        return _error_page(error, back)
    answer = RedirectResponse(address, SEE_OTHER, _NOT_KEPT)
    answer.set_cookie(_cookie(), cookie, ATTEMPT_SECONDS, secure=is_secure(), httponly=True, samesite="lax")
    return answer


def finish_oidc_sign_in(request: Request) -> Response:
    """Sign in with the provider's answer. The attempt's cookie is deleted, unless it is of another attempt."""
    said = request.query_params
    try:
        attempt = attempt_in(request.cookies.get(_cookie(), ""), said.get("state", ""))
    except WorkbenchError as error:
        return _error_page(error, "/")
    answer: Response = RedirectResponse(set_address() + attempt.back, SEE_OTHER, _NOT_KEPT)
    try:
        check_answer(said.get("error", ""))
        cookie = sign_in_with_code(open_workbench(), attempt, said.get("code", ""), said.get("iss", ""))
        age = OIDC_DAYS * 24 * 3600
        answer.set_cookie(cookie_name(SIGN_IN_COOKIE), cookie, age, secure=is_secure(), httponly=True, samesite="lax")
    except WorkbenchError as error:
        answer = _error_page(error, attempt.back)
    answer.delete_cookie(_cookie(), secure=is_secure(), httponly=True, samesite="lax")
    return answer


def safe_return_path(wished: str) -> str:
    """Return `wished` if it is a path on this server; "/" if not, if too long, or if it leads back to signing in."""
    asks_on = any(wished == path or wished.startswith(f"{path}?") for path in _LOOPS)
    return "/" if asks_on or not wished.startswith("/") or len(wished) > LONGEST_WAY_BACK else wished


def oidc_routes() -> list[Route]:
    """Return the routes of signing in with a provider. The handlers aren't async: they run in threads."""
    return [Route(BEGIN, begin, methods=["GET"]), Route(CALLBACK, finish_oidc_sign_in, methods=["GET"])]


def _cookie() -> str:
    return cookie_name("interacteval_attempt")


def _error_page(error: WorkbenchError, back: str) -> Response:
    if isinstance(error, SignInError):
        _log.warning("Nobody was signed in: %s", error)  # the server's owner looks here
    status = 502 if isinstance(error, SignInError) else 403
    unlisted = isinstance(error, NotListedError)
    return sign_in_page("again", status, reason=str(error), more=more_on(error), **button(back, other=unlisted))


_AGE = SIGNED_IN_DAYS * 24 * 3600


def enter(request: Request) -> Response:
    """Accept an invitation by its button (POST). Opening the link alone doesn't use it up, as mail programs open links
    too.

    With a sign-in provider, a link alone lets nobody in: people sign in first and then return to it.
    """
    key = request.query_params.get("key", "")
    workbench = open_workbench()
    here = NOBODY
    try:
        here = person_at_browser(workbench, request.cookies, request.headers)
        if here.person is None and access_mode() is AccessMode.OIDC:
            return sign_in_page("sign_in_first", 401, **button(f"/enter?{urlencode({'key': key})}"))
        if request.method != "POST":
            signed_in = here.name if access_mode() is AccessMode.OIDC else ""
            return sign_in_page("welcome", name=read_invitation(workbench, key, here).name, signed_in=signed_in)
        _, cookie = accept_invitation(workbench, key, here)
    except WorkbenchError as error:
        if used_invitation(workbench, key, here):
            return RedirectResponse("/", SEE_OTHER)
        return refusal(error)
    answer = RedirectResponse("/", SEE_OTHER, {"Referrer-Policy": "same-origin"})
    if cookie:
        name = cookie_name(SIGN_IN_COOKIE)
        answer.set_cookie(name, cookie, httponly=True, samesite="lax", secure=is_secure(), max_age=_AGE)
    return answer


def leave(request: Request) -> Response:
    if request.method != "POST":
        return sign_in_page("leave", provider=_provider().get("provider", ""))
    end_sign_in(open_workbench(), request.cookies.get(cookie_name(SIGN_IN_COOKIE), ""))
    answer = sign_in_page("left", 200, **({"ask": access_contact()} | _provider()))
    answer.delete_cookie(cookie_name(SIGN_IN_COOKIE), httponly=True, samesite="lax", secure=is_secure())
    return answer


def sign_in_routes() -> list[Route]:
    """Return the routes of invitations and signing out, and with OIDC of signing in. The handlers aren't async:
    Starlette runs them in threads, so that a slow database blocks nobody else."""
    routes = [Route("/enter", enter, methods=["GET", "POST"]), Route("/leave", leave, methods=["GET", "POST"])]
    return [*routes, *oidc_routes()] if access_mode() is AccessMode.OIDC else routes


def _provider() -> dict[str, str]:
    """Return the button's values if a provider signs people in; after signing out one may choose another account."""
    return button(other=True) if access_mode() is AccessMode.OIDC else {}


COOKIE = "interacteval_start"
DAYS = 30
_PURPOSE = "interacteval start link"
_SECONDS = DAYS * 24 * 3600


class StartLink:
    """The start link of a local server. Its cookie, signed with the data folder's secret, outlives a restart."""

    def __init__(self, token: str, port: int) -> None:
        self._token = token
        self._cookie = f"{COOKIE}_{port}"

    def answer(self, asking: HTTPConnection) -> Response | None:
        """Return None for a browser with this server's cookie; else the page that says what to open. The link itself
        gets a page that sets the cookie and opens the app. (With a redirect, a link in another page would arrive
        without the cookie.)"""
        given = asking.query_params.get(PARAMETER, "")
        if given and asking.scope["type"] == "http" and asking.scope["method"] in ("GET", "HEAD"):
            return self._let_in(asking) if self._is_token(given) else sign_in_page("start", 403)
        if words_in(asking.cookies.get(self._cookie, ""), _PURPOSE, _SECONDS) == [COOKIE]:
            return None
        return sign_in_page("start", 401)

    def _let_in(self, asking: HTTPConnection) -> Response:
        kept = [(name, value) for name, value in asking.query_params.multi_items() if name != PARAMETER]
        query = f"?{urlencode(kept)}" if kept else ""
        page = sign_in_page("started", to="/" + quote(asking.scope["path"].lstrip("/")) + query)
        page.set_cookie(self._cookie, signed_words([COOKIE], _PURPOSE), _SECONDS, httponly=True, samesite="strict")
        return page

    def _is_token(self, given: str) -> bool:
        return hmac.compare_digest(given.encode(), self._token.encode())


HEALTH, METRICS = "/healthz", "/metrics"
_FORMAT = "text/plain; version=0.0.4; charset=utf-8"


def status_routes(sessions: Callable[[], int]) -> list[Route]:
    """Return the routes of health and metrics. sessions: returns how many browsers this process serves."""

    def healthz(_: Request) -> Response:
        try:
            found = health(open_workbench())
        except WorkbenchError:  # what is wrong stands in the log, which is not for everybody
            return JSONResponse({"database": "away"}, 503)
        well = {"database": "here", "migration": found.migration, "workers": found.workers, "writable": True}
        if found.trouble:
            return JSONResponse({**well, "writable": False, "reason": found.trouble}, 503)
        return JSONResponse(well)

    def metrics(request: Request) -> Response:
        if not _may_read(request):
            return PlainTextResponse("Send the token that INTERACTEVAL_METRICS_TOKEN holds, as a bearer.\n", 403)
        try:
            return Response(_figures(sessions()), media_type=_FORMAT)
        except WorkbenchError:
            return PlainTextResponse("The database is away.\n", 503)

    return [Route(HEALTH, healthz, methods=["GET"]), Route(METRICS, metrics, methods=["GET"])]


def _may_read(request: Request) -> bool:
    """Return whether the request may read metrics. On a network it needs the token, as behind a proxy all requests come
    from the same address."""
    token = settings().provider_variable("INTERACTEVAL_METRICS_TOKEN") or ""
    kind, _, given = request.headers.get("authorization", "").partition(" ")
    known = token and kind.lower() == "bearer" and hmac.compare_digest(given.strip().encode(), token.encode())
    return access_mode() is AccessMode.LOCAL or bool(known)


def _figures(sessions: int) -> bytes:
    workbench = open_workbench()
    well, busy = health(workbench), traffic(workbench)
    registry = CollectorRegistry()
    Gauge("interacteval_sessions", "Browsers that this process serves", registry=registry).set(sessions)
    Gauge("interacteval_workers", "Workers that are there", registry=registry).set(well.workers)
    latency = "Seconds that the database took to answer"
    Gauge("interacteval_database_seconds", latency, registry=registry).set(well.seconds)
    jobs = Gauge("interacteval_jobs", "Jobs in the background by status", ["status"], registry=registry)
    for status, count in busy.jobs.items():
        jobs.labels(status).set(count)
    calls = Gauge("interacteval_calls", "Calls of models on record by how they ended", ["ended"], registry=registry)
    for kind, count in busy.calls.items():
        calls.labels(kind or "answered").set(count)
    tokens = Gauge("interacteval_tokens", "Tokens of all calls on record", ["direction"], registry=registry)
    tokens.labels("input").set(busy.input_tokens)
    tokens.labels("output").set(busy.output_tokens)
    return generate_latest(registry)


WATCHED = ("/_stcore/health", HEALTH, METRICS)
"""Addresses for monitoring, answered to everybody; they show nothing of a project."""
OPEN = ("/enter", "/leave", GUIDE.rstrip("/"))
OPEN_TO_A_PROVIDER = (BEGIN, CALLBACK)
FORWARDED = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip")
"""Headers that a proxy sets. Without them its requests look like those of a browser on this computer."""
API = "/api/"
OPEN_FOLDERS = ("/static/", "/app/static/", GUIDE, API)
"""Open without signing in: the sign-in pages' files and the guide, which show nothing of a project, and the HTTP API,
which asks for a token itself."""

PERSON = "interacteval.person"
"""Key of the scope with the id of the person who is let in; absent in local mode, where all is the owner's."""


class Gate:
    """Lets requests in that may pass, and answers others. start_token: the token in the printed start link, "" if
    everybody at this computer may come in. port: the server's, part of its cookie's name, as servers on one computer
    share a browser's cookies."""

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
        answer = self._refuse_unknown_proxy(scope)
        path = scope["path"]
        if answer is None and path not in self._open and not path.startswith(OPEN_FOLDERS):
            answer = await run_in_threadpool(_unknown, HTTPConnection(scope), self._mode)
        await (answer or self._app)(scope, receive, send)

    def _not_started(self, scope: Scope) -> Response | None:
        path = scope["path"]
        if self._start is None or path in (*WATCHED[:2], GUIDE.rstrip("/")) or path.startswith(OPEN_FOLDERS):
            return None
        return self._start.answer(HTTPConnection(scope))

    def _refuse_unknown_proxy(self, scope: Scope) -> Response | None:
        if self._mode is not AccessMode.PROXY or (scope.get("client") or ("",))[0] in self._proxies:
            return None
        return refusal("This server is reached through a proxy, and this address isn't one of those it trusts.")


def _passed_on(scope: Scope) -> Response | None:
    """Return the refusal of a request through a proxy to a server without sign-in; None for a direct request."""
    if not any(name in Headers(scope=scope) for name in FORWARDED):
        return None
    return refusal(
        "This server is for its own computer alone, and this request came through a proxy. To let others in, it needs "
        "INTERACTEVAL_ACCESS: invite, proxy or oidc."
    )


def _unknown(connection: HTTPConnection, mode: AccessMode) -> Response | None:
    """Return the page for somebody who isn't signed in; None for a person, whose id is put into the request's scope.
    For a WebSocket the page ends the handshake."""
    try:
        actor = person_at_browser(open_workbench(), connection.cookies, connection.headers)
    except WorkbenchError as error:
        return refusal(error)
    if actor.person is not None:
        connection.scope[PERSON] = actor.person
        return None
    if mode is AccessMode.OIDC:
        wished = f"{connection.url.path}?{connection.url.query}".removesuffix("?")
        return sign_in_page("sign_in", 401, **button(safe_return_path(wished)))
    return sign_in_page("closed", 401, ask=access_contact())
