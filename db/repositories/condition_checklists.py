"""Which checklists belong to a study of conditions."""

from sqlmodel import Session, col, select

from db.models import ChecklistRow, ConditionChecklistRow


class ConditionChecklists:
    def __init__(self, session: Session) -> None:
        self._session = session

    def add(self, checklist_id: int, inputs_digest: str) -> None:
        """From now on it is no longer listed among the versions that experts work on."""
        self._session.add(ConditionChecklistRow(checklist_id=checklist_id, inputs_digest=inputs_digest))
        self._session.flush()

    def find(self, dimension_id: int, inputs_digest: str) -> int | None:
        """The newest checklist made from these inputs."""
        return self._session.exec(
            select(ConditionChecklistRow.checklist_id)
            .join(ChecklistRow, col(ChecklistRow.id) == ConditionChecklistRow.checklist_id)
            .where(ChecklistRow.dimension_id == dimension_id, ConditionChecklistRow.inputs_digest == inputs_digest)
            .order_by(col(ConditionChecklistRow.id).desc())
        ).first()
