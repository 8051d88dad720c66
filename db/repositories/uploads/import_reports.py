"""Reports of imports: one a project, of the last, until somebody puts it away."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import delete
from sqlmodel import Session, col, select

from db.models import ImportReportRow, ProjectRow


class ImportReports:
    def __init__(self, session: Session) -> None:
        self._session = session

    def keep(self, project_id: int, report: Mapping[str, Any]) -> None:
        """In place of the one before."""
        self._session.execute(delete(ImportReportRow).where(col(ImportReportRow.project_id) == project_id))
        self._session.add(ImportReportRow(project_id=project_id, report=dict(report)))
        self._session.flush()

    def of(self, project: str) -> dict[str, Any] | None:
        """By the project's name; None where there is none."""
        query = select(ImportReportRow.report).where(col(ImportReportRow.project_id).in_(_ids(project)))
        found = self._session.exec(query).first()
        return dict(found) if found is not None else None

    def forget(self, project: str) -> None:
        self._session.execute(delete(ImportReportRow).where(col(ImportReportRow.project_id).in_(_ids(project))))


def _ids(project: str) -> Any:
    return select(ProjectRow.id).where(ProjectRow.name == project)
