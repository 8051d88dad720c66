"""Door: the routes of those who come in by a link, and of those who go."""

from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from app.domain.people.actor import NOBODY
from app.domain.people.person import SIGNED_IN_DAYS, AccessMode
from app.entrance.oidc_door import button, oidc_routes
from app.entrance.page import SEE_OTHER, door_page, refusal
from app.errors import WorkbenchError
from app.services.people.invitations import accept_invitation, came_in_by, read_invitation
from app.services.people.sign_ins import end_sign_in
from app.services.people.ways_in import (
    SIGN_IN_COOKIE,
    access_mode,
    cookie_name,
    is_secure,
    who_asks,
    whom_to_ask,
)
from app.services.runtime.workbench import open_workbench

_AGE = SIGNED_IN_DAYS * 24 * 3600


def enter(request: Request) -> Response:
    """Looking at a link doesn't use it up: programs that read mail look at links too. The button does.

    Where a provider says who people are, a link alone lets nobody in: they sign in first and come back to it.
    """
    key = request.query_params.get("key", "")
    workbench = open_workbench()
    here = NOBODY
    try:
        here = who_asks(workbench, request.cookies, request.headers)
        if here.person is None and access_mode() is AccessMode.OIDC:
            return door_page("sign_in_first", 401, **button(f"/enter?{urlencode({'key': key})}"))
        if request.method != "POST":
            signed_in = here.name if access_mode() is AccessMode.OIDC else ""
            return door_page("welcome", name=read_invitation(workbench, key, here).name, signed_in=signed_in)
        _, cookie = accept_invitation(workbench, key, here)
    except WorkbenchError as error:
        if came_in_by(workbench, key, here):
            return RedirectResponse("/", SEE_OTHER)
        return refusal(error)
    answer = RedirectResponse("/", SEE_OTHER, {"Referrer-Policy": "same-origin"})
    if cookie:
        name = cookie_name(SIGN_IN_COOKIE)
        answer.set_cookie(name, cookie, httponly=True, samesite="lax", secure=is_secure(), max_age=_AGE)
    return answer


def leave(request: Request) -> Response:
    if request.method != "POST":
        return door_page("leave", provider=_provider().get("provider", ""))
    end_sign_in(open_workbench(), request.cookies.get(cookie_name(SIGN_IN_COOKIE), ""))
    answer = door_page("left", 200, **({"ask": whom_to_ask()} | _provider()))
    answer.delete_cookie(cookie_name(SIGN_IN_COOKIE), httponly=True, samesite="lax", secure=is_secure())
    return answer


def door_routes() -> list[Route]:
    """Plain functions: Starlette runs them in threads, so that a database that waits keeps nobody else waiting."""
    routes = [Route("/enter", enter, methods=["GET", "POST"]), Route("/leave", leave, methods=["GET", "POST"])]
    return [*routes, *oidc_routes()] if access_mode() is AccessMode.OIDC else routes


def _provider() -> dict[str, str]:
    """The button for those who sign in with a provider; who signed out may want to be somebody else."""
    return button(other=True) if access_mode() is AccessMode.OIDC else {}
