"""Status: whether the server is well, for what watches it, and figures for a chart of it. No name and no text."""

import hmac
from collections.abc import Callable

from prometheus_client import CollectorRegistry, Gauge, generate_latest
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from app.domain.people.person import AccessMode
from app.errors import WorkbenchError
from app.services.background.server_state import health, traffic
from app.services.people.ways_in import access_mode
from app.services.runtime.workbench import open_workbench
from app.settings import settings

HEALTH, METRICS = "/healthz", "/metrics"
_FORMAT = "text/plain; version=0.0.4; charset=utf-8"


def status_routes(sessions: Callable[[], int]) -> list[Route]:
    """sessions: how many browsers this process serves."""

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
    """On a network only who knows the token: behind a proxy every request comes from the same address."""
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
