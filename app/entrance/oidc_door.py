"""Door to a provider: the button's address, and the one that the provider sends people back to."""

import logging
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from app.domain.people.person import OIDC_DAYS
from app.entrance.page import SEE_OTHER, door_page, more_on
from app.errors import NotListedError, SignInError, WorkbenchError
from app.oidc.client import CALLBACK, oidc_client
from app.services.people.oidc_sign_ins import (
    ATTEMPT_SECONDS,
    attempt_in,
    begin_attempt,
    check_answer,
    sign_in_with_code,
)
from app.services.people.ways_in import SIGN_IN_COOKIE, cookie_name, is_secure, set_address, whom_to_ask
from app.services.runtime.workbench import open_workbench

BEGIN = "/sign-in"
LONGEST_WAY_BACK = 1000
"""Characters. It travels in a cookie, of which browsers keep 4,096."""
_LOOPS = (BEGIN, CALLBACK, "/leave")
_HEADERS = {"Cache-Control": "no-store", "Referrer-Policy": "no-referrer"}
_log = logging.getLogger(__name__)


def button(back: str = "/", other: bool = False) -> dict[str, str]:
    """The words of a page with the button. back: the path that it leads to in the end. At the address that is set, so
    that the cookie is there when the provider sends the browser back."""
    query = urlencode({"back": back} | ({"other": "yes"} if other else {}))
    return {"sign_in": f"{set_address()}{BEGIN}?{query}", "provider": oidc_client().host, "ask": whom_to_ask()}


def begin(request: Request) -> Response:
    back = way_back(request.query_params.get("back", ""))
    try:
        address, cookie = begin_attempt(back, other="other" in request.query_params)
    except WorkbenchError as error:
        return _trouble(error, back)
    answer = RedirectResponse(address, SEE_OTHER, _HEADERS)
    answer.set_cookie(_cookie(), cookie, ATTEMPT_SECONDS, secure=is_secure(), httponly=True, samesite="lax")
    return answer


def come_back(request: Request) -> Response:
    """Whatever comes of it, the attempt is over: its cookie goes. One that this browser didn't begin ends none."""
    said = request.query_params
    try:
        attempt = attempt_in(request.cookies.get(_cookie(), ""), said.get("state", ""))
    except WorkbenchError as error:
        return _trouble(error, "/")
    answer: Response = RedirectResponse(set_address() + attempt.back, SEE_OTHER, _HEADERS)
    try:
        check_answer(said.get("error", ""))
        cookie = sign_in_with_code(open_workbench(), attempt, said.get("code", ""), said.get("iss", ""))
        age = OIDC_DAYS * 24 * 3600
        answer.set_cookie(cookie_name(SIGN_IN_COOKIE), cookie, age, secure=is_secure(), httponly=True, samesite="lax")
    except WorkbenchError as error:
        answer = _trouble(error, attempt.back)
    answer.delete_cookie(_cookie(), secure=is_secure(), httponly=True, samesite="lax")
    return answer


def way_back(wished: str) -> str:
    """A path on this server, which stands behind its address; "/" for what is none, and for what would lead round."""
    asks_on = any(wished == path or wished.startswith(f"{path}?") for path in _LOOPS)
    return "/" if asks_on or not wished.startswith("/") or len(wished) > LONGEST_WAY_BACK else wished


def oidc_routes() -> list[Route]:
    """Plain functions, as those of the other doors: the provider is asked in a thread."""
    return [Route(BEGIN, begin, methods=["GET"]), Route(CALLBACK, come_back, methods=["GET"])]


def _cookie() -> str:
    return cookie_name("interacteval_attempt")


def _trouble(error: WorkbenchError, back: str) -> Response:
    if isinstance(error, SignInError):
        _log.warning("Nobody was signed in: %s", error)  # whoever runs the server looks here
    status = 502 if isinstance(error, SignInError) else 403
    unlisted = isinstance(error, NotListedError)
    return door_page("again", status, reason=str(error), more=more_on(error), **button(back, other=unlisted))
