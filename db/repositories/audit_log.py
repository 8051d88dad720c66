"""The audit log."""

from sqlmodel import col, select

from app.domain.people import AuditEntry, PendingAct
from db.models.people import AuditLogRow, PersonRow
from db.models.project import ProjectRow
from db.repositories.repository import Repository, value_of


class AuditLog(Repository):
    """Entries of who did what when."""

    def add(self, pending: PendingAct) -> None:
        """Add an entry. It keeps the names of a project or person that this very act deletes."""
        project = self._session.get(ProjectRow, pending.project) if pending.project else None
        person = self._session.get(PersonRow, pending.person) if pending.person else None
        self._add(
            AuditLogRow(
                project_id=project.id if project else None,
                project=project.name if project else pending.about if pending.project else "",
                person_id=person.id if person else None,
                who=pending.who,
                act=pending.act,
                about=pending.about,
            )
        )

    def of(self, project_id: int | None) -> list[AuditEntry]:
        """Return the entries, newest first; None for those of all projects."""
        query = select(AuditLogRow).order_by(col(AuditLogRow.id).desc())
        if project_id is not None:
            query = query.where(AuditLogRow.project_id == project_id)
        return [value_of(AuditEntry, row) for row in self._session.exec(query)]
