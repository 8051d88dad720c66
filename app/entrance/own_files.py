"""Own files: an upload and a download are for the browser whose they are, and its uploads get a share of the memory."""

from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.entrance.session_owners import Owner, SessionOwners, owner_of
from app.entrance.streamlit_routes import Use, use_of

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
        upload = _Upload(self._owners, owner, receive)
        try:
            await self._app(scope, upload.receive if use is Use.UPLOAD else receive, send)
        finally:
            upload.end()

    def _refused(self, scope: Scope, use: Use, owner: Owner) -> Response | None:
        parts = [part for part in scope["path"].split("/") if part]
        if use is Use.MEDIA:
            known = self._owners.may_fetch(owner, "/".join(parts[1:]).partition(".")[0])
        else:
            session, file = parts[-2:]
            put = scope["method"] == "PUT"
            known = self._owners.may_upload(owner, session, file) if put else self._owners.owns(owner, session)
        return None if known else PlainTextResponse(NOT_YOURS, 403)


class _Upload:
    """Counts bytes as they arrive, so that too many are refused before they are kept."""

    def __init__(self, owners: SessionOwners, owner: Owner, receive: Receive) -> None:
        self._owners, self._owner, self._receive, self._taken = owners, owner, receive, 0

    async def receive(self) -> Message:
        message = await self._receive()
        size = len(message.get("body", b""))
        if size and not self._owners.arriving(self._owner, size):
            raise HTTPException(TOO_LARGE, TOO_MUCH)
        self._taken += size
        return message

    def end(self) -> None:
        """What was kept counts as kept from now on; what wasn't is gone."""
        self._owners.arrived(self._owner, self._taken)
