"""The HTTP API: who comes in, what is refused, that answers are the project's own, and that budgets bind."""

import json
import logging
import os
import re
import subprocess
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from httpx2 import Response
from sqlalchemy import text as sql
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.testclient import TestClient

from app.domain.project import Dimension, Task
from app.domain.roles_and_rights import Actor, Membership, Role
from app.domain.sign_in import AccessMode
from app.entrance.api import OF_ANOTHER, PROBLEM, V1, api_routes, openapi
from app.entrance.request_checks import Guard, OwnAddresses, SessionOwners
from app.limits import API_BODY
from app.services.people.api_tokens import PREFIX, StoredTokenBudget, api_tokens_of, make_api_token, revoke_api_token
from app.services.people.invitations import revoke_access
from app.services.runtime.spending import project_spending, total_cost
from app.services.runtime.workbench import Workbench
from app.services.scoring.runs import RunOptions, start_run, work_on
from app.settings import names_of_server, settings
from db.unit_of_work import Database
from tests.support.fake_llm.behaviour import Answer, Slow, Tokens
from tests.support.fake_llm.server import FakeLlm, varied_answers
from tests.support.projects import ready_to_score, small_checklist, workbench_at
from tests.support.repository import ROOT

JUDGE = "llama:llama3.1:8b"
PRICES = f"checked: 2026-11-01\nmodels: {{'{JUDGE}': {{input: 1, cached: 1, output: 1}}}}\n"
YES = '{"q1": "yes", "q2": "no", "q3": "yes"}'
PLACE = {"project": "Ready", "dimension": "coherence"}
LONGEST, MOST = API_BODY.cell or 0, API_BODY.rows or 0
TEXTS = [{"id": "a", "text": "It began. Then it ended.", "source": "How it went."}, {"text": "Nothing."}]


@pytest.fixture
def llm() -> Iterator[FakeLlm]:
    with FakeLlm(usual=varied_answers) as server:
        yield server


@pytest.fixture
def bench(tmp_path: Path, llm: FakeLlm) -> Workbench:
    settings().own_prices.parent.mkdir(parents=True, exist_ok=True)
    settings().own_prices.write_text(PRICES, encoding="utf-8")
    found = workbench_at(tmp_path, f"{llm.url}/v1")
    ready_to_score(found)
    return found


class Api:
    """A client of the API. secret: the token that it sends; "" for none."""

    def __init__(self, bench: Workbench, secret: str = "", **more: Any) -> None:
        self._client = TestClient(Starlette(routes=api_routes(lambda: bench, **more)))
        self.headers = {"Authorization": f"Bearer {secret}"} if secret else {}

    def judge(self, texts: list[dict[str, str]] | None = None, **more: Any) -> Response:
        body = {**PLACE, "judge": JUDGE, "texts": TEXTS if texts is None else texts, **more}
        return self._client.post(f"{V1}/judge", json=body, headers=self.headers)

    def get(self, path: str) -> Response:
        return self._client.get(f"{V1}/{path}", headers=self.headers)

    def post(self, data: bytes | Iterator[bytes]) -> Response:
        return self._client.post(f"{V1}/judge", content=data, headers=self.headers)


def made(bench: Workbench, name: str = "nightly", budget: float = 5.0, project: int = 1) -> str:
    return make_api_token(bench, project, name, budget).secret


@pytest.fixture
def api(bench: Workbench) -> Api:
    return Api(bench, made(bench))


def refused(answer: Response, status: int) -> dict[str, Any]:
    """The problem; it must have this status and be one."""
    assert (answer.status_code, answer.headers["content-type"]) == (status, PROBLEM), answer.text
    found: dict[str, Any] = answer.json()
    assert found["status"] == status
    return found


def test_judged_texts_have_score_answers_and_cost(bench: Workbench, api: Api) -> None:
    answer = api.judge()
    assert answer.status_code == 200, answer.text
    found = answer.json()
    assert [text["id"] for text in found["texts"]] == ["a", "2"]
    assert all(len(text["answers"]) == 3 and text["score"] is not None for text in found["texts"])
    assert (found["checklist"], found["judge"], found["calls"]) == ({"dimension": "coherence", "version": 1}, JUDGE, 2)
    cost, unknown = total_cost(project_spending(bench, 1))
    assert list(unknown) == []
    assert cost == pytest.approx(found["cost_usd"])
    assert sum(text["cost_usd"] for text in found["texts"]) == pytest.approx(cost)
    assert min(text["cost_usd"] for text in found["texts"]) > 0
    assert found["budget_left_usd"] == pytest.approx(5 - cost)
    (token,) = api_tokens_of(bench, 1)
    assert token.used_at is not None
    assert token.spent_usd == pytest.approx(cost)
    with bench.database.read() as work:
        assert (work.texts.count(1), work.runs.all()) == (12, [])


def test_scores_equal_those_of_the_projects_run(bench: Workbench, api: Api) -> None:
    with bench.database.read() as work:
        dimension = work.projects.dimension(1, "coherence")
    run = start_run(bench, 1, RunOptions((dimension,), JUDGE, settings=(("per_question", "yes"),)))
    work_on(bench, run)
    with bench.database.read() as work:
        scores = {row.text: row.score for row in work.results.scored(run, dimension.id)}
        texts = work.texts.many(list(scores))
    asked = [{"id": str(id_), "text": text.text, "source": text.source} for id_, text in texts.items()]
    body = {**PLACE, "texts": asked}
    found = api._client.post(f"{V1}/judge", json=body, headers=api.headers).json()
    assert {int(text["id"]): text["score"] for text in found["texts"]} == scores
    assert None not in scores.values()
    assert (found["judge"], found["calls"], found["calls_cached"]) == (JUDGE, 0, 36)


def test_a_checklist_and_a_run_are_read(bench: Workbench, api: Api) -> None:
    newest, first = api.get("checklists/Ready/coherence"), api.get("checklists/Ready/coherence/1")
    assert newest.json() == first.json()
    assert (newest.json()["rubric"], len(newest.json()["questions"])) == ("How the parts fit together.", 3)
    with bench.database.read() as work:
        dimension = work.projects.dimension(1, "coherence")
    run = start_run(bench, 1, RunOptions((dimension,), "rules"))
    work_on(bench, run)
    found = api.get(f"runs/{run}").json()
    assert (found["run"], found["status"], found["done"]) == (run, "done", 12)
    assert (found["versions"], found["results"][0]["scored"]) == ({"coherence": 1}, 12)


def test_what_is_not_there_is_not_found(api: Api) -> None:
    beyond = 10**20
    for path in ("checklists/Ready/warmth", "checklists/Ready/coherence/9", "runs/99", "runs", "", "judge"):
        refused(api.get(path), 404)
    for path in (f"runs/{beyond}", f"checklists/Ready/coherence/{beyond}"):
        refused(api.get(path), 404)
    refused(api.judge(version=9), 404)
    refused(api.judge(dimension="warmth"), 404)


def test_without_a_good_token_nothing_is_answered(bench: Workbench) -> None:
    for headers in ({}, {"Authorization": "Bearer x"}, {"Authorization": f"Basic {made(bench)}"}):
        api = Api(bench)
        api.headers = headers
        for answer in (api.judge(), api.get("runs/1"), api.get("checklists/Ready/coherence")):
            refused(answer, 401)
            assert answer.headers["www-authenticate"].startswith("Bearer")

    secret = made(bench, "in an address")
    refused(Api(bench).get(f"checklists/Ready/coherence?token={secret}"), 401)
    refused(Api(bench).get(f"checklists/Ready/coherence?access_token={secret}"), 401)


def test_a_revoked_and_an_expired_token_are_refused(bench: Workbench, api: Api) -> None:
    old = Api(bench, made(bench, "old"))
    revoke_api_token(bench, 1, "nightly")
    refused(api.judge(), 403)
    refused(api.get("checklists/Ready/coherence"), 403)
    assert old.get("checklists/Ready/coherence").status_code == 200
    with bench.database.write() as work:
        past = datetime.now(UTC) - timedelta(seconds=1)
        work._session.connection().execute(sql("UPDATE api_token SET expires_at = :past"), {"past": past.isoformat()})
    refused(old.judge(), 403)


def test_a_foreign_token_is_refused(bench: Workbench, api: Api) -> None:
    with bench.database.read() as work:
        dimension = work.projects.dimension(1, "coherence")
    run = start_run(bench, 1, RunOptions((dimension,), "rules"))
    with bench.database.write() as work:
        other = work.projects.add("Other", Task())
        work.projects.add_dimension(other.id, Dimension("coherence"))
    foreign = Api(bench, made(bench, project=other.id))
    for answer in (foreign.judge(), foreign.get("checklists/Ready/coherence"), foreign.get(f"runs/{run}")):
        refused(answer, 403)
    refused(api.judge(project="Other"), 403)
    assert refused(api.judge(project="Nowhere"), 403) == refused(api.judge(project="Other"), 403)
    assert foreign.get(f"runs/{run}").json()["detail"].startswith(OF_ANOTHER)


def test_a_token_ends_with_its_makers_part(bench: Workbench) -> None:
    with bench.database.write() as work:
        fay = work.people.add("invite", "1", "Fay")
        work.people.join(fay.id, 1, Role.FACILITATOR, "Fay")
    hers = replace(bench, actor=Actor(fay.id, "Fay", memberships={1: Membership(Role.FACILITATOR, "Fay")}))
    api = Api(bench, made(hers))
    assert api.judge().status_code == 200
    revoke_access(bench, 1, "Fay")
    refused(api.judge(), 403)


BAD: dict[str, dict[str, Any]] = {
    "no texts": {"texts": []},
    "a blank text": {"texts": [{"text": " "}]},
    "a number": {"texts": [{"text": 7}]},
    "a field too many in a text": {"texts": [{"text": "A.", "who": "Ana"}]},
    "a long text": {"texts": [{"text": "A." * LONGEST}]},
    "many texts": {"texts": [{"text": "A."}] * (MOST + 1)},
    "an id twice": {"texts": [{"id": "a", "text": "A."}, {"id": "a", "text": "B."}]},
    "a word for a version": {"version": "one"},
    "no version": {"version": 0},
    "an unknown judge": {"judge": "nobody:knows"},
    "no judge without a run": {"judge": ""},
    "a field too many": {"more": 1},
}


def test_a_bad_body_is_unprocessable(api: Api, llm: FakeLlm, subtests: pytest.Subtests) -> None:
    for what, change in BAD.items():
        with subtests.test(what):
            assert "A.A." not in str(refused(api.judge(**change), 422))
            assert llm.requests == []
    for body in (b"", b"[", b"\xff", b"[" * 100_000, b'{"texts": "\\ud800"}'):
        with subtests.test(str(body[:20])):
            refused(api.post(body), 422)
    # Beyond the limit it is too large.
    refused(api.post(b" " * (API_BODY.size + 1)), 413)
    refused(api.post(b" " * 2**16 for _ in range(API_BODY.size // 2**16 + 1)), 413)


def test_many_clients_are_all_answered_or_told_to_come_back(bench: Workbench, llm: FakeLlm) -> None:
    llm.usual = Slow(0.05, Answer(YES))
    api = Api(bench, made(bench), at_once=4)

    def asked(number: int) -> Response:
        return api.judge([{"text": f"Text of client {number}."}])

    with ThreadPoolExecutor(20) as clients:
        answers = list(clients.map(asked, range(20)))
    done = [answer for answer in answers if answer.status_code == 200]
    for answer in answers:
        if answer not in done:
            refused(answer, 429)
            assert int(answer.headers["retry-after"]) >= 1
    assert len(done) >= 4
    cost = sum(answer.json()["cost_usd"] for answer in done)
    assert api_tokens_of(bench, 1)[0].spent_usd == pytest.approx(cost)
    assert asked(99).status_code == 200


def test_a_budget_of_one_cent_is_not_exceeded(bench: Workbench, llm: FakeLlm) -> None:
    llm.usual = Answer(YES, tokens=Tokens(input=1800, output=600))
    secret, elsewhere = made(bench, budget=0.01), Database(bench.database.address)
    processes = [Api(bench, secret), Api(replace(bench, database=elsewhere), secret)]

    def asked(number: int) -> Response:
        """By two web processes in turn, as the database sees them."""
        return processes[number % 2].judge([{"text": f"{number} {text} has words."} for text in range(8)])

    with ThreadPoolExecutor(4) as clients:
        answers = list(clients.map(asked, range(4)))
    assert {answer.status_code for answer in answers} <= {200, 402}
    last = next(answer for number in range(5, 20) if (answer := asked(number)).status_code != 200)
    refused(last, 402)
    cost, _ = total_cost(project_spending(bench, 1))
    assert 0.005 < cost <= 0.01
    (token,) = api_tokens_of(bench, 1)
    assert token.spent_usd == pytest.approx(cost)
    elsewhere.close()


def test_money_that_another_process_set_aside_is_not_spent(bench: Workbench, llm: FakeLlm) -> None:
    api = Api(bench, made(bench, budget=1.0))
    budget = StoredTokenBudget(bench.database, api_tokens_of(bench, 1)[0].id)
    assert budget._reserve(1.0)
    refused(api.judge(), 402)
    assert llm.requests == []
    budget._settle(1.0, 0.0)
    assert api.judge().status_code == 200


def test_nothing_of_a_token_is_stored_logged_or_said(
    bench: Workbench, llm: FakeLlm, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    secret = made(bench)
    api = Api(bench, secret)
    said = [api.judge().text, api.judge(project="Other").text, api.post(b"[").text, api.get("runs/99").text]
    revoke_api_token(bench, 1, "nightly")
    said += [api.judge().text, repr(api_tokens_of(bench, 1)), caplog.text, str(llm.requests)]
    assert not [each for each in said if secret in each or secret.removeprefix(PREFIX) in each]
    stored = b"".join(file.read_bytes() for file in Path(bench.database.file or "").parent.glob("workbench.db*"))
    assert secret.removeprefix(PREFIX).encode() not in stored


def test_a_bug_is_answered_without_what_it_says(
    bench: Workbench, api: Api, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    said = "It began"

    def broken(*_: object) -> None:
        raise KeyError(said)

    monkeypatch.setattr("app.entrance.api.judge_with_published", broken)
    refused(api.judge(), 500)
    assert "KeyError" in caplog.text
    assert said not in caplog.text


def test_the_document_names_every_route_and_needs_no_token(bench: Workbench) -> None:
    document = Api(bench).get("openapi.json").json()
    assert document == openapi()
    own = {route.path.replace(":int", "") for route in api_routes(lambda: bench) if hasattr(route, "path")}
    assert set(document["paths"]) == own - {f"{V1}/openapi.json", "/api/{path:path}"}
    text = str(document)
    schemas = document["components"]["schemas"]
    assert all(f"#/components/schemas/{name}" in text for name in schemas)
    assert schemas["JudgeRequest"]["required"] == ["project", "dimension", "texts"]


def served(bench: Workbench, mode: AccessMode, token: str = "") -> TestClient:
    """The API behind the guard, as the server has it."""
    own = OwnAddresses(names_of_server("127.0.0.1", ["testserver"]), 80, "")
    guard = Middleware(Guard, own=own, owners=SessionOwners(1000), mode=mode, start_token=token)
    return TestClient(Starlette(routes=api_routes(lambda: bench), middleware=[guard]), client=("203.0.113.9", 5))


@pytest.mark.parametrize("mode", [AccessMode.LOCAL, AccessMode.INVITE])
def test_a_program_comes_in_with_a_token_alone(bench: Workbench, mode: AccessMode) -> None:
    client, headers = served(bench, mode, "start"), {"Authorization": f"Bearer {made(bench)}"}
    body = {**PLACE, "judge": "rules", "texts": TEXTS}
    assert client.post(f"{V1}/judge", json=body, headers=headers).status_code == 200
    assert client.get(f"{V1}/openapi.json").status_code == 200
    refused(client.get(f"{V1}/runs/1"), 401)
    assert (
        client.post(f"{V1}/judge", json=body, headers=headers | {"Origin": "https://evil.example"}).status_code == 403
    )
    refused(client.post(f"{V1}/judge", json=body), 401)


def test_the_guides_curl_examples_run_as_they_are_shown(bench: Workbench) -> None:
    with bench.database.write() as work:
        project = work.projects.add("Replies", Task("reply"))
        small_checklist(work, work.projects.add_dimension(project.id, Dimension("tone", "How polite.")).id)
    page = (ROOT / "docs" / "guide" / "api.md").read_text(encoding="utf-8")
    judging, reading = re.findall(r"```sh\n(.*?)```", page, re.DOTALL)
    own = OwnAddresses(names_of_server("127.0.0.1", []), 80, "")
    guard = Middleware(Guard, own=own, owners=SessionOwners(1000), mode=AccessMode.LOCAL)
    app = Starlette(routes=api_routes(lambda: bench), middleware=[guard])
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="warning"))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            time.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        given = {"PATH": os.environ["PATH"], "WORKBENCH": f"http://127.0.0.1:{port}"}
        given["INTERACTEVAL_TOKEN"] = made(bench, project=project.id)
        said = [
            subprocess.run(["bash", "-ec", each], env=given, capture_output=True, check=False)
            for each in (judging, reading)
        ]
    finally:
        server.should_exit = True
        thread.join()
    assert [each.returncode for each in said] == [0, 0], said
    assert [text["id"] for text in json.loads(said[0].stdout)["texts"]] == ["a", "b"]
    assert json.loads(said[1].stdout)["dimension"] == "tone"


def test_the_projects_monthly_budget_binds_too(
    bench: Workbench, api: Api, llm: FakeLlm, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INTERACTEVAL_PROJECT_BUDGET", "0")
    settings.cache_clear()
    refused(api.judge(), 402)
    assert llm.requests == []


def test_money_is_set_aside_for_more_tokens_than_a_text_can_have(bench: Workbench, llm: FakeLlm) -> None:
    """A text of odd characters has four times the tokens that prose of its length has."""
    llm.usual = Answer(YES, tokens=Tokens(input=60_000, output=300))
    api = Api(bench, made(bench, budget=0.05))
    refused(api.judge([{"text": "}{" * 30_000}]), 402)
    assert llm.requests == []
