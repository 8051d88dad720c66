"""Streamlit's routes, and what each is to the workbench. What isn't used is closed, also what later versions add."""

from enum import Enum

from starlette.routing import compile_path


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
