"""The audit log: who did what when, in a project or on the server."""

from app.domain.people import AuditEntry
from app.domain.roles_and_rights import Right
from app.export.spreadsheet import csv_bytes
from app.services.runtime.workbench import Workbench, use_case

COLUMNS = ("at", "who", "act", "about", "project")


@use_case(Right.FACILITATE)
def project_audit_log(workbench: Workbench, project_id: int) -> list[AuditEntry]:
    """Return the project's audit log, newest first."""
    with workbench.database.read() as work:
        return work.audit_log.of(project_id)


@use_case(Right.SERVE)
def server_audit_log(workbench: Workbench) -> list[AuditEntry]:
    """Return the audit log of the server and of all projects, also deleted ones, newest first."""
    with workbench.database.read() as work:
        return work.audit_log.of(None)


def audit_log_csv(entries: list[AuditEntry]) -> bytes:
    """Return a CSV with a row for each entry; times in UTC."""
    rows = (
        {"at": one.at.isoformat(), "who": one.who, "act": one.act, "about": one.about, "project": one.project}
        for one in entries
    )
    return csv_bytes(COLUMNS, rows)
