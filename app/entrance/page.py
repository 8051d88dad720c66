"""Page at the door: plain HTML without a script, which nobody keeps and no other page shows."""

from pathlib import Path

from jinja2 import Environment, FileSystemLoader
from starlette.responses import HTMLResponse, Response

from app.entrance.guide import GUIDE
from app.errors import WorkbenchError
from app.services.people.ways_in import whom_to_ask

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


def door_page(kind: str, status: int = 200, **words: str) -> Response:
    """kind: which of the template's pages."""
    page = _PAGES.get_template("door.html").render(kind=kind, **words)
    return HTMLResponse(page, status, _HEADERS)


def refusal(reason: str | WorkbenchError) -> Response:
    return door_page("refused", 403, reason=str(reason), ask=whom_to_ask(), more=more_on(reason))


def more_on(reason: str | WorkbenchError) -> str:
    """The address of what the guide, which is open at the door too, tells of an error; "" where it has nothing."""
    paragraph = reason.paragraph if isinstance(reason, WorkbenchError) else None
    return GUIDE + paragraph.address if paragraph else ""
