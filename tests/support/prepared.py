"""SQLite databases that are filled once in a process: each test has a copy."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Generic, TypeVar

from app.services.runtime.workbench import Workbench
from tests.support.projects import workbench_at

Made = TypeVar("Made")


@dataclass(frozen=True)
class Prepared(Generic[Made]):
    """The content of a database's file, and what `fill` said of it."""

    content: bytes
    made: Made

    def copy(self, folder: Path) -> Made:
        """Make `workbench.db` in `folder` a copy."""
        (folder / "workbench.db").write_bytes(self.content)
        return self.made


def prepared(fill: Callable[[Workbench], Made], open_at: Callable[[Path], Workbench] = workbench_at) -> Prepared[Made]:
    """Return the database that `fill` filled through a workbench that `open_at` opens in a folder."""
    with TemporaryDirectory() as folder:
        workbench = open_at(Path(folder))
        made = fill(workbench)
        workbench.database.close()  # the last connection to close writes the journal's pages into the file
        return Prepared(Path(folder, "workbench.db").read_bytes(), made)
