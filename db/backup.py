"""Copies of a SQLite database in use, and restoring them."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path

from app.errors import DatabaseError, FileFormatError
from db.engine import RESTORE, create_private_file, revisions

KEPT_COPIES = 3  # of those made before updates
_WAIT = 30.0  # seconds for a lock


def copy_database(source: Path, target: Path) -> None:
    """Copy all that is committed in `source` into the new file `target`, a single file that passes a check.

    Raises DatabaseError if `source` can't be read or copied.
    """
    create_private_file(target)
    try:
        with _opened(source) as before, closing(sqlite3.connect(target)) as after:
            before.backup(after)
            after.execute("PRAGMA journal_mode=DELETE")  # nothing beside the file is a part of it
            sound = after.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok"
    except sqlite3.Error as error:
        raise DatabaseError(f"{source} can't be copied to {target.parent}: {error}.", RESTORE) from error
    if not sound:
        raise DatabaseError(f"{source} is damaged; it was not copied.", RESTORE)


def copy_before_migration(file: Path, revision: str) -> Path:
    """Copy the database to a file beside it, named by revision and time; older copies of this kind are removed."""
    copy = file.with_name(f"{file.stem}-before-update-{revision}-{_now()}{file.suffix}")
    try:
        copy_database(file, copy)
    except BaseException:
        copy.unlink(missing_ok=True)
        raise
    copies = sorted(file.parent.glob(f"{_literal(file.stem)}-before-update-*{file.suffix}"), key=_made)
    for old in copies[:-KEPT_COPIES]:
        old.unlink(missing_ok=True)
    return copy


def check_backup(file: Path) -> None:
    """Raise FileFormatError unless the file is an undamaged database of the workbench, and not of a newer version."""
    try:
        with _opened(file) as database:
            sound = database.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok"
            revision = database.execute("SELECT version_num FROM alembic_version").fetchone()
    except sqlite3.Error as error:
        raise FileFormatError(f"{file} is no database of the workbench.", "Name a file that `backup` wrote.") from error
    if not sound or revision is None:
        raise FileFormatError(f"{file} is damaged; nothing was changed.", "Name another backup.")
    if revision[0] not in revisions():
        raise FileFormatError(f"{file} was made by a newer version of the workbench.", "Update the program first.")


def restore_file(backup: Path, file: Path) -> Path | None:
    """Make `file` hold what `backup` holds; return the path of a copy of its earlier content (None for nothing).

    A sound database is overwritten in one transaction, so that open connections see either content. A damaged one is
    moved aside unchanged.
    """
    replaced = file.with_name(f"{file.stem}-replaced-{_now()}{file.suffix}")
    whole = file.with_name(f".{file.name}.part")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        if file.exists() and _copied(file, replaced):
            _overwrite(backup, file)
            return replaced
        whole.unlink(missing_ok=True)
        copy_database(backup, whole)
        moved = _move_aside(file, replaced)
        whole.replace(file)
        return replaced if moved else None
    except OSError as error:
        raise DatabaseError(f"{file} can't be written: {error.strerror}.", "Check the folder's permissions.") from error
    finally:
        whole.unlink(missing_ok=True)


def _copied(file: Path, copy: Path) -> bool:
    try:
        copy_database(file, copy)
    except DatabaseError:
        copy.unlink(missing_ok=True)
        return False
    return True


def _overwrite(backup: Path, file: Path) -> None:
    try:
        with _opened(backup) as before, closing(sqlite3.connect(file, timeout=_WAIT)) as after:
            before.backup(after)
    except sqlite3.Error as error:
        raise DatabaseError(
            f"{file} can't be written: {error}.", "Stop what else works with it, then retry."
        ) from error


def _move_aside(file: Path, replaced: Path) -> bool:
    """Move the file, with the files that SQLite keeps beside it, which belong to this file alone; return whether any
    existed."""
    parts = [ending for ending in ("", "-wal", "-shm") if file.with_name(file.name + ending).exists()]
    for ending in parts:
        file.with_name(file.name + ending).replace(replaced.with_name(replaced.name + ending))
    return bool(parts)


@contextmanager
def _opened(file: Path) -> Iterator[sqlite3.Connection]:
    """Open the file for reading, without creating it."""
    with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True, timeout=_WAIT)) as connection:
        yield connection


def _now() -> str:
    return datetime.now(UTC).strftime("%Y%m%d-%H%M%S-%f")[:-3]


def _made(copy: Path) -> str:
    return copy.stem[-len(_now()) :]


def _literal(name: str) -> str:
    """Return a file name for glob, which reads brackets and stars as patterns."""
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in name)
