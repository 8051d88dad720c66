"""Untrusted database files: their rows are checked and copied into an empty database with our own tables.

A file may hold views that never end, triggers that run on every change, tables that a library computes, tables without
their indexes, rows that fill the memory, values of another type and unknown states. Only the copy is ever opened as a
database of the workbench.
"""

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from enum import StrEnum
from pathlib import Path
from time import monotonic

from app.domain.attribute import AttributeStatus, ContributorKind
from app.domain.checklist import ChecklistStatus, ProposalStatus, QuestionKind, QuestionOrigin
from app.domain.improvement import ImprovementStatus
from app.domain.model_call import BatchStatus
from app.domain.run import RunStatus, ScoreStatus
from app.errors import FileFormatError
from app.limits import MB, PROJECT_FILE
from db.engine import create_empty

LARGEST_ROW = PROJECT_FILE.cell or MB
_HINT = "Name a file that `project export` wrote."
_STEPS = 100_000  # of SQLite's machine between two looks at the clock
_STATES: Mapping[tuple[str, str], type[StrEnum]] = {
    ("attribute", "status"): AttributeStatus,
    ("contributor", "kind"): ContributorKind,
    ("provider_batch", "status"): BatchStatus,
    ("checklist", "status"): ChecklistStatus,
    ("question", "kind"): QuestionKind,
    ("question", "origin"): QuestionOrigin,
    ("question_improvement", "status"): ImprovementStatus,
    ("question_proposal", "status"): ProposalStatus,
    ("scoring_run", "status"): RunStatus,
    ("score", "status"): ScoreStatus,
}


def import_seconds(file: Path) -> float:
    """Return the longest that reading this project's database may take."""
    return (PROJECT_FILE.seconds or 0) + file.stat().st_size / MB


def copy_rows(file: Path, target: Path) -> None:
    """Make `target` a database with our own tables as of the file's version, and copy the rows of `file` into it.

    Raises FileFormatError for a file that is no database, lacks a table or a column, or has a value of another type.
    """
    with _looking(file) as source:
        revision = str(source.execute("SELECT version_num FROM alembic_version").fetchone()[0])
        create_empty(f"sqlite:///{target}", revision)
        with closing(sqlite3.connect(target)) as copy:
            for table, columns in _columns(copy).items():
                if unfit := set(columns) - set(_columns(source).get(table, {})):
                    raise _refused(f"lacks the column {min(unfit)!r} of {table!r}")
                _check_types(source, table, columns)
                names = ", ".join(map(_quoted, columns))
                marks = ", ".join("?" * len(columns))
                copy.execute(f"DELETE FROM {_quoted(table)}")  # noqa: S608 - quoted names
                rows = source.execute(f"SELECT {names} FROM {_quoted(table)}")  # noqa: S608
                copy.executemany(f"INSERT INTO {_quoted(table)} ({names}) VALUES ({marks})", rows)  # noqa: S608
            copy.commit()


def _columns(connection: sqlite3.Connection) -> dict[str, dict[str, str]]:
    """Return table -> column -> declared type."""
    tables = connection.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
    ).fetchall()
    return {
        str(table): {str(row[1]): str(row[2]) for row in connection.execute(f"PRAGMA table_xinfo({_quoted(table)})")}
        for (table,) in tables
    }


def _check_types(source: sqlite3.Connection, table: str, columns: Mapping[str, str]) -> None:
    wrong = [
        f"typeof({_quoted(column)}) NOT IN ({', '.join(map(repr, stored))}, 'null')"
        for column, kind in columns.items()
        if (stored := _stored_types(kind))
    ]
    if (
        wrong
        and source.execute(
            f"SELECT 1 FROM {_quoted(table)} WHERE {' OR '.join(wrong)} LIMIT 1"  # noqa: S608 - quoted names
        ).fetchone()
    ):
        raise _refused(f"has a value of the wrong type in {table!r}")


def _stored_types(declared: str) -> tuple[str, ...]:
    """Return the types of SQLite in which a column's values may be stored; () for any."""
    kind = declared.upper().partition("(")[0]
    if kind in ("INTEGER", "BIGINT", "BOOLEAN"):
        return ("integer",)
    if kind in ("FLOAT", "DOUBLE", "NUMERIC", "REAL"):
        return ("real", "integer")
    return ("text",) if kind in ("VARCHAR", "TEXT", "JSON", "DATETIME", "DATE") else ()


def check_foreign_file(file: Path) -> None:
    """Raise FileFormatError for a file that is no database, or holds more than plain tables, or rows beyond the
    limits."""
    with _looking(file) as connection:
        for kind, name, sql in connection.execute("SELECT type, name, sql FROM sqlite_master"):
            if kind not in ("table", "index") or str(sql or "").lstrip()[:14].upper() == "CREATE VIRTUAL":
                raise _refused(f"holds something other than tables ({str(name)[:60]!r})")
        tables = [str(name) for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        rows = 0
        for table in tables:
            described = connection.execute(f"PRAGMA table_xinfo({_quoted(table)})").fetchall()
            if any(column[6] for column in described):
                raise _refused("holds columns that are computed")
            sizes = " + ".join(f"ifnull(length(CAST({_quoted(column[1])} AS BLOB)), 0)" for column in described)
            count, largest = connection.execute(
                f"SELECT count(*), max({sizes}) FROM {_quoted(table)}"  # noqa: S608 - quoted names
            ).fetchone()
            rows += count
            if (largest or 0) > LARGEST_ROW or rows > (PROJECT_FILE.rows or 0):
                raise _refused(f"has a row of more than {LARGEST_ROW // MB} MB, or too many rows")


def check_states(file: Path) -> None:
    """Raise FileFormatError if a row of a file with today's tables has an unknown state."""
    with _looking(file) as connection:
        for (table, column), states in _STATES.items():
            found = connection.execute(f"SELECT DISTINCT {column} FROM {table} LIMIT 100")  # noqa: S608 - our own names
            if unknown := [value for (value,) in found if value not in set(states)]:
                raise _refused(f"has a {table.replace('_', ' ')} of an unknown {column} ({str(unknown[0])[:40]!r})")


@contextmanager
def _looking(file: Path) -> Iterator[sqlite3.Connection]:
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LARGEST_ROW * 2)
            end = monotonic() + import_seconds(file)
            connection.set_progress_handler(lambda: monotonic() > end, _STEPS)
            connection.execute("PRAGMA trusted_schema=OFF")
            yield connection
    except (sqlite3.Error, UnicodeDecodeError) as error:
        if "interrupted" in str(error):
            raise _refused("takes too long to read") from error
        if "too big" in str(error):
            raise _refused(f"has a row of more than {LARGEST_ROW // MB} MB") from error
        raise _refused("is damaged or is no database of the workbench") from error


def _quoted(name: object) -> str:
    return '"' + str(name).replace('"', '""') + '"'


def _refused(what: str) -> FileFormatError:
    return FileFormatError(f"The project file {what}; nothing was changed.", _HINT)
