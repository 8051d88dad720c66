"""Engines of the database, its migrations, what its failures mean, and text that it can store.

SQLite gets two engines on one file. The write engine starts every transaction with BEGIN IMMEDIATE: a plain
BEGIN takes its lock at the first write, so two threads that read, change and write back silently lose updates
(docs/adr/0003). Readers never wait: the file is in WAL mode.
"""

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy import Connection, Engine, create_engine, event, inspect, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, OperationalError, ProgrammingError
from sqlalchemy.exc import DatabaseError as DriverError

from app.domain.storable_text import storable, storable_value
from app.errors import DatabaseError
from app.settings import settings

State = TypeVar("State", bound=StrEnum)


def stored_state(states: type[State], value: str, otherwise: State) -> State:
    """Return the state in a row; `otherwise` for one that this program doesn't know, so that a single odd row hides no
    others."""
    try:
        return states(value)
    except ValueError:
        return otherwise


def json_text(value: Any) -> str:
    """Return JSON of the storable value: JSON's escapes would bring characters back that can't be stored."""
    return json.dumps(storable_value(value))


def convert_to_storable(engine: Engine) -> None:
    """Make this engine convert every text bound to a statement to its storable form."""

    @event.listens_for(engine, "before_cursor_execute", retval=True)
    def _mend(_connection: Any, _cursor: Any, statement: str, parameters: Any, _context: Any, many: bool) -> Any:
        return statement, [_bound(row) for row in parameters] if many and _is_rows(parameters) else _bound(parameters)


def _is_rows(parameters: Any) -> bool:
    """Return whether these are rows of values; the values of many rows in one statement come flat."""
    return isinstance(parameters, list) and all(isinstance(row, Mapping | tuple | list) for row in parameters)


def _bound(row: Any) -> Any:
    if isinstance(row, Mapping):
        return {name: _value(value) for name, value in row.items()}
    return type(row)(map(_value, row)) if isinstance(row, tuple | list) else row


def _value(value: Any) -> Any:
    return storable(value) if isinstance(value, str) else value


RESTORE = (
    "`interacteval restore FILE` brings a backup back (copies made before an update lie beside the file); "
    "INTERACTEVAL_HOME names another folder."
)
_USUAL_PORT = 5432
# What PostgreSQL and the system say of a connection that doesn't come about, in small letters.
_NO_SUCH_DATABASE = re.compile(r'database ".*" does not exist')
_NOT_KNOWN = re.compile(r'authentication failed|no password supplied|role ".*" does not exist')


def check(engine: Engine) -> None:
    """Check a SQLite file for damage (a second for some hundred MB). Raises DatabaseError if there is any."""
    if engine.dialect.name != "sqlite":
        return
    try:
        with engine.connect() as connection:
            found = connection.exec_driver_sql("PRAGMA quick_check(1)").scalar()
    except DriverError as error:
        raise explained(error, engine) from error
    if found != "ok":
        raise damaged(str(engine.url.database))


def damaged(file: str) -> DatabaseError:
    return DatabaseError(f"{file} is damaged or is no database of the workbench.", RESTORE)


def is_trouble(error: DriverError) -> bool:
    """Return whether the error comes from the database's state, not from the statement."""
    return isinstance(error, OperationalError) or is_broken(error)


def is_broken(error: DriverError) -> bool:
    """Return whether the file is damaged or no database; SQLite reports that while reading, not when opening the
    file."""
    cause = str(error.orig).lower()
    return any(words in cause for words in ("not a database", "malformed", "unsupported file format"))


def explained(error: DriverError, engine: Engine) -> DatabaseError:
    """Return the driver's error for people, without the statement, its values or a password."""
    cause = str(error.orig).lower()
    if engine.dialect.name != "sqlite":
        return _about_server(cause, engine)
    if "locked" in cause:
        return DatabaseError("The database was busy for 30 seconds.", "Stop what else writes to it, then resume.")
    if "full" in cause:
        return DatabaseError("The disk is full.", "Make room, then resume; nothing saved so far is lost.")
    if "readonly" in cause or "unable to open" in cause:
        return DatabaseError(
            f"{_called(engine)} can't be written.",
            "Check the folder's permissions, or set INTERACTEVAL_HOME to another folder.",
        )
    if is_broken(error):
        return damaged(_called(engine))
    return DatabaseError("The database reported an error.", f"Try again; if it stays: {RESTORE}")


def _called(engine: Engine) -> str:
    """Return how messages name the database: without its path or host where people sign in."""
    if engine.dialect.name != "sqlite":
        host, port = engine.url.host, engine.url.port or _USUAL_PORT
        return f"The database server{'' if settings().shared else f' {host}:{port}' if host else ' on this machine'}"
    return f"The database file{'' if settings().shared else f' {engine.url.database}'}"


def _about_server(cause: str, engine: Engine) -> DatabaseError:
    if "full" in cause:
        return DatabaseError("The database server's disk is full.", "Make room, then resume.")
    if _NO_SUCH_DATABASE.search(cause):
        name = "such database" if settings().shared else f"database “{engine.url.database}”"
        return DatabaseError(
            f"{_called(engine)} has no {name}.", "Make it there, or correct the name in INTERACTEVAL_DATABASE_URL."
        )
    if _NOT_KNOWN.search(cause):
        return DatabaseError(
            f"{_called(engine)} refuses the user or the password.", "Check both in INTERACTEVAL_DATABASE_URL."
        )
    if any(words in cause for words in ("resolve", "not known", "no address associated", "nodename")):
        return DatabaseError(
            f"{_called(engine)} can't be found: its name leads nowhere.", "Check the host in INTERACTEVAL_DATABASE_URL."
        )
    if "refused" in cause:
        return DatabaseError(
            f"{_called(engine)} can't be reached: nothing answers there.",
            "See whether it runs. Check INTERACTEVAL_DATABASE_URL: host and port.",
        )
    if any(words in cause for words in ("connection", "refused", "resolve", "ssl", "address")):
        return DatabaseError(
            f"{_called(engine)} can't be reached or refuses the connection.",
            "Check INTERACTEVAL_DATABASE_URL: host, port, name, user and password.",
        )
    return DatabaseError(
        f"{_called(engine)} reported an error.", "Try again; if it stays, check INTERACTEVAL_DATABASE_URL."
    )


BUSY_TIMEOUT_MS = 30_000
_BEGIN_READING = "BEGIN"
# A driver that isn't installed is imported; a port that is no number is a ValueError, one without end an OverflowError.
_NO_ADDRESS = (ArgumentError, NoSuchModuleError, ImportError, ValueError, TypeError, OverflowError)


def open_engines(address: str) -> tuple[Engine, Engine]:
    """Return the write and the read engine of the database at this URL (the same one on PostgreSQL)."""
    try:
        url = make_url(address)
        if url.get_backend_name() == "sqlite":
            return _sqlite(url, "BEGIN IMMEDIATE"), _sqlite(url, _BEGIN_READING)
        if url.drivername == "postgresql":
            url = url.set(drivername="postgresql+psycopg")
        if url.get_dialect().is_async:
            raise ArgumentError("an asynchronous driver")
        engine = create_engine(url, pool_pre_ping=True, hide_parameters=True, json_serializer=json_text)
    except _NO_ADDRESS as error:
        raise _unusable() from error
    convert_to_storable(engine)
    return engine, engine


def sqlite_file(address: str) -> Path | None:
    """Return the file of a SQLite database; None for a server. Raises DatabaseError for an invalid address."""
    engine, _ = open_engines(address)
    engine.dispose()
    return Path(engine.url.database or "") if engine.dialect.name == "sqlite" else None


def create_private_file(file: Path) -> None:
    """Create an empty file that only this user can read, whatever the umask; SQLite gives the files beside a database
    the same rights. An existing file is closed to others. Without rights in the file system nothing is done."""
    with suppress(OSError):
        os.close(os.open(file, os.O_CREAT | os.O_WRONLY, 0o600))
        for part in (file, *(file.with_name(file.name + ending) for ending in ("-wal", "-shm", "-journal"))):
            if part.is_file() and part.stat().st_mode & 0o077:
                part.chmod(0o600)


def connect(engine: Engine) -> None:
    """Connect once, since some parts of an address are only read then. Raises DatabaseError for an invalid one."""
    try:
        engine.connect().close()
    except (ProgrammingError, *_NO_ADDRESS) as error:
        raise _unusable() from error


def _unusable() -> DatabaseError:
    return DatabaseError(
        "The database address can't be used.",
        "INTERACTEVAL_DATABASE_URL looks like sqlite:////folder/file.db or postgresql://user@host/name.",
    )


def _sqlite(url: URL, begin: str) -> Engine:
    if url.query:
        raise DatabaseError(
            "The address of a SQLite database takes no options.", "Leave out the question mark and what follows."
        )
    if not url.database or url.database == ":memory:":
        raise DatabaseError("A database in memory would lose everything.", "Name a file: sqlite:////folder/file.db")
    folder = Path(url.database).parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DatabaseError(
            f"The folder of the database, {folder}, can't be made: {error.strerror}.",
            "Set INTERACTEVAL_HOME to another folder.",
        ) from error
    engine = create_engine(
        url,
        connect_args={"timeout": BUSY_TIMEOUT_MS / 1000, "check_same_thread": False},
        hide_parameters=True,  # a text that couldn't be stored must not end up in a log
        json_serializer=json_text,
    )
    convert_to_storable(engine)

    @event.listens_for(engine, "connect")
    def _prepare(connection: Any, _record: Any) -> None:
        connection.isolation_level = None  # the driver starts no transactions of its own: _begin does
        # With synchronous=NORMAL, SQLite can lose the last commits at a power cut.
        for pragma in ("journal_mode=WAL", "foreign_keys=ON", f"busy_timeout={BUSY_TIMEOUT_MS}", "synchronous=FULL"):
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        driver = connection.connection.driver_connection
        if begin == _BEGIN_READING and driver is not None:
            driver.execute(begin)  # it waits for no lock; by `exec_driver_sql` it takes ten times as long
        else:
            connection.exec_driver_sql(begin)

    return engine


if TYPE_CHECKING:
    from alembic.config import Config

_MIGRATIONS = Path(__file__).parent / "migrations"
_ADVISORY_LOCK = 7_403_551  # any fixed number: makes two PostgreSQL processes upgrade one after the other


def config() -> "Config":
    from alembic.config import Config

    settings = Config()
    settings.set_main_option("script_location", str(_MIGRATIONS))
    return settings


@contextmanager
def _locked(engine: Engine) -> Iterator[Connection]:
    """Run one transaction that other processes wait for, and commit it at the end.

    SQLite changes a table by making a new one and dropping the old, which would cascade to the rows that
    refer to it: foreign keys are off meanwhile, and can only be switched outside a transaction.
    """
    with engine.connect() as connection:
        sqlite = engine.dialect.name == "sqlite"
        driver = connection.connection.driver_connection
        if sqlite and driver is not None:
            driver.execute("PRAGMA foreign_keys=OFF")
        try:
            with connection.begin():
                if not sqlite:
                    connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _ADVISORY_LOCK})
                yield connection
        finally:
            if sqlite and driver is not None:
                driver.execute("PRAGMA foreign_keys=ON")


def upgrade(writer: Engine, reader: Engine, before: Callable[[str], None]) -> None:
    """Run the missing migrations, all or none. Processes that start together take turns.

    If none is missing the database is only read, so that nobody waits for a writer. `before` is called with the present
    revision ("" for an empty database) while nobody can write.
    """
    with reader.connect() as connection:
        if _is_current(connection):
            return
    with _locked(writer) as connection:
        if not _is_current(connection):  # somebody else may have run them meanwhile
            from alembic import command

            before(revision(connection))
            alembic = config()
            alembic.attributes["connection"] = connection
            command.upgrade(alembic, "head")


def create_empty(address: str, to: str) -> None:
    """Create a database with the tables as of this revision, without rows."""
    from alembic import command

    writer, reader = open_engines(address)
    try:
        with _locked(writer) as connection:
            alembic = config()
            alembic.attributes["connection"] = connection
            command.upgrade(alembic, to)
    finally:
        writer.dispose()
        reader.dispose()


def revision(connection: Connection) -> str:
    """Return the newest migration of the database, "" for an empty one."""
    if not inspect(connection).has_table("alembic_version"):
        return ""
    return connection.execute(text("SELECT version_num FROM alembic_version")).scalar_one_or_none() or ""


@cache
def revisions() -> tuple[str, ...]:
    """Return all revisions, the newest last: the numbers at the beginning of the migrations' file names."""
    return tuple(sorted(file.name.partition("_")[0] for file in (_MIGRATIONS / "versions").glob("[0-9]*.py")))


def _is_current(connection: Connection) -> bool:
    """Return whether the tables are up to date. Raises DatabaseError if they are newer than this program."""
    found = revision(connection)
    if found and found not in revisions():
        raise DatabaseError(
            "This database was made by a newer version of the workbench.",
            "Update the program, or set INTERACTEVAL_HOME to another folder.",
        )
    return found == revisions()[-1]
