"""Troubles of a database, in words a person can act on."""

import re

from sqlalchemy import Engine
from sqlalchemy.exc import DatabaseError as DriverError
from sqlalchemy.exc import OperationalError

from app.errors import DatabaseError
from app.settings import settings

RESTORE = (
    "`interacteval restore FILE` brings a backup back (copies made before an update lie beside the file); "
    "INTERACTEVAL_HOME names another folder."
)
_USUAL_PORT = 5432
# What PostgreSQL and the system say of a connection that doesn't come about, in small letters.
_NO_SUCH_DATABASE = re.compile(r'database ".*" does not exist')
_NOT_KNOWN = re.compile(r'authentication failed|no password supplied|role ".*" does not exist')
_NO_HOST = ("resolve", "not known", "no address associated", "nodename")
_BROKEN = ("not a database", "malformed", "unsupported file format")


def check(engine: Engine) -> None:
    """Look through a SQLite file for damage (a second for some hundred MB). Raises DatabaseError where there is any."""
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
    """Whether it comes from the database's state, not from what was asked of it."""
    return isinstance(error, OperationalError) or is_broken(error)


def is_broken(error: DriverError) -> bool:
    """SQLite tells of a file that it can't read as a database while it reads, not when it opens the file."""
    cause = str(error.orig).lower()
    return any(words in cause for words in _BROKEN)


def explained(error: DriverError, engine: Engine) -> DatabaseError:
    """What the driver says, for people; never the statement, its values or a password."""
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
    """Where people sign in, they don't learn where it is."""
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
    if any(words in cause for words in _NO_HOST):
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
