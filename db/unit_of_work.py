"""One unit of work: all of it is kept, or nothing. The only place that commits."""

import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cached_property

from sqlalchemy import Engine
from sqlalchemy.exc import DatabaseError as DriverError
from sqlalchemy.exc import OperationalError
from sqlmodel import Session

from app.domain.locked_split import Scope
from app.errors import DatabaseError
from db.engine import open_engines
from db.migrate import upgrade
from db.repositories.builds import Builds
from db.repositories.calls import Calls
from db.repositories.checklists import Checklists
from db.repositories.drafts import Drafts
from db.repositories.expert_answers import ExpertAnswers
from db.repositories.independence import Independence
from db.repositories.locked_split import LockedSplits
from db.repositories.own_prompts import OwnPrompts
from db.repositories.projects import Projects
from db.repositories.proposals import Proposals
from db.repositories.results import Results
from db.repositories.runs import Runs
from db.repositories.side_by_side import SideBySide
from db.repositories.stage_runs import StageRuns
from db.repositories.texts import Texts
from db.repositories.think_aloud import ThinkAloud
from db.repositories.transcripts import Transcripts


class UnitOfWork:
    """The repositories, sharing one session. They return frozen values, never rows.

    `texts` and `results` leave out what is in a locked test split, so that whatever asks them is safe by itself. The
    `every_` and `locked_` ones don't: only the few services that tests/architecture names may use them.
    """

    def __init__(self, session: Session) -> None:
        self._session = session

    @cached_property
    def projects(self) -> Projects:
        return Projects(self._session)

    @cached_property
    def texts(self) -> Texts:
        return Texts(self._session)

    @cached_property
    def every_text(self) -> Texts:
        return Texts(self._session, Scope.EVERY)

    @cached_property
    def locked_texts(self) -> Texts:
        return Texts(self._session, Scope.LOCKED)

    @cached_property
    def locked_splits(self) -> LockedSplits:
        return LockedSplits(self._session)

    @cached_property
    def think_aloud(self) -> ThinkAloud:
        return ThinkAloud(self._session)

    @cached_property
    def independence(self) -> Independence:
        return Independence(self._session)

    @cached_property
    def transcripts(self) -> Transcripts:
        return Transcripts(self._session)

    @cached_property
    def side_by_side(self) -> SideBySide:
        return SideBySide(self._session)

    @cached_property
    def expert_answers(self) -> ExpertAnswers:
        return ExpertAnswers(self._session)

    @cached_property
    def checklists(self) -> Checklists:
        return Checklists(self._session)

    @cached_property
    def drafts(self) -> Drafts:
        return Drafts(self._session)

    @cached_property
    def proposals(self) -> Proposals:
        return Proposals(self._session)

    @cached_property
    def builds(self) -> Builds:
        return Builds(self._session)

    @cached_property
    def own_prompts(self) -> OwnPrompts:
        return OwnPrompts(self._session)

    @cached_property
    def runs(self) -> Runs:
        return Runs(self._session)

    @cached_property
    def stages(self) -> StageRuns:
        return StageRuns(self._session)

    @cached_property
    def results(self) -> Results:
        return Results(self._session)

    @cached_property
    def every_result(self) -> Results:
        return Results(self._session, Scope.EVERY)

    @cached_property
    def locked_results(self) -> Results:
        return Results(self._session, Scope.LOCKED)

    @cached_property
    def calls(self) -> Calls:
        return Calls(self._session)


class Database:
    """A migrated database. Opened once per process and shared by its threads."""

    def __init__(self, address: str) -> None:
        self._writer, self._reader = open_engines(address)
        # SQLite has one writer at a time and lets others poll for the lock; within a process they queue instead.
        self._turn: AbstractContextManager[object] = (
            threading.RLock() if self._writer.dialect.name == "sqlite" else nullcontext()
        )
        try:
            upgrade(self._writer, self._reader)
        except Exception as error:
            self.close()
            if isinstance(error, OperationalError) or (isinstance(error, DriverError) and _is_broken(error)):
                raise _explained(error, self._writer) from error
            raise

    @contextmanager
    def write(self) -> Iterator[UnitOfWork]:
        """A transaction that commits at the end of the block, or leaves everything as it was."""
        try:
            with self._turn, Session(self._writer, expire_on_commit=False) as session:
                yield UnitOfWork(session)
                session.commit()
        except OperationalError as error:
            raise _explained(error, self._writer) from error

    @contextmanager
    def read(self) -> Iterator[UnitOfWork]:
        """A consistent view that never waits for a writer and keeps nothing."""
        try:
            with Session(self._reader) as session:
                yield UnitOfWork(session)
        except OperationalError as error:
            raise _explained(error, self._writer) from error

    def close(self) -> None:
        self._writer.dispose()
        self._reader.dispose()


def _explained(error: DriverError, engine: Engine) -> DatabaseError:
    """What the driver says, in words a person can act on; never the statement, its values or a password."""
    cause = str(error.orig).lower()
    if "locked" in cause:
        return DatabaseError("The database was busy for 30 seconds.", "Stop what else writes to it, then resume.")
    if "full" in cause:
        return DatabaseError("The disk is full.", "Make room, then resume; nothing saved so far is lost.")
    if "readonly" in cause or "unable to open" in cause:
        return DatabaseError(
            f"The database file {engine.url.database} can't be written.",
            "Check the folder's permissions, or set INTERACTEVAL_HOME to another folder.",
        )
    if "connection" in cause or "refused" in cause:
        return DatabaseError(
            f"The database server {engine.url.host or 'on this machine'} can't be reached or refuses the connection.",
            "Check INTERACTEVAL_DATABASE_URL: host, port, name, user and password.",
        )
    if _is_broken(error):
        return DatabaseError(
            f"{engine.url.database} is damaged or is no database of the workbench.",
            "Restore a backup, or set INTERACTEVAL_HOME to another folder.",
        )
    return DatabaseError("The database reported an error.", "Try again; if it stays, restore a backup.")


def _is_broken(error: DriverError) -> bool:
    """SQLite tells of a file that it can't read as a database while it reads, not when it opens the file."""
    cause = str(error.orig).lower()
    return "not a database" in cause or "malformed" in cause
