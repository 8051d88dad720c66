"""All that a database holds as a SQLite file, whatever server it is on, and back: what backups of PostgreSQL are."""

from pathlib import Path
from tempfile import TemporaryDirectory

from db.backup import copy_database
from db.unit_of_work import Database


def write_portable(database: Database, file: Path) -> None:
    """As it is at one moment, while others go on writing."""
    with TemporaryDirectory(prefix="interacteval-") as folder:
        whole = Path(folder) / "whole.db"
        alone = Database(f"sqlite:///{whole}")
        try:
            with database.read() as work, alone.write() as target:
                work.transfers.hold_still()
                target.transfers.take_all(work.transfers)
        finally:
            alone.close()
        copy_database(whole, file)  # one file, proved to be whole


def put_portable(file: Path, database: Database) -> None:
    """Make `database` hold what `file` holds: all of it, or everything stays. The file may be of an earlier version."""
    with TemporaryDirectory(prefix="interacteval-") as folder:
        copy = Path(folder) / "copy.db"
        copy_database(file, copy)
        source = Database(f"sqlite:///{copy}")  # brings the copy's tables up to date, not the file's
        try:
            with source.read() as other, database.write() as work:
                work.transfers.take_all(other.transfers)
        finally:
            source.close()
