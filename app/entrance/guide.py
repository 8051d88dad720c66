"""Guide: the pages that `make docs` built, for everybody. There is nothing of a project in them."""

import os
from pathlib import Path

from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

GUIDE = "/guide/"
BUILT = Path(__file__).resolve().parents[1] / "static" / "guide"
NOT_BUILT = "The guide isn't built in this copy of the program: `make docs` builds it in a few seconds.\n"
_HEADERS = {
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
        """The folder may be missing: where nothing is built, the answer says so."""

    def file_response(
        self, full_path: os.PathLike[str] | str, stat_result: os.stat_result, scope: Scope, status_code: int = 200
    ) -> Response:
        answer = super().file_response(full_path, stat_result, scope, status_code)
        answer.headers.update(_HEADERS)
        return answer


def guide_routes(folder: Path = BUILT) -> list[BaseRoute]:
    """folder: where the built pages lie. They may be built while the server runs."""
    pages = _Pages(directory=folder, html=True, check_dir=False)
    return [Route(GUIDE.rstrip("/"), _to_pages, methods=["GET"]), Mount(GUIDE.rstrip("/"), pages)]


def _to_pages(_: Request) -> Response:
    return RedirectResponse(GUIDE)
