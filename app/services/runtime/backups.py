"""Backups of the whole database, restoring them, and locks that tell which processes are alive."""

import os
import socket
import uuid
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from filelock import FileLock, Timeout

from app.domain.job import HEARTBEAT_TIMEOUT
from app.domain.roles_and_rights import Right
from app.errors import DatabaseError, DataInUseError, InputError, NotFoundError
from app.services.runtime.output_file import output_file
from app.services.runtime.workbench import Workbench, use_case
from app.settings import settings
from db.backup import check_backup, copy_database, restore_file
from db.engine import sqlite_file
from db.unit_of_work import Database, replace_database, write_portable

SERVER = "web-"
"""Prefix of a web process's lock name."""


class WriterLock:
    """A lock that a process holds while it lives. `name` is unique for ever. kind: SERVER for a web process; only a
    restore looks for these."""

    def __init__(self, kind: str = "") -> None:
        self.name = f"{socket.gethostname()}|{kind}{os.getpid()}-{uuid.uuid4().hex}"
        self._lock = FileLock(_lock_file(self.name), thread_local=False)

    def acquire(self) -> None:
        try:
            _lock_file(self.name).parent.mkdir(parents=True, exist_ok=True)
            self._lock.acquire(blocking=False)
        except (OSError, NotImplementedError, Timeout):  # no locks in this folder: signs of life alone count then
            pass

    def release(self) -> None:
        self._lock.release()
        forget_writer(self.name)

    def release_lock(self) -> None:
        """Release the lock but keep its file, so that others see the process as ended and take over its work."""
        self._lock.release()
        with suppress(OSError):  # signs of life alone count then
            _lock_file(self.name).touch()


def forget_writer(writer: str) -> None:
    """Delete the lock file of a writer that nobody will ask about again."""
    with suppress(OSError):  # the file system became read-only
        _lock_file(writer).unlink(missing_ok=True)


def has_ended(writer: str) -> bool:
    """Return whether a writer of this machine is known to have ended without releasing its work."""
    if not _is_of_here(writer):
        return False
    lock = FileLock(_lock_file(writer), thread_local=False)
    try:
        lock.acquire(blocking=False)
    except (OSError, NotImplementedError, Timeout):
        return False
    lock.release()
    return True


def is_alive(writer: str) -> bool:
    """Return whether a process of this machine holds the writer's lock."""
    return _is_of_here(writer) and not has_ended(writer)


def servers_there() -> int:
    """Return how many web processes use this data folder. Lock files of killed ones are deleted."""
    found = 0
    for file in (settings().home / "running").glob(f"{SERVER}*.lock"):
        lock = FileLock(file, thread_local=False)
        try:
            lock.acquire(blocking=False)
        except Timeout:
            found += 1
        except (OSError, NotImplementedError):
            continue
        else:
            lock.release()
            file.unlink(missing_ok=True)
    return found


def _is_of_here(writer: str) -> bool:
    host, sign, _ = writer.partition("|")
    return bool(sign) and host == socket.gethostname() and _lock_file(writer).exists()


def _lock_file(writer: str) -> Path:
    return settings().home / "running" / f"{writer.rpartition('|')[2]}.lock"


DOWNLOAD_BYTES = 200_000_000  # a download is held in memory


@dataclass(frozen=True, slots=True)
class Backup:
    """A written backup; `size` in bytes."""

    file: str
    size: int
    projects: int

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Restored:
    """A restored backup. `replaced` is the copy of the earlier data, "" if there was none."""

    file: str
    replaced: str
    projects: int

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


@use_case(Right.SERVE, act="made a backup")
def back_up(workbench: Workbench, target: Path) -> Backup:
    """Write everything, from SQLite or PostgreSQL, into one checked file, while others continue to work.

    Raises InputError if the file can't be written, DatabaseError if the database is damaged.
    """
    source = workbench.database.file
    if source is not None and target.exists() and target.samefile(source):
        raise InputError(f"{target} is the database itself.", "Name another file.")
    if not target.parent.is_dir():
        raise InputError(f"There is no folder {target.parent}.", "Make it, or name another.")
    with workbench.database.read() as work:
        projects = len(work.projects.all())
    with output_file(target) as file:
        _copy(workbench.database, file)
    return Backup(str(target), target.stat().st_size, projects)


@use_case(Right.SERVE, act="made a backup")
def backup_bytes(workbench: Workbench) -> bytes:
    """Return a backup as bytes, for a download."""
    with TemporaryDirectory(prefix="interacteval-") as folder:
        file = Path(folder) / "backup.db"
        _copy(workbench.database, file)
        return file.read_bytes()


@use_case(Right.SERVE)
def downloadable(workbench: Workbench) -> bool:
    file = workbench.database.file
    return file is not None and file.stat().st_size <= DOWNLOAD_BYTES


def restore(backup: Path, anyway: bool = False) -> Restored:
    """Replace all data by a backup; the earlier data stay beside it as a copy. A damaged SQLite file can be replaced
    too.

    anyway: even under web processes and workers, which may still write to the old data. Raises NotFoundError,
    FileFormatError for a file that isn't a backup, ConflictError while a run is active or other processes use the data.
    """
    if not backup.is_file():
        raise NotFoundError(f"There is no file {backup}.", "Name a file that `backup` wrote.")
    file = sqlite_file(settings().url)
    if file is None:
        return _restored_on_server(backup, anyway)
    if file.exists() and backup.samefile(file):
        raise InputError(f"{backup} is the database itself.", "Name a backup.")
    check_backup(backup)
    _refuse_while_running(file, anyway)
    replaced = restore_file(backup, file)
    database = Database(settings().url)  # brings the tables up to date
    try:
        return Restored(str(file), str(replaced or ""), _projects(database))
    finally:
        database.close()


def _restored_on_server(backup: Path, anyway: bool) -> Restored:
    check_backup(backup)
    database = Database(settings().url)
    try:
        _refuse(database, anyway)
        replaced = settings().home / f"database-replaced-{datetime.now(UTC):%Y%m%d-%H%M%S-%f}.db"
        replaced.parent.mkdir(parents=True, exist_ok=True)
        with output_file(replaced) as copy:
            write_portable(database, copy)
        replace_database(backup, database)
        return Restored("the PostgreSQL database", str(replaced), _projects(database))
    finally:
        database.close()


def _projects(database: Database) -> int:
    with database.read() as work:
        return len(work.projects.all())


def _copy(database: Database, file: Path) -> None:
    if database.file is None:
        write_portable(database, file)
    else:
        copy_database(database.file, file)


def _refuse_while_running(file: Path, anyway: bool) -> None:
    """Raise ConflictError while runs or other processes use the database; a database that can't be opened has none."""
    if not file.exists():
        return
    try:
        database = Database(settings().url)
    except DatabaseError:
        return
    try:
        _refuse(database, anyway)
    except DatabaseError:
        return
    finally:
        database.close()


def _refuse(database: Database, anyway: bool) -> None:
    with database.read() as work:
        workers = [name for name in work.jobs.workers(HEARTBEAT_TIMEOUT) if not has_ended(name)]
        running = [run for project in work.projects.all() for run in work.runs.running(project.id)]
    if running:
        raise DataInUseError(
            f"Run {running[0]} is going on.", "Stop it (`interacteval runs cancel`) or wait, then restore."
        )
    servers = servers_there()
    if (servers or workers) and not anyway:
        raise DataInUseError(
            f"Web processes ({servers}) or workers ({len(workers)}) have these data open.",
            "Stop them all, then restore. --anyway restores all the same.",
        )
