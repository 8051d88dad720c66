"""Trail of a project, or of the server."""

from sqlmodel import Session, col, select

from app.domain.people.trail import PendingAct, TrailEntry
from db.models import PersonRow, ProjectRow, TrailRow


class Trail:
    def __init__(self, session: Session) -> None:
        self._session = session

    def add(self, pending: PendingAct) -> None:
        """What is about a project or person that this very act deletes keeps their names."""
        project = self._session.get(ProjectRow, pending.project) if pending.project else None
        person = self._session.get(PersonRow, pending.person) if pending.person else None
        self._session.add(
            TrailRow(
                project_id=project.id if project else None,
                project=project.name if project else pending.about if pending.project else "",
                person_id=person.id if person else None,
                who=pending.who,
                act=pending.act,
                about=pending.about,
            )
        )
        self._session.flush()

    def of(self, project_id: int | None) -> list[TrailEntry]:
        """Newest first; None for all there is."""
        query = select(TrailRow).order_by(col(TrailRow.id).desc())
        if project_id is not None:
            query = query.where(TrailRow.project_id == project_id)
        return [TrailEntry(row.at, row.who, row.act, row.about, row.project) for row in self._session.exec(query)]
