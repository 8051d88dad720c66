"""Start link: the way in on one's own computer, whose other programs and people aren't the owner."""

import hmac
from urllib.parse import quote, urlencode

from starlette.requests import HTTPConnection
from starlette.responses import Response

from app.entrance.page import door_page
from app.services.people.start_tokens import PARAMETER
from app.services.people.tokens import signed_words, words_in

COOKIE = "interacteval_start"
DAYS = 30
_PURPOSE = "interacteval start link"
_SECONDS = DAYS * 24 * 3600


class StartLink:
    """The cookie is signed with the secret of the data folder, so that a tab that is open goes on after a restart."""

    def __init__(self, token: str, port: int) -> None:
        self._token = token
        self._cookie = f"{COOKIE}_{port}"

    def answer(self, asking: HTTPConnection) -> Response | None:
        """None for a browser that came in by a link of this server; else the page that says what to open, or, for the
        link itself, one that goes on to the app. (A redirect of a link in another page would come without the cookie.)
        """
        given = asking.query_params.get(PARAMETER, "")
        if given and asking.scope["type"] == "http" and asking.scope["method"] in ("GET", "HEAD"):
            return self._let_in(asking) if self._is_token(given) else door_page("start", 403)
        if words_in(asking.cookies.get(self._cookie, ""), _PURPOSE, _SECONDS) == [COOKIE]:
            return None
        return door_page("start", 401)

    def _let_in(self, asking: HTTPConnection) -> Response:
        kept = [(name, value) for name, value in asking.query_params.multi_items() if name != PARAMETER]
        query = f"?{urlencode(kept)}" if kept else ""
        page = door_page("started", to="/" + quote(asking.scope["path"].lstrip("/")) + query)
        page.set_cookie(self._cookie, signed_words([COOKIE], _PURPOSE), _SECONDS, httponly=True, samesite="strict")
        return page

    def _is_token(self, given: str) -> bool:
        return hmac.compare_digest(given.encode(), self._token.encode())
