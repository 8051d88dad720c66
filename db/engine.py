"""Engine of the database: SQLite by default, PostgreSQL by URL.

SQLite gets two engines on one file. The write engine starts every transaction with BEGIN IMMEDIATE: a plain
BEGIN takes its lock at the first write, so two threads that read, change and write back silently lose updates
(docs/adr/0003). Readers never wait: the file is in WAL mode.
"""

import os
from contextlib import suppress
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, ProgrammingError

from app.errors import DatabaseError
from db.storable import json_text, keep_storable

BUSY_TIMEOUT_MS = 30_000
# A driver that isn't installed is imported; a port that is no number is a ValueError, one without end an OverflowError.
_NO_ADDRESS = (ArgumentError, NoSuchModuleError, ImportError, ValueError, TypeError, OverflowError)


def open_engines(address: str) -> tuple[Engine, Engine]:
    """The write and the read engine of the database at this URL (the same one on PostgreSQL)."""
    try:
        url = make_url(address)
        if url.get_backend_name() == "sqlite":
            return _sqlite(url, "BEGIN IMMEDIATE"), _sqlite(url, "BEGIN")
        if url.drivername == "postgresql":
            url = url.set(drivername="postgresql+psycopg")
        if url.get_dialect().is_async:
            raise ArgumentError("an asynchronous driver")
        engine = create_engine(url, pool_pre_ping=True, hide_parameters=True, json_serializer=json_text)
    except _NO_ADDRESS as error:
        raise _unusable() from error
    keep_storable(engine)
    return engine, engine


def sqlite_file(address: str) -> Path | None:
    """The file of a SQLite database; None for a server. Raises DatabaseError for what is no address."""
    engine, _ = open_engines(address)
    engine.dispose()
    return Path(engine.url.database or "") if engine.dialect.name == "sqlite" else None


def keep_private(file: Path) -> None:
    """A new, empty file that this user alone can read, whatever the umask is; SQLite gives what it keeps beside a
    database the same rights. One that is there is closed to others. Where the folder knows no rights, nothing is done.
    """
    with suppress(OSError):
        os.close(os.open(file, os.O_CREAT | os.O_WRONLY, 0o600))
        for part in (file, *(file.with_name(file.name + ending) for ending in ("-wal", "-shm", "-journal"))):
            if part.is_file() and part.stat().st_mode & 0o077:
                part.chmod(0o600)


def connect(engine: Engine) -> None:
    """Once, since some of what an address says is only read now. Raises DatabaseError where it can't be meant so."""
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
    keep_storable(engine)

    @event.listens_for(engine, "connect")
    def _prepare(connection: Any, _record: Any) -> None:
        connection.isolation_level = None  # the driver starts no transactions of its own: _begin does
        for pragma in (
            "journal_mode=WAL",
            "foreign_keys=ON",
            f"busy_timeout={BUSY_TIMEOUT_MS}",
            "synchronous=NORMAL",
        ):
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        connection.exec_driver_sql(begin)

    return engine
