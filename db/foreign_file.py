"""A database file from elsewhere is data: it is looked through before anything opens it as a database of the workbench.

A file may hold views that never end, triggers that run on every change, tables that a library computes, rows that fill
the memory and states that no screen knows.
"""

import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from enum import StrEnum
from pathlib import Path
from time import monotonic

from app.domain.attribute import AttributeStatus, ContributorKind
from app.domain.batch import BatchStatus
from app.domain.checklist import ChecklistStatus, QuestionKind, QuestionOrigin
from app.domain.questions.improvement import ImprovementStatus
from app.domain.questions.proposal import ProposalStatus
from app.domain.run import RunStatus, ScoreStatus
from app.errors import FileFormatError
from app.limits import MB, PROJECT_FILE

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


def check_foreign_file(file: Path) -> None:
    """Raises FileFormatError for what is no database, holds more than plain tables, or rows beyond the limits."""
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
    """Raises FileFormatError where a row of a file that has today's tables is in a state that nobody knows."""
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
            connection.set_progress_handler(_deadline(), _STEPS)
            connection.execute("PRAGMA trusted_schema=OFF")
            yield connection
    except (sqlite3.Error, UnicodeDecodeError) as error:
        if "interrupted" in str(error):
            raise _refused("takes too long to read") from error
        if "too big" in str(error):
            raise _refused(f"has a row of more than {LARGEST_ROW // MB} MB") from error
        raise _refused("is damaged or is no database of the workbench") from error


def _deadline() -> Callable[[], int]:
    end = monotonic() + (PROJECT_FILE.seconds or 0)
    return lambda: monotonic() > end


def _quoted(name: object) -> str:
    return '"' + str(name).replace('"', '""') + '"'


def _refused(what: str) -> FileFormatError:
    return FileFormatError(f"The project file {what}; nothing was changed.", _HINT)
