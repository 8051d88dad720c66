"""Builds as they went: every state is kept, the newest counts."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import select as sql_select
from sqlmodel import Session, col, select

from app.domain.build import BuildSummary, Revision
from app.errors import NotFoundError
from db.models import BuildRevisionRow, BuildRow, ChecklistRow


class Builds:
    def __init__(self, session: Session) -> None:
        self._session = session

    def add(
        self,
        dimension_id: int,
        condition: str,
        what: str,
        state: Mapping[str, Any],
        study_digest: str = "",
        who: str = "",
    ) -> int:
        """A new build with its first state; returns its id. Those of studies are found by their digest only."""
        row = BuildRow(dimension_id=dimension_id, condition=condition, study_digest=study_digest)
        self._session.add(row)
        self._session.flush()
        build_id = int(row.id or 0)
        self._session.add(BuildRevisionRow(build_id=build_id, number=1, what=what, who=who, state=dict(state)))
        self._session.flush()
        return build_id

    def set_study_digest(self, build_id: int, digest: str) -> None:
        """By what studies find it from now on."""
        self._row(build_id).study_digest = digest
        self._session.flush()

    def dimension_of(self, build_id: int) -> int:
        return self._row(build_id).dimension_id

    def state(self, build_id: int, number: int | None = None) -> tuple[int, dict[str, Any]]:
        """(revision, state): the one asked for, else the newest."""
        query = select(BuildRevisionRow).where(BuildRevisionRow.build_id == build_id)
        if number is not None:
            query = query.where(BuildRevisionRow.number == number)
        row = self._session.exec(query.order_by(col(BuildRevisionRow.number).desc())).first()
        if row is None:
            raise _missing()
        return row.number, row.state

    def locked_state(self, build_id: int) -> tuple[int, dict[str, Any]]:
        """The newest state, with nobody else changing it until the end of this unit of work."""
        self._session.exec(select(BuildRow).where(BuildRow.id == build_id).with_for_update()).one_or_none()
        return self.state(build_id)

    def keep(
        self, build_id: int, what: str, who: str, state: Mapping[str, Any], checklist_id: int | None = None
    ) -> int:
        """The next state; returns its number."""
        number = self.state(build_id)[0] + 1
        row = BuildRevisionRow(
            build_id=build_id, number=number, what=what, who=who, state=dict(state), checklist_id=checklist_id
        )
        self._session.add(row)
        self._session.flush()
        return number

    def history(self, build_id: int) -> list[Revision]:
        """Every step, newest first."""
        row = BuildRevisionRow
        rows = self._session.execute(
            sql_select(col(row.number), col(row.what), col(row.who), col(row.created_at), col(ChecklistRow.version))
            .join(ChecklistRow, col(ChecklistRow.id) == col(row.checklist_id), isouter=True)
            .where(col(row.build_id) == build_id)
            .order_by(col(row.number).desc())
        )
        return [Revision(*step) for step in rows]

    def of_dimension(self, dimension_id: int) -> list[BuildSummary]:
        """Newest first, without those of studies."""
        rows = self._session.exec(
            select(BuildRow)
            .where(BuildRow.dimension_id == dimension_id, BuildRow.study_digest == "")
            .order_by(col(BuildRow.id).desc())
        )
        return [self._summary(row) for row in rows]

    def of_study(self, dimension_id: int, study_digest: str) -> int | None:
        """The newest build that a study made from these inputs."""
        return self._session.exec(
            select(BuildRow.id)
            .where(BuildRow.dimension_id == dimension_id, BuildRow.study_digest == study_digest)
            .order_by(col(BuildRow.id).desc())
        ).first()

    def last_checklist(self, build_id: int) -> int | None:
        """The id of the newest version made from it that is still there."""
        return self._session.exec(
            select(BuildRevisionRow.checklist_id)
            .where(BuildRevisionRow.build_id == build_id, col(BuildRevisionRow.checklist_id).is_not(None))
            .order_by(col(BuildRevisionRow.number).desc())
        ).first()

    def _summary(self, row: BuildRow) -> BuildSummary:
        steps = self.history(int(row.id or 0))
        versions = tuple(sorted(step.checklist for step in steps if step.checklist is not None))
        return BuildSummary(int(row.id or 0), row.condition, row.created_at, versions)

    def _row(self, build_id: int) -> BuildRow:
        row = self._session.get(BuildRow, build_id)
        if row is None:
            raise _missing()
        return row


def _missing() -> NotFoundError:
    return NotFoundError("This build is no longer there.", "Choose another, or start a new one.")
