"""Trail of a project: read, and written as a table."""

from app.domain.people.actor import Right
from app.domain.people.trail import TrailEntry
from app.export.spreadsheet import csv_bytes
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench

__all__ = ["COLUMNS", "TrailEntry", "server_trail", "trail_csv", "trail_of"]

COLUMNS = ("at", "who", "act", "about", "project")


@use_case(Right.FACILITATE)
def trail_of(workbench: Workbench, project_id: int) -> list[TrailEntry]:
    """Newest first."""
    with workbench.database.read() as work:
        return work.trail.of(project_id)


@use_case(Right.SERVE)
def server_trail(workbench: Workbench) -> list[TrailEntry]:
    """Of all projects, those that were deleted too, and of the server itself; newest first."""
    with workbench.database.read() as work:
        return work.trail.of(None)


def trail_csv(entries: list[TrailEntry]) -> bytes:
    """A row an entry, with times in UTC."""
    rows = (
        {"at": one.at.isoformat(), "who": one.who, "act": one.act, "about": one.about, "project": one.project}
        for one in entries
    )
    return csv_bytes(COLUMNS, rows)
