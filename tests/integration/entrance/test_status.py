"""What watches the server learns whether it is well and how much goes on, and nothing of anybody."""

from datetime import UTC, datetime, timedelta

import pytest
from prometheus_client.parser import text_string_to_metric_families
from sqlalchemy import Connection, event
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.testclient import TestClient

from app.domain.job import NewJob
from app.domain.model_call import RecordedCall
from app.domain.sign_in import AccessMode
from app.entrance.server_pages import Gate, status_routes
from app.services.background.jobs import living_workers
from app.services.runtime.workbench import Workbench, open_workbench
from app.settings import settings


@pytest.fixture
def bench(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> Workbench:
    monkeypatch.setattr("app.services.background.jobs.WORKER_TIMEOUT", timedelta(days=1))  # machines may be slow
    with bench.database.write() as work:
        work.jobs.add(NewJob("k", "Kind", {"secret": "planted"}, "Scoring of planted"))
        work.jobs.worker_seen("elsewhere|1-2")
        for digest, error in (("a", ""), ("b", ""), ("c", "timeout")):
            work.calls.add([recorded(digest, error)])
    return bench


def recorded(digest: str, error: str) -> RecordedCall:
    return RecordedCall(
        digest, "openai:planted", "judge", "p", "planted", input_tokens=10, output_tokens=3, error_kind=error
    )


def client(mode: AccessMode = AccessMode.INVITE) -> TestClient:
    app = Starlette(routes=status_routes(lambda: 4), middleware=[Middleware(Gate, mode=mode)])
    return TestClient(app, client=("203.0.113.9", 5))


def test_health_is_open_to_whatever_watches(bench: Workbench) -> None:
    answer = client().get("/healthz")
    assert answer.status_code == 200
    assert answer.json() == {"database": "here", "migration": bench.database.revision(), "workers": 1, "writable": True}


def test_health_of_a_database_that_is_read_only_is_bad(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INTERACTEVAL_ACCESS", "invite")
    settings.cache_clear()
    database = open_workbench().database

    @event.listens_for(database._writer, "begin")
    def read_only(connection: Connection) -> None:
        connection.exec_driver_sql("PRAGMA query_only=ON")

    try:
        answer = client().get("/healthz")
    finally:
        event.remove(database._writer, "begin", read_only)
        database._writer.dispose()
    assert (answer.status_code, answer.json()["writable"]) == (503, False)
    assert str(database.file) not in answer.json()["reason"]


def test_worker_whose_clock_is_off_is_counted(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.services.background.jobs.WORKER_TIMEOUT", timedelta(seconds=60))
    monkeypatch.setattr("db.repositories.jobs.now", lambda: datetime.now(UTC) - timedelta(hours=1))
    with bench.database.write() as work:
        work.jobs.worker_seen("elsewhere|3-4")
    assert "elsewhere|3-4" in living_workers(bench)


def test_a_database_that_is_away_is_said_and_nothing_of_where_it_is(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INTERACTEVAL_DATABASE_URL", "postgresql://planted:secret@127.0.0.1:1/none")
    settings.cache_clear()
    answer = client().get("/healthz")
    assert (answer.status_code, answer.json()) == (503, {"database": "away"})


def test_figures_are_for_whoever_knows_the_token(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    def asked(header: str = "") -> int:
        return client().get("/metrics", headers={"Authorization": header} if header else {}).status_code

    assert [asked(), asked("Bearer "), asked("Bearer x")] == [403, 403, 403]
    monkeypatch.setenv("INTERACTEVAL_METRICS_TOKEN", "known")
    settings.cache_clear()
    assert [asked(), asked("Bearer x"), asked("known"), asked("Basic known")] == [403, 403, 403, 403]
    assert asked("Bearer known") == 200


def test_figures_are_what_goes_on_and_name_nobody(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INTERACTEVAL_ACCESS", "local")
    settings.cache_clear()
    text = client(AccessMode.LOCAL).get("/metrics").text
    found = {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }
    assert found.pop(("interacteval_database_seconds",)) > 0
    assert found == {
        ("interacteval_sessions",): 4,
        ("interacteval_workers",): 1,
        ("interacteval_jobs", "waiting"): 1,
        ("interacteval_calls", "answered"): 2,
        ("interacteval_calls", "timeout"): 1,
        ("interacteval_tokens", "input"): 30,
        ("interacteval_tokens", "output"): 9,
    }
    assert "planted" not in text
