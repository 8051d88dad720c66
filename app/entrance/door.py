"""Door: the pages of those who come in or go, as plain HTML without a script, and the routes that show them."""

from pathlib import Path
from urllib.parse import urlsplit

from jinja2 import Environment, FileSystemLoader
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from app.domain.people.actor import NOBODY
from app.domain.people.person import SIGNED_IN_DAYS
from app.errors import WorkbenchError
from app.services.people.invitations import accept_invitation, came_in_by, read_invitation
from app.services.people.sign_ins import end_sign_in
from app.services.people.ways_in import SIGN_IN_COOKIE, is_secure, set_address, who_asks, whom_to_ask
from app.services.runtime.workbench import open_workbench

_PAGES = Environment(loader=FileSystemLoader(Path(__file__).parent), autoescape=True)
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; "
    "frame-ancestors 'none'; base-uri 'none'",
    # The address holds the key. "no-referrer" would also hide from us which page a form was sent from.
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}
_SEE_OTHER = 303
_AGE = SIGNED_IN_DAYS * 24 * 3600


def door_page(kind: str, status: int = 200, **words: str) -> Response:
    """kind: which of the template's pages."""
    page = _PAGES.get_template("door.html").render(kind=kind, **words)
    return HTMLResponse(page, status, _HEADERS)


def refusal(reason: str) -> Response:
    return door_page("refused", 403, reason=reason, ask=whom_to_ask())


def enter(request: Request) -> Response:
    """Looking at a link doesn't use it up: programs that read mail look at links too. The button does."""
    key = request.query_params.get("key", "")
    workbench = open_workbench()
    here = NOBODY
    try:
        here = who_asks(workbench, request.cookies, request.headers)
        if request.method != "POST":
            return door_page("welcome", name=read_invitation(workbench, key, here).name)
        if not _same_origin(request):
            return refusal("This request came from a page of another server.")
        _, cookie = accept_invitation(workbench, key, here)
    except WorkbenchError as error:
        if came_in_by(workbench, key, here):
            return RedirectResponse("/", _SEE_OTHER)
        return refusal(str(error))
    answer = RedirectResponse("/", _SEE_OTHER, {"Referrer-Policy": "same-origin"})
    if cookie:
        answer.set_cookie(SIGN_IN_COOKIE, cookie, httponly=True, samesite="lax", secure=is_secure(), max_age=_AGE)
    return answer


def leave(request: Request) -> Response:
    if request.method != "POST":
        return door_page("leave")
    if not _same_origin(request):
        return refusal("This request came from a page of another server.")
    end_sign_in(open_workbench(), request.cookies.get(SIGN_IN_COOKIE, ""))
    answer = door_page("left", ask=whom_to_ask())
    answer.delete_cookie(SIGN_IN_COOKIE, httponly=True, samesite="lax", secure=is_secure())
    return answer


def door_routes() -> list[Route]:
    """Plain functions: Starlette runs them in threads, so that a database that waits keeps nobody else waiting."""
    return [Route("/enter", enter, methods=["GET", "POST"]), Route("/leave", leave, methods=["GET", "POST"])]


def _same_origin(request: Request) -> bool:
    """Browsers say where a form was sent from; one that says nothing of it sent no form of another page. A proxy may
    ask by another name than browsers do: the address that is set is ours too."""
    origin = request.headers.get("origin")
    ours = {request.headers.get("host"), urlsplit(set_address()).netloc} - {None, ""}
    return origin is None or urlsplit(origin).netloc in ours
