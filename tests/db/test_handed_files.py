"""A file that goes with a job: any process can do the job, several bring the file in once, and no block outlives it."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from io import StringIO

import pytest
from sqlalchemy import func
from sqlmodel import select

from app.domain.job import Job, JobStatus, NewJob
from app.errors import ConflictError
from app.providers.credentials import Credentials
from app.services.background import progress
from app.services.background.jobs import job_state, start_job
from app.services.background.progress import store_job_file, write_handed
from app.services.background.runner import do_in_thread, next_job
from app.services.data import imports
from app.services.data import imports as import_jobs
from app.services.data.imports import HandedImportJob, forget_report, import_key, last_report, start_import
from app.services.data.uploads import ImportPlan, MappedColumns, Upload
from app.services.runtime.backups import WriterLock
from app.services.runtime.workbench import Workbench
from db.models.columns import now
from db.models.project import JobFileBlockRow, JobFileRow, JobRow, StagedTextRow, TextImportRow
from db.repositories.imports import FORSAKEN
from db.repositories.jobs import LOSSES
from db.unit_of_work import Database, UnitOfWork
from tests.support.background import wait_for
from tests.support.postgres import POSTGRES_LONG

TEXTS, DATA = 25, b"0123456789" * 10
PLAN = ImportPlan(mapped=MappedColumns({"text": "text", "doc_id": "doc"}, (("flow", "flow"),)))
LONG_AGO = timedelta(minutes=1)


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is large here is small, and no worker counts as gone because the machine is slow."""
    monkeypatch.setattr(import_jobs, "LARGE_IMPORT", 100)
    monkeypatch.setattr(progress, "BLOCK_BYTES", 32)
    monkeypatch.setattr(imports, "BLOCK", 4)
    monkeypatch.setattr(imports, "PAUSE", 0)
    monkeypatch.setattr("app.services.background.jobs.WORKER_TIMEOUT", timedelta(days=1))


@pytest.fixture
def workbench(database: Database) -> Workbench:
    """That of a web process, beside which a worker is there that takes nothing."""
    with database.write() as work:
        work.jobs.worker_seen("elsewhere|1")
    return Workbench(database, Credentials())


@pytest.fixture
def other(address: str) -> Iterator[Workbench]:
    """That of a worker, a process of its own as far as the database knows."""
    opened = Workbench(Database(address), Credentials())
    yield opened
    opened.database.close()


def upload() -> Upload:
    table = StringIO()
    table.write("doc,text,flow\n")
    table.writelines(f"d{n},Text number {n}.,{1 + n % 5}\n" for n in range(TEXTS))
    return Upload("mine.csv", table.getvalue().encode())


def left(workbench: Workbench) -> int:
    """Rows of files, of their blocks, and of what was read in of them."""
    with workbench.database.read() as work:
        session = work.jobs._session
        tables = (JobFileRow, JobFileBlockRow, TextImportRow, StagedTextRow)
        return sum(session.exec(select(func.count()).select_from(table)).one() for table in tables)


def texts_of(workbench: Workbench) -> int:
    with workbench.database.read() as work:
        found = work.projects.find("Mine")
        return work.texts.count(found.id) if found else 0


def taken(workbench: Workbench) -> tuple[Workbench, Job, WriterLock]:
    """The job that waits, or whose process has gone silent, as a worker has it that begins with it."""
    with workbench.database.write() as work:
        for row in work.jobs._session.exec(select(JobRow)):
            row.heartbeat_at = now() - LONG_AGO
    lock = WriterLock()
    lock.acquire()
    found = next_job(workbench, lock)
    assert found is not None
    return *found, lock


def done(other: Workbench) -> None:
    do_in_thread(*taken(other))
    job = wait_for(import_key("Mine"), other)
    assert job is not None
    assert (job.status, job.message) == (JobStatus.DONE, "")


def assert_in_once(workbench: Workbench, other: Workbench) -> None:
    assert (texts_of(workbench), left(workbench)) == (TEXTS, 0)
    report = last_report(other, "Mine")
    assert report is not None
    assert (report.added_texts, report.added_ratings, report.file) == (TEXTS, TEXTS, "mine.csv")
    with workbench.database.read() as work:
        assert [entry.act for entry in work.audit_log.of(None)] == ["made a project", "imported texts"]


def test_a_large_file_waits_in_the_database_for_a_worker_and_a_report_is_shown_everywhere(
    workbench: Workbench, other: Workbench
) -> None:
    assert start_import(workbench, upload(), "Mine", PLAN)
    job = job_state(workbench, import_key("Mine"))
    assert job is not None
    assert (job.status, job.bound, job.params["file"]) == (JobStatus.WAITING, False, 1)
    assert left(workbench) == 1 + -(-len(upload().data) // 32)
    assert import_jobs._uploads == {}
    done(other)
    assert_in_once(workbench, other)
    assert last_report(workbench, "Mine") == last_report(other, "Mine")
    start_import(workbench, upload(), "Mine", PLAN)
    assert last_report(workbench, "Mine") is None
    done(other)
    report = last_report(workbench, "Mine")
    assert report is not None
    assert (report.added_texts, texts_of(workbench)) == (0, TEXTS)
    forget_report(other, "Mine")
    assert last_report(workbench, "Mine") is None


@POSTGRES_LONG
def test_a_small_file_is_brought_in_by_the_process_that_has_it(
    workbench: Workbench, other: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_jobs, "LARGE_IMPORT", len(upload().data))
    assert not start_import(workbench, upload(), "Mine", PLAN)
    wait_for(import_key("Mine"), workbench)
    assert_in_once(workbench, other)


@POSTGRES_LONG
def test_without_a_worker_nothing_is_copied_into_the_database(
    database: Database, other: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_jobs, "store_job_file", None)
    assert not start_import(Workbench(database, Credentials()), upload(), "Mine", PLAN)
    wait_for(import_key("Mine"), other)
    assert_in_once(other, other)


@POSTGRES_LONG
def test_a_second_import_is_refused_before_anything_is_copied(workbench: Workbench) -> None:
    start_import(workbench, upload(), "Mine", PLAN)
    before = left(workbench)
    with pytest.raises(ConflictError, match=r"“Importing mine\.csv” is already running"):
        start_import(workbench, upload(), "Mine", PLAN)
    assert left(workbench) == before


class _Quiet:
    """Progress that nobody looks at."""

    def report(self, message: str) -> None: ...


def at(worker: Workbench, job: Job) -> None:
    """It does the job, and doesn't say how that ended."""
    import_jobs._import_handed(worker, HandedImportJob(job.params["file"], "Mine", PLAN), _Quiet())  # type: ignore[arg-type]


def between_blocks(patch: pytest.MonkeyPatch, act: Callable[[], object]) -> None:
    class Clock:
        @staticmethod
        def sleep(_seconds: float) -> None:
            act()

    patch.setattr(imports, "time", Clock)


def end() -> None:
    raise SystemExit


def test_another_goes_on_where_one_was_killed_in_the_middle(
    workbench: Workbench, other: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    start_import(workbench, upload(), "Mine", PLAN)
    with monkeypatch.context() as patch:
        patch.setattr(imports, "_forget", lambda *_: None)  # it can clear nothing away any more
        between_blocks(patch, end)
        with pytest.raises(SystemExit):
            at(*taken(other)[:2])
    assert texts_of(workbench) == 0
    done(other)
    assert_in_once(workbench, other)


@POSTGRES_LONG
def test_one_that_was_killed_after_the_last_step_is_not_done_again(workbench: Workbench, other: Workbench) -> None:
    start_import(workbench, upload(), "Mine", PLAN)
    at(*taken(other)[:2])
    done(other)
    assert_in_once(workbench, other)


def test_one_that_was_only_silent_brings_nothing_in_a_second_time(
    workbench: Workbench, other: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    start_import(workbench, upload(), "Mine", PLAN)
    overtaken = iter([True])

    def overtake() -> None:
        if next(overtaken, False):
            done(other)

    silent, job, _ = taken(workbench)
    with monkeypatch.context() as patch:
        between_blocks(patch, overtake)
        with pytest.raises(ConflictError):
            at(silent, job)
    assert_in_once(workbench, other)


def end_well(work: UnitOfWork, job: int) -> None:
    work.jobs.end(job, "a", JobStatus.DONE, "")


def end_badly(work: UnitOfWork, job: int) -> None:
    work.jobs.end(job, "a", JobStatus.FAILED, "It is no table.")


def lose(work: UnitOfWork, job: int) -> None:
    for _ in range(LOSSES):
        row = work.jobs._session.get_one(JobRow, job)
        row.heartbeat_at = now() - LONG_AGO
        work.jobs._session.flush()
        work.jobs.claim_next("b")


def cut_off(work: UnitOfWork, job: int) -> None:
    work.jobs.cut_off(job, "Its process went.")


@pytest.mark.parametrize("ends", [end_well, end_badly, lose, cut_off])
def test_blocks_go_with_the_job_however_it_ends(workbench: Workbench, ends: Callable[[UnitOfWork, int], None]) -> None:
    file = store_job_file(workbench, "mine.csv", DATA)
    with workbench.database.write() as work:
        job = work.jobs.add(NewJob("k", "HandedImportJob", {}, "Importing", None, False), "a")
        work.job_files.assign_job(file, job.id)
        work.imports.begin(file)
    assert left(workbench) == 1 + 4 + 1
    with workbench.database.write() as work:
        ends(work, job.id)
    with workbench.database.read() as work:
        assert work.jobs._session.get_one(JobRow, job.id).ended_at is not None
    assert left(workbench) == 0


def test_blocks_go_with_a_job_that_is_stopped_before_anybody_has_it(workbench: Workbench) -> None:
    start_import(workbench, upload(), "Mine", PLAN)
    with workbench.database.write() as work:
        work.jobs.request_stop(import_key("Mine"))
    assert left(workbench) == 0


def test_what_nobody_begins_a_job_with_goes_after_a_while(workbench: Workbench) -> None:
    file = store_job_file(workbench, "mine.csv", DATA)
    with workbench.database.write() as work:
        work.job_files.delete_abandoned()
    assert left(workbench) == 5
    with workbench.database.write() as work:
        work.jobs._session.get_one(JobFileRow, file).touched_at = now() - FORSAKEN * 2
        work.jobs._session.flush()
        work.job_files.delete_abandoned()
    assert left(workbench) == 0
    with pytest.raises(ConflictError, match="Choose the file again"):
        start_job(workbench, "k", "Importing", HandedImportJob(file, "Mine", PLAN), file)
    assert job_state(workbench, "k") is None


@POSTGRES_LONG
def test_a_file_that_waits_long_for_a_worker_stays(workbench: Workbench, other: Workbench) -> None:
    start_import(workbench, upload(), "Mine", PLAN)
    with workbench.database.write() as work:
        work.jobs._session.get_one(JobFileRow, 1).touched_at = now() - FORSAKEN * 2
        work.jobs._session.flush()
        work.job_files.delete_abandoned()
    done(other)
    assert_in_once(workbench, other)


@POSTGRES_LONG
def test_what_is_read_is_what_was_written_or_a_sentence(
    workbench: Workbench, other: Workbench, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("read") / "file"
    file = store_job_file(workbench, "mine.csv", DATA)
    write_handed(other, file, path)
    assert path.read_bytes() == DATA
    with workbench.database.write() as work:
        work.job_files.drop(file)
    with pytest.raises(ConflictError, match="is gone"):
        write_handed(other, file, path)


@POSTGRES_LONG
def test_a_file_that_is_no_table_fails_in_the_words_of_its_owner(workbench: Workbench, other: Workbench) -> None:
    start_import(workbench, Upload("mine.parquet", b"PAR1 " * 40), "Mine", ImportPlan())
    do_in_thread(*taken(other))
    job = wait_for(import_key("Mine"), workbench)
    assert job is not None
    assert job.status is JobStatus.FAILED
    assert "mine.parquet" in job.message
    assert left(workbench) == 0
