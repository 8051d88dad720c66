"""Copies of everything that is kept, and how one is put back."""

from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from app.errors import ConflictError, DatabaseError, InputError, NotFoundError
from app.services.runtime.output_file import output_file
from app.services.runtime.workbench import Workbench
from app.settings import settings
from db.backup import check_backup, copy_database, put_back
from db.engine import sqlite_file
from db.unit_of_work import Database

DOWNLOAD_BYTES = 200_000_000  # a download is held in memory
SERVER_TOOLS = (
    "`pg_dump --format=custom --file FILE` with the same address makes one; `pg_restore --clean` puts it back."
)


@dataclass(frozen=True, slots=True)
class Backup:
    """`size` in bytes."""

    file: str
    size: int
    projects: int

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Restored:
    """`replaced` is the copy of what was there before; "" where nothing was."""

    file: str
    replaced: str
    projects: int

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def back_up(workbench: Workbench, target: Path) -> Backup:
    """Everything that is kept, as one proved file. Others go on working meanwhile.

    Raises InputError where the file can't be written, DatabaseError where the database is damaged or on a server.
    """
    source = _file_of(workbench)
    if target.exists() and target.samefile(source):
        raise InputError(f"{target} is the database itself.", "Name another file.")
    with workbench.database.read() as work:
        projects = len(work.projects.all())
    with output_file(target) as file:
        copy_database(source, file)
    return Backup(str(target), target.stat().st_size, projects)


def backup_bytes(workbench: Workbench) -> bytes:
    """The same, to be downloaded."""
    with TemporaryDirectory(prefix="interacteval-") as folder:
        file = Path(folder) / "backup.db"
        copy_database(_file_of(workbench), file)
        return file.read_bytes()


def downloadable(workbench: Workbench) -> bool:
    file = workbench.database.file
    return file is not None and file.stat().st_size <= DOWNLOAD_BYTES


def restore(backup: Path) -> Restored:
    """Put a backup in the place of the database, which may be damaged; what was there is kept beside it.

    Raises NotFoundError, FileFormatError for what is no backup, ConflictError while a run is going on.
    """
    file = sqlite_file(settings().url)
    if file is None:
        raise DatabaseError("A PostgreSQL database is backed up and restored with its own tools.", SERVER_TOOLS)
    if not backup.is_file():
        raise NotFoundError(f"There is no file {backup}.", "Name a file that `backup` wrote.")
    if file.exists() and backup.samefile(file):
        raise InputError(f"{backup} is the database itself.", "Name a backup.")
    check_backup(backup)
    _refuse_while_running(file)
    replaced = put_back(backup, file)
    database = Database(settings().url)  # brings the tables up to date
    try:
        with database.read() as work:
            return Restored(str(file), str(replaced or ""), len(work.projects.all()))
    finally:
        database.close()


def _file_of(workbench: Workbench) -> Path:
    if workbench.database.file is None:
        raise DatabaseError("A PostgreSQL database is backed up and restored with its own tools.", SERVER_TOOLS)
    return workbench.database.file


def _refuse_while_running(file: Path) -> None:
    """A database that can't be opened has no run that could lose anything."""
    if not file.exists():
        return
    try:
        database = Database(settings().url)
    except DatabaseError:
        return
    try:
        with database.read() as work:
            running = [run for project in work.projects.all() for run in work.runs.running(project.id)]
    except DatabaseError:
        return
    finally:
        database.close()
    if running:
        raise ConflictError(
            f"Run {running[0]} is going on.", "Stop it (`interacteval runs cancel`) or wait, then restore."
        )
