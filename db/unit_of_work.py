"""The unit of work: all of it is committed, or nothing. The only place that commits."""

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Generic, TypeVar

from sqlalchemy.exc import DatabaseError as DriverError
from sqlalchemy.exc import StatementError
from sqlmodel import Session

from app.domain.people import PENDING
from app.domain.project import Scope
from app.errors import WorkbenchError
from db.backup import copy_before_migration, copy_database
from db.engine import check, connect, create_private_file, explained, is_trouble, open_engines, revision, upgrade
from db.repositories.audit_log import AuditLog
from db.repositories.calls import Calls, ProviderBatches, StageRuns
from db.repositories.checklists import Checklists, Proposals
from db.repositories.drafts import Builds, Drafts
from db.repositories.expert_answers import Anchors, ExpertAnswers, Preferences, SideBySideComparisons
from db.repositories.held_out_split import HeldOutSplits
from db.repositories.imports import ImportReports, Imports, JobFiles, UploadCounts
from db.repositories.independence import Independence
from db.repositories.jobs import Jobs
from db.repositories.people import Assignments, People, PersonNames, ResourceLocations
from db.repositories.projects import OwnPrompts, Projects, Transfers
from db.repositories.questions import Decisions, Improvements, QuestionComments, Rooms
from db.repositories.results import Results
from db.repositories.runs import Runs
from db.repositories.sign_ins import ApiTokens, Invitations, SignIns
from db.repositories.texts import Texts
from db.repositories.think_aloud import ThinkAloud, Transcripts

WRITE_TEST = "write test"
SMALL_BYTES = 64_000_000  # looked through in a blink


Kind = TypeVar("Kind")


class _RepositoryOf(Generic[Kind]):
    """A repository attribute of the unit of work, created at its first use."""

    def __init__(self, kind: Callable[..., Kind], *scope: Scope) -> None:
        self._kind, self._scope = kind, scope

    def __set_name__(self, _: type, name: str) -> None:
        self._name = name

    def __get__(self, work: "UnitOfWork", _: type) -> Kind:
        found = self._kind(work._session, *self._scope)
        work.__dict__[self._name] = found
        return found


class UnitOfWork:
    """The repositories, sharing one session. They return frozen values, never rows.

    `texts` and `results` leave out texts of a held-out split, so that their callers are safe. The `every_` and
    `held_out_` ones don't: only the services that tests/architecture names may use them.
    """

    def __init__(self, session: Session) -> None:
        self._session = session

    projects = _RepositoryOf(Projects)
    people = _RepositoryOf(People)
    assignments = _RepositoryOf(Assignments)
    invitations = _RepositoryOf(Invitations)
    sign_ins = _RepositoryOf(SignIns)
    api_tokens = _RepositoryOf(ApiTokens)
    names = _RepositoryOf(PersonNames)
    audit_log = _RepositoryOf(AuditLog)
    jobs = _RepositoryOf(Jobs)
    job_files = _RepositoryOf(JobFiles)
    places = _RepositoryOf(ResourceLocations)
    texts = _RepositoryOf(Texts)
    imports = _RepositoryOf(Imports)
    import_reports = _RepositoryOf(ImportReports)
    upload_counts = _RepositoryOf(UploadCounts)
    every_text = _RepositoryOf(Texts, Scope.EVERY)
    held_out_texts = _RepositoryOf(Texts, Scope.LOCKED)
    held_out_splits = _RepositoryOf(HeldOutSplits)
    think_aloud = _RepositoryOf(ThinkAloud)
    independence = _RepositoryOf(Independence)
    transcripts = _RepositoryOf(Transcripts)
    side_by_side = _RepositoryOf(SideBySideComparisons)
    expert_answers = _RepositoryOf(ExpertAnswers)
    preferences = _RepositoryOf(Preferences)
    anchors = _RepositoryOf(Anchors)
    checklists = _RepositoryOf(Checklists)
    provider_batches = _RepositoryOf(ProviderBatches)
    question_comments = _RepositoryOf(QuestionComments)
    decisions = _RepositoryOf(Decisions)
    rooms = _RepositoryOf(Rooms)
    improvements = _RepositoryOf(Improvements)
    drafts = _RepositoryOf(Drafts)
    proposals = _RepositoryOf(Proposals)
    builds = _RepositoryOf(Builds)
    own_prompts = _RepositoryOf(OwnPrompts)
    runs = _RepositoryOf(Runs)
    stages = _RepositoryOf(StageRuns)
    results = _RepositoryOf(Results)
    every_result = _RepositoryOf(Results, Scope.EVERY)
    held_out_results = _RepositoryOf(Results, Scope.LOCKED)
    calls = _RepositoryOf(Calls)
    transfers = _RepositoryOf(Transfers)


class Database:
    """A migrated database. Opened once per process and shared by its threads.

    A SQLite file is checked for damage once: on opening if it is small or has to be migrated, otherwise before the
    first write, so that a large file doesn't delay those who only read a little of it.
    """

    def __init__(self, address: str) -> None:
        self.address = address
        self._writer, self._reader = open_engines(address)
        # SQLite has one writer at a time and lets others poll for the lock; within a process they queue instead.
        self._turn: AbstractContextManager[object] = (
            threading.RLock() if self._writer.dialect.name == "sqlite" else nullcontext()
        )
        self._file = Path(self._writer.url.database or "") if self._writer.dialect.name == "sqlite" else None
        self._checked = self._file is None or not self._file.exists()
        if self._file is not None:
            create_private_file(self._file)
        try:
            connect(self._reader)
            if self._file is not None and self._file.stat().st_size <= SMALL_BYTES:
                self.check()
            upgrade(self._writer, self._reader, self._before_migration)
        except Exception as error:
            self.close()
            if isinstance(error, DriverError) and is_trouble(error):
                raise explained(error, self._writer) from error
            raise

    def revision(self) -> str:
        """Return its newest migration. Raises DatabaseError if it can't be read."""
        with self.read() as work:
            return revision(work._session.connection())

    def check_writable(self) -> None:
        """Write something and delete it. Raises DatabaseError if that fails."""
        with self.write() as work:
            work.jobs.worker_seen(WRITE_TEST)
            work.jobs.worker_ended(WRITE_TEST)

    @property
    def file(self) -> Path | None:
        """Return the path of the database's file; None for a server."""
        return self._file

    def check(self) -> None:
        """Check for damage, once per process. Raises DatabaseError if there is any."""
        if not self._checked:
            check(self._reader)
            self._checked = True

    def _before_migration(self, revision: str) -> None:
        self.check()
        if self._file is not None and revision:
            copy_before_migration(self._file, revision)

    @contextmanager
    def write(self) -> Iterator[UnitOfWork]:
        """Open a transaction that commits at the end of the block, or changes nothing.

        The first one of an act also saves its entry in the audit log.
        """
        self.check()
        try:
            with self._turn, Session(self._writer, expire_on_commit=False) as session:
                work = UnitOfWork(session)
                yield work
                with _entered(work):
                    session.commit()
        except DriverError as error:
            if not is_trouble(error):
                raise
            raise explained(error, self._writer) from error
        except StatementError as error:
            if isinstance(error.orig, WorkbenchError):  # a column refused its value
                raise error.orig from None
            raise

    @contextmanager
    def read(self) -> Iterator[UnitOfWork]:
        """Open a consistent view that never waits for a writer and saves nothing."""
        try:
            with Session(self._reader) as session:
                yield UnitOfWork(session)
        except DriverError as error:
            if not is_trouble(error):
                raise
            raise explained(error, self._writer) from error

    def close(self) -> None:
        self._writer.dispose()
        self._reader.dispose()


@contextmanager
def _entered(work: UnitOfWork) -> Iterator[None]:
    """Save the current act's audit entry with the first transaction that commits, and with no other."""
    pending = PENDING.get()
    if pending is None or pending.kept:
        yield
        return
    pending.kept = True
    try:
        work.audit_log.add(pending)
        yield
    except BaseException:
        pending.kept = False
        raise


def write_portable(database: Database, file: Path) -> None:
    """Write a copy of the database at one moment, while others go on writing."""
    with TemporaryDirectory(prefix="interacteval-") as folder:
        whole = Path(folder) / "whole.db"
        alone = Database(f"sqlite:///{whole}")
        try:
            with database.read() as work, alone.write() as target:
                work.transfers.read_snapshot()
                target.transfers.replace_all(work.transfers)
        finally:
            alone.close()
        copy_database(whole, file)  # one file, proved to be whole


def replace_database(file: Path, database: Database) -> None:
    """Make `database` hold what `file` holds, all or nothing. The file may be of an earlier version."""
    with TemporaryDirectory(prefix="interacteval-") as folder:
        copy = Path(folder) / "copy.db"
        copy_database(file, copy)
        source = Database(f"sqlite:///{copy}")  # brings the copy's tables up to date, not the file's
        try:
            with source.read() as other, database.write() as work:
                work.transfers.replace_all(other.transfers)
        finally:
            source.close()
