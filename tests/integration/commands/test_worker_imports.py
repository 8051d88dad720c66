"""Workers as processes: a file that a browser handed over comes in once, whatever becomes of who reads it."""

from collections.abc import Iterator
from datetime import timedelta
from io import StringIO
from pathlib import Path

import pytest
from sqlalchemy import func
from sqlmodel import select

from app.domain.job import JobStatus
from app.providers.credentials import Credentials
from app.services.background.jobs import workers_there
from app.services.data import imports
from app.services.data.imports import import_key, last_report, start_import
from app.services.data.uploads import ImportPlan, MappedColumns, Upload
from app.services.runtime.workbench import Workbench
from db.models.project import JobFileBlockRow, JobFileRow, StagedTextRow, TextImportRow
from db.unit_of_work import Database, UnitOfWork
from tests.support.background import wait_for
from tests.support.workers import Started, until, worker_processes

TEXTS = 30_000
PLAN = ImportPlan(mapped=MappedColumns({"text": "text", "doc_id": "doc"}, (("flow", "flow"),)))


@pytest.fixture
def web(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workbench]:
    """A web process for which what is large is small; no worker counts as gone because the machine is slow."""
    monkeypatch.setattr(imports, "LARGE_IMPORT", 2**16)
    monkeypatch.setattr("app.services.background.progress.BLOCK_BYTES", 2**16)
    monkeypatch.setattr("app.services.background.jobs.WORKER_TIMEOUT", timedelta(days=1))
    workbench = Workbench(Database(f"sqlite:///{tmp_path}/workbench.db"), Credentials())
    yield workbench
    workbench.database.close()


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Started]:
    variables = {"INTERACTEVAL_DATABASE_URL": f"sqlite:///{tmp_path}/workbench.db"}
    with worker_processes(variables) as started:
        yield started


def upload() -> Upload:
    table = StringIO()
    table.write("doc,text,flow\n")
    table.writelines(f"d{n},Text number {n}.,{1 + n % 5}\n" for n in range(TEXTS))
    return Upload("mine.csv", table.getvalue().encode())


def count(work: UnitOfWork, *tables: type) -> int:
    return sum(work.jobs._session.exec(select(func.count()).select_from(table)).one() for table in tables)


@pytest.mark.long
def test_a_worker_killed_in_the_middle_of_an_import_leaves_it_to_another(web: Workbench, start: Started) -> None:
    first = start()
    until(lambda: workers_there(web), "no worker came")
    assert start_import(web, upload(), "Mine", PLAN)

    def killed() -> bool:
        """While this process holds the lock for writing, no step of the worker's can be kept."""
        with web.database.write() as work:
            work.jobs.worker_seen("the test|1")  # a write: the lock is taken
            if not count(work, StagedTextRow):
                return False
            first.kill()
            assert first.wait() == -9
            assert work.projects.find("Mine") is None
            return True

    until(killed, "the worker reads nothing in")
    second = start()
    job = wait_for(import_key("Mine"), web)
    assert job is not None
    assert (job.status, job.message, job.bound) == (JobStatus.DONE, "", False)
    with web.database.read() as work:
        assert work.texts.count(work.projects.get("Mine").id) == TEXTS
        assert count(work, JobFileRow, JobFileBlockRow, TextImportRow, StagedTextRow) == 0
    report = last_report(web, "Mine")
    assert report is not None
    assert (report.added_texts, report.added_ratings, report.skipped) == (TEXTS, TEXTS, ())
    assert second.poll() is None
