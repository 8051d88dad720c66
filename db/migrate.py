"""Migration of a database to the current tables; one from a newer version of the program is refused.

Every command asks whether a migration is missing, and few find one: Alembic, which takes longer to load than all else
that is asked then, is loaded where one is.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection, Engine, inspect, text

from app.errors import DatabaseError
from db.engine import open_engines

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

    Where none is missing the database is only read, so that nobody waits for a writer. `before` is called
    with the revision there is ("" for an empty database) while nobody can write.
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
    """Make a database with the tables as of this revision, and without rows."""
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
    """The newest migration there, "" for an empty database."""
    if not inspect(connection).has_table("alembic_version"):
        return ""
    return connection.execute(text("SELECT version_num FROM alembic_version")).scalar_one_or_none() or ""


@cache
def revisions() -> tuple[str, ...]:
    """All that there are, the newest last: what the names of their files begin with."""
    return tuple(sorted(file.name.partition("_")[0] for file in (_MIGRATIONS / "versions").glob("[0-9]*.py")))


def _is_current(connection: Connection) -> bool:
    """Raises DatabaseError where the tables are newer than this program."""
    found = revision(connection)
    if found and found not in revisions():
        raise DatabaseError(
            "This database was made by a newer version of the workbench.",
            "Update the program, or set INTERACTEVAL_HOME to another folder.",
        )
    return found == revisions()[-1]
