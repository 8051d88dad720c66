"""Migration of a database to the current tables; one from a newer version of the program is refused."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, text

from app.errors import DatabaseError

_ADVISORY_LOCK = 7_403_551  # any fixed number: makes two PostgreSQL processes upgrade one after the other


def config() -> Config:
    settings = Config()
    settings.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    return settings


@contextmanager
def _locked(engine: Engine) -> Iterator[Connection]:
    """One transaction that other processes wait for, committed at the end.

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
    """Run the migrations that are missing, all or none. Processes that start together take turns.

    Where none is missing the database is only read, so that nobody waits for whoever writes to it. `before` is called
    with the revision there is ("" for an empty database) while nobody can write.
    """
    with reader.connect() as connection:
        if _is_current(connection):
            return
    with _locked(writer) as connection:
        if not _is_current(connection):  # somebody else may have run them meanwhile
            before(revision(connection))
            alembic = config()
            alembic.attributes["connection"] = connection
            command.upgrade(alembic, "head")


def revision(connection: Connection) -> str:
    """The newest migration there, "" for an empty database."""
    return MigrationContext.configure(connection).get_current_revision() or ""


@cache
def _revisions() -> tuple[frozenset[str], frozenset[str]]:
    """All that there are, and the newest; read from the migrations once."""
    scripts = ScriptDirectory.from_config(config())
    return frozenset(script.revision for script in scripts.walk_revisions()), frozenset(scripts.get_heads())


def _is_current(connection: Connection) -> bool:
    """Raises DatabaseError where the tables are newer than this program."""
    found = MigrationContext.configure(connection).get_current_heads()
    known, newest = _revisions()
    if not known.issuperset(found):
        raise DatabaseError(
            "This database was made by a newer version of the workbench.",
            "Update the program, or set INTERACTEVAL_HOME to another folder.",
        )
    return newest == frozenset(found)
