"""The HTTP API: programs judge texts with a project's published checklists, and read checklists and runs.

Each request carries a token of one project as a bearer. Errors are problem documents (RFC 9457).
"""

import asyncio
import logging
import threading
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from traceback import format_tb
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from app import __version__
from app.domain.checklist_score import Answer as Verdict
from app.domain.project import Text
from app.domain.storable_text import NAME_LIMIT
from app.entrance.server_pages import API
from app.errors import (
    BudgetError,
    ConflictError,
    DatabaseError,
    InputError,
    NotAllowedError,
    NotFoundError,
    NotReadyError,
    ProviderError,
    TransientError,
    WorkbenchError,
)
from app.limits import API_AT_ONCE, API_BODY
from app.services.checklists.checklist_files import checklist_for_programs
from app.services.checklists.checklists import view_checklist
from app.services.data.projects import one_dimension
from app.services.people.api_tokens import ApiCaller, StoredTokenBudget, api_caller
from app.services.results.result_texts import run_counts
from app.services.results.results import cached_results
from app.services.runtime.spending import run_spending
from app.services.runtime.workbench import Workbench, open_workbench
from app.services.scoring.api_judging import judge_with_published
from app.services.scoring.runs import get_run

V1 = f"{API}v1"
PROBLEM = "application/problem+json"
RETRY_SECONDS = 2
MOST_NUMBER = 2**31 - 1
"""The largest number of a version or a run; PostgreSQL's integers hold no larger one."""
OF_ANOTHER = "This token is of another project."
_NO_STORE = {"Cache-Control": "no-store"}
_log = logging.getLogger(__name__)

Name = Annotated[str, StringConstraints(max_length=NAME_LIMIT)]
Words = Annotated[str, StringConstraints(max_length=API_BODY.cell)]


class TextToJudge(BaseModel):
    """A text to judge, its name (`id`; its number by default), and what it was written from (`source`)."""

    model_config = ConfigDict(extra="forbid", strict=True)
    text: Annotated[str, StringConstraints(min_length=1, max_length=API_BODY.cell, pattern=r"\S")]
    id: Name = ""
    source: Words = ""


class JudgeRequest(BaseModel):
    """Texts, and the published checklist to judge them with; its newest version if none is named.

    judge: provider:name; without it the judge of the checklist's newest run.
    """

    model_config = ConfigDict(extra="forbid", strict=True)
    project: Name
    dimension: Name
    version: Annotated[int, Field(ge=1, le=MOST_NUMBER)] | None = None
    judge: Name = ""
    texts: Annotated[list[TextToJudge], Field(min_length=1, max_length=API_BODY.rows)]


class ProblemError(Exception):
    """An error that the API answers as a problem document. `detail` holds no token and no text."""

    def __init__(
        self,
        status: int,
        kind: str,
        title: str,
        detail: str = "",
        headers: Mapping[str, str] | None = None,
        errors: list[dict[str, str]] | None = None,
    ) -> None:
        super().__init__(title)
        self.status, self.headers = status, dict(headers or {})
        self.document = {
            "type": f"urn:interacteval:{kind}",
            "title": title,
            "status": status,
            **({"detail": detail} if detail else {}),
            **({"errors": errors} if errors else {}),
        }

    def answer(self) -> Response:
        return JSONResponse(self.document, self.status, _NO_STORE | self.headers, PROBLEM)


def problem_of(error: WorkbenchError) -> ProblemError:
    """Return the problem that answers one of our errors."""
    said = str(error)
    match error:
        case NotAllowedError():
            return ProblemError(403, "not-allowed", "This token doesn't let you do this", said)
        case NotFoundError() | NotReadyError():
            return ProblemError(404, "not-found", "This isn't there", said)
        case ConflictError():
            return ProblemError(409, "conflict", "Somebody else is changing this", said)
        case BudgetError():
            return ProblemError(402, "budget", "The budget is reached", said)
        case TransientError():
            wait = max(RETRY_SECONDS, round(error.retry_after or 0))
            return ProblemError(503, error.kind, "The judge can't answer now", said, {"Retry-After": str(wait)})
        case ProviderError() if error.exit_status == InputError.exit_status:
            return ProblemError(422, error.kind, "This judge can't be asked", said)
        case ProviderError():
            return ProblemError(502, error.kind, "The judge did not answer", said)
        case InputError():
            return ProblemError(422, "input", "This can't be done as asked", said)
        case _:
            _log.error("The HTTP API failed: %s", type(error).__name__)
            away = isinstance(error, DatabaseError)
            return ProblemError(503 if away else 500, "server", "The server can't do this now; its log says why")


@dataclass
class _Slots:
    """The API's own threads: judging takes long, and the server's other threads stay free for the screens."""

    pool: ThreadPoolExecutor
    free: threading.BoundedSemaphore

    @classmethod
    def of(cls, at_once: int) -> "_Slots":
        pool = ThreadPoolExecutor(at_once, thread_name_prefix="api")
        return cls(pool, threading.BoundedSemaphore(at_once))

    async def run(self, work: Callable[[], Any]) -> Any:
        """Run the work in a thread and return its result. Raises ProblemError if all threads are busy."""
        if not self.free.acquire(blocking=False):
            wait = {"Retry-After": str(RETRY_SECONDS)}
            raise ProblemError(429, "busy", "Too many requests are under way", "Come back in some seconds.", wait)
        try:
            begun = self.pool.submit(work)
        except RuntimeError:  # the process ends
            self.free.release()
            raise ProblemError(503, "server", "The server is ending") from None
        begun.add_done_callback(lambda _: self.free.release())  # also where the client has gone
        return await asyncio.wrap_future(begun)


Answer = Callable[[Request], Awaitable[Response]]


def api_routes(workbench: Callable[[], Workbench] = open_workbench, at_once: int = API_AT_ONCE) -> list[BaseRoute]:
    """Return the API's routes. workbench: opens the workbench to answer from. at_once: most requests at a time."""
    slots = _Slots.of(at_once)

    def answered(work: Callable[[ApiCaller, Request, bytes], Any]) -> Answer:
        async def route(request: Request) -> Response:
            try:
                caller = await asyncio.to_thread(_caller, workbench, request)
                body = await _body(request) if request.method == "POST" else b""
                found = await slots.run(lambda: _checked(work, caller, request, body))
                return JSONResponse(found, headers=_NO_STORE)
            except ProblemError as problem:
                return problem.answer()

        return route

    async def document(_: Request) -> Response:
        return JSONResponse(openapi())

    async def nothing(request: Request) -> Response:
        return ProblemError(404, "not-found", "There is nothing at this address, or not with this method").answer()

    methods = ["GET", "POST", "PUT", "PATCH", "DELETE"]
    return [
        Route(f"{V1}/openapi.json", document, methods=["GET"]),
        Route(f"{V1}/judge", answered(_judge), methods=["POST"]),
        Route(f"{V1}/checklists/{{project}}/{{dimension}}", answered(_checklist), methods=["GET"]),
        Route(f"{V1}/checklists/{{project}}/{{dimension}}/{{version:int}}", answered(_checklist), methods=["GET"]),
        Route(f"{V1}/runs/{{run:int}}", answered(_run), methods=["GET"]),
        Route(f"{API}{{path:path}}", nothing, methods=methods),
    ]


def _caller(workbench: Callable[[], Workbench], request: Request) -> ApiCaller:
    kind, _, given = request.headers.get("authorization", "").partition(" ")
    try:
        found = api_caller(workbench(), given.strip()) if kind.lower() == "bearer" else None
    except WorkbenchError as error:
        raise problem_of(error) from None
    if found is None:
        how = {"WWW-Authenticate": 'Bearer realm="interacteval"'}
        raise ProblemError(401, "token", "This needs a token", "Send a token of the project as a bearer.", how)
    return found


async def _body(request: Request) -> bytes:
    """Return the body. Raises ProblemError as soon as more bytes arrive than allowed, whatever the header says."""
    found = bytearray()
    async for part in request.stream():
        found += part
        if len(found) > API_BODY.size:
            raise ProblemError(413, "too-large", "The request is too large", f"{API_BODY.size:,} bytes are the most.")
    return bytes(found)


def _checked(work: Callable[[ApiCaller, Request, bytes], Any], caller: ApiCaller, request: Request, body: bytes) -> Any:
    try:
        return work(caller, request, body)
    except NotAllowedError:
        raise problem_of(NotAllowedError(OF_ANOTHER, "Send one of the project that is asked.")) from None
    except WorkbenchError as error:
        raise problem_of(error) from None
    except ProblemError:
        raise
    except Exception as error:
        # Where, and not what it says: that may hold a text.
        _log.error("The HTTP API met a bug (%s)\n%s", type(error).__name__, "".join(format_tb(error.__traceback__)))
        raise ProblemError(500, "server", "The server met a bug; its log says where") from error


def _judge(caller: ApiCaller, _: Request, body: bytes) -> Any:
    try:
        asked = JudgeRequest.model_validate_json(body)
    except ValidationError as error:
        raise ProblemError(422, "input", "The request is not as it has to be", errors=_faults(error)) from None
    reading = caller.workbench
    names = [text.id or str(number) for number, text in enumerate(asked.texts, start=1)]
    if twice := {name for name in names if names.count(name) > 1}:
        faults = [{"pointer": "#/texts", "detail": f"Ids that are there twice: {len(twice)}."}]
        raise ProblemError(422, "input", "The request is not as it has to be", errors=faults)
    texts = [
        Text(str(number), text.text.strip(), item_id=name, source=text.source.strip())
        for number, (name, text) in enumerate(zip(names, asked.texts, strict=True), start=1)
    ]
    budget = StoredTokenBudget(reading.database, caller.token.id)
    dimension = one_dimension(reading, asked.project, asked.dimension)
    seconds = API_BODY.seconds
    assert seconds is not None
    found = judge_with_published(reading, dimension.id, texts, budget, asked.version, asked.judge, seconds)
    return {**found.to_json(), "budget_left_usd": budget.left()}


def _faults(error: ValidationError) -> list[dict[str, str]]:
    """Return where and why a body is invalid, without what was sent."""
    return [
        {"pointer": "#" + "".join(f"/{part}" for part in fault["loc"]), "detail": fault["msg"]}
        for fault in error.errors(include_input=False, include_url=False, include_context=False)[: API_BODY.rows]
    ]


def _checklist(caller: ApiCaller, request: Request, _: bytes) -> Any:
    project, dimension = request.path_params["project"], request.path_params["dimension"]
    found = one_dimension(caller.workbench, project, dimension)
    view = view_checklist(caller.workbench, found.id, _number(request, "version"))
    return checklist_for_programs(view)


def _number(request: Request, name: str) -> int | None:
    """Return a number of the address, None where it has none. Raises NotFoundError for one that no database holds."""
    found: int | None = request.path_params.get(name)
    if found is not None and found > MOST_NUMBER:
        raise NotFoundError(f"There is no {name} {found}.")
    return found


def _run(caller: ApiCaller, request: Request, _: bytes) -> Any:
    reading, number = caller.workbench, _number(request, "run")
    assert number is not None
    run, counts, spent = get_run(reading, number), run_counts(reading, number), run_spending(reading, number)
    return {
        "run": run.id,
        "project": run.project,
        "evaluator": run.evaluator,
        "judge": run.judge,
        "dimensions": list(run.dimensions),
        "versions": dict(run.versions),
        "status": run.status.value,
        "done": run.done,
        "failed": run.failed,
        "all": run.all,
        "started": run.started.isoformat(),
        "cost_usd": spent.cost_usd,
        "by_dimension": counts,
        # A look at a held-out split is counted, so nobody gets there by chance.
        "results": [] if run.locked else [result.to_json() for result in cached_results(reading, [number])],
    }


def openapi() -> dict[str, Any]:
    """Return the API's description, an OpenAPI 3.1 document."""
    schemas = JudgeRequest.model_json_schema(ref_template="#/components/schemas/{model}")
    parts = schemas.pop("$defs", {})
    text, number = {"type": "string"}, {"type": ["number", "null"]}
    answer = {
        "number": {"type": "integer"},
        "question": text,
        "answer": {"enum": [each.value for each in Verdict]},
        "reason": text,
        "quote": text,
        "quote_found": {"type": "boolean"},
        "must_not": {"type": "boolean"},
    }
    judged = {"id": text, "score": number, "coverage": number, "weighted_score": number, "error": text}
    judged["cost_usd"] = number
    judged["inconsistent_grades"] = {"type": "integer"}
    judgment = {
        "project": text,
        "checklist": _object({"dimension": text, "version": {"type": "integer"}}),
        "judge": text,
        "texts": _list(_object({**judged, "answers": _list(_object(answer))})),
        "mean": number,
        "cost_usd": number,
        "calls": {"type": "integer"},
        "calls_cached": {"type": "integer"},
        "budget_left_usd": {"type": "number"},
    }
    problem = {"type": text, "title": text, "status": {"type": "integer"}, "detail": text, "errors": _list({})}
    place = [_parameter("project", text), _parameter("dimension", text)]
    version = _parameter("version", {"type": "integer"})
    return {
        "openapi": "3.1.0",
        "info": {"title": "InteractEval Workbench", "version": __version__},
        "servers": [{"url": "/"}],
        "security": [{"token": []}],
        "paths": {
            f"{V1}/judge": {
                "post": {
                    "operationId": "judge",
                    "summary": "Judge texts with a published checklist",
                    "requestBody": {"required": True, "content": _json("JudgeRequest")},
                    "responses": _responses("Judgment", 402, 404, 413, 422, 429, 502, 503),
                }
            },
            f"{V1}/checklists/{{project}}/{{dimension}}": {
                "get": _read("newestChecklist", "The newest published checklist", place)
            },
            f"{V1}/checklists/{{project}}/{{dimension}}/{{version}}": {
                "get": _read("checklist", "A published checklist", [*place, version])
            },
            f"{V1}/runs/{{run}}": {
                "get": _read("run", "A run, and its agreement with people", [_parameter("run", {"type": "integer"})])
            },
        },
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": {
                **parts,
                "JudgeRequest": schemas,
                "Judgment": _object(judgment),
                "Document": {"type": "object"},
                "Problem": _object(problem),
            },
        },
    }


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": dict(properties)}


def _list(of: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": dict(of)}


def _parameter(name: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    return {"name": name, "in": "path", "required": True, "schema": dict(schema)}


def _json(schema: str, kind: str = "application/json") -> dict[str, Any]:
    return {kind: {"schema": {"$ref": f"#/components/schemas/{schema}"}}}


_TITLES = {
    401: "No token, or none of this server's",
    402: "The budget is reached",
    403: "A token that was revoked, is too old, or is of another project",
    404: "Not there",
    413: "Too large",
    422: "Not as it has to be",
    429: "Too many requests are under way; Retry-After says when to come back",
    502: "The judge did not answer",
    503: "The judge or the database is away",
}


def _responses(schema: str, *more: int) -> dict[str, Any]:
    problems = {str(each): {"description": _TITLES[each], "content": _json("Problem", PROBLEM)} for each in more}
    tokens = {str(each): {"description": _TITLES[each], "content": _json("Problem", PROBLEM)} for each in (401, 403)}
    return {"200": {"description": "As asked", "content": _json(schema)}, **tokens, **problems}


def _read(name: str, summary: str, parameters: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "operationId": name,
        "summary": summary,
        "parameters": parameters,
        "responses": _responses("Document", 404, 429, 503),
    }
