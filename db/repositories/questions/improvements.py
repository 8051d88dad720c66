"""Attempts at better wordings: kept whole, decided once. And the halves of the documents, drawn once."""

from collections.abc import Mapping
from dataclasses import asdict

from pydantic import TypeAdapter
from sqlmodel import Session, col, select

from app.domain.questions.improvement import (
    Half,
    Improvement,
    ImprovementStatus,
    ProposedWording,
    TriedWording,
    WordingTrial,
)
from app.errors import NotFoundError
from db.models import ChecklistRow, DocumentHalfRow, ImprovementRow, ProjectRow, QuestionRow
from db.models.columns import now
from db.repositories.questions.question_lines import lines_of
from db.storable import stored_state

_TRIED, _TRIAL = TypeAdapter(TriedWording), TypeAdapter(WordingTrial)


class Improvements:
    def __init__(self, session: Session) -> None:
        self._session = session

    def halves(self, project_id: int) -> dict[str, Half]:
        """Document -> its half, of those that are drawn."""
        rows = self._session.exec(select(DocumentHalfRow).where(DocumentHalfRow.project_id == project_id))
        return {row.doc_id: Half(row.half) for row in rows}

    def hold_halves(self, project_id: int) -> None:
        """Until the end of the transaction nobody else draws."""
        self._session.exec(select(ProjectRow.id).where(ProjectRow.id == project_id).with_for_update()).all()

    def add_halves(self, project_id: int, drawn: Mapping[str, Half]) -> None:
        self._session.add_all(
            DocumentHalfRow(project_id=project_id, doc_id=document, half=half.value) for document, half in drawn.items()
        )
        self._session.flush()

    def add(self, found: Improvement) -> int:
        row = ImprovementRow(
            question_id=found.question,
            run_id=found.run,
            model=found.model,
            judge=found.judge,
            text=found.before.text,
            guidance=found.before.guidance,
            decisions=list(found.decisions),
            tried=[asdict(one) for one in found.tried],
            best=found.best,
            proof=asdict(found.proof) if found.proof else {},
            proof_decided=found.proof_decided,
            proof_texts=list(found.proof_texts),
            calls=found.calls,
            cost_usd=found.cost_usd,
            made_by=found.who,
        )
        self._session.add(row)
        self._session.flush()
        return int(row.id or 0)

    def line_of(self, question_id: int) -> set[int]:
        """The question in all its versions."""
        return set(lines_of(self._session, [question_id]))

    def of_checklist(self, checklist_id: int) -> dict[int, list[Improvement]]:
        """Question of this version -> the attempts at it in all its versions, oldest first."""
        questions = self._session.exec(select(QuestionRow.id).where(QuestionRow.checklist_id == checklist_id))
        lines = lines_of(self._session, (int(id_ or 0) for id_ in questions))
        rows = self._session.exec(
            select(ImprovementRow)
            .where(col(ImprovementRow.question_id).in_(list(lines)))
            .order_by(col(ImprovementRow.id))
        )
        found: dict[int, list[Improvement]] = {}
        for row in rows:
            found.setdefault(lines[row.question_id], []).append(_improvement(row))
        return found

    def of_dimension(self, dimension_id: int) -> list[Improvement]:
        """At questions of all its versions, oldest first."""
        rows = self._session.exec(
            select(ImprovementRow)
            .join(QuestionRow, col(QuestionRow.id) == ImprovementRow.question_id)
            .join(ChecklistRow, col(ChecklistRow.id) == QuestionRow.checklist_id)
            .where(ChecklistRow.dimension_id == dimension_id)
            .order_by(col(ImprovementRow.id))
        )
        return [_improvement(row) for row in rows]

    def get(self, improvement_id: int, lock: bool = False) -> Improvement:
        """lock: until the end of the transaction, so that it is decided once. Raises NotFoundError."""
        return _improvement(self._row(improvement_id, lock))

    def decide(
        self, improvement_id: int, status: ImprovementStatus, who: str, taken: ProposedWording | None = None
    ) -> None:
        row = self._row(improvement_id)
        row.status, row.decided_by, row.decided_at = status.value, who, now()
        if taken is not None:
            row.taken_text, row.taken_guidance = taken.text, taken.guidance
        self._session.add(row)
        self._session.flush()

    def _row(self, improvement_id: int, lock: bool = False) -> ImprovementRow:
        row = self._session.get(ImprovementRow, improvement_id, with_for_update=lock or None)
        if row is None:
            raise NotFoundError("This attempt is no longer there.", "Reload the page.")
        return row


def _improvement(row: ImprovementRow) -> Improvement:
    return Improvement(
        question=row.question_id,
        model=row.model,
        judge=row.judge,
        run=row.run_id,
        before=ProposedWording(row.text, row.guidance),
        decisions=tuple(row.decisions),
        tried=tuple(_TRIED.validate_python(one) for one in row.tried),
        best=row.best,
        proof=_TRIAL.validate_python(row.proof) if row.proof else None,
        proof_decided=row.proof_decided,
        proof_texts=tuple(row.proof_texts),
        calls=row.calls,
        cost_usd=row.cost_usd,
        status=stored_state(ImprovementStatus, row.status, ImprovementStatus.REFUSED),
        who=row.made_by,
        at=row.made_at,
        decided_by=row.decided_by,
        decided_at=row.decided_at,
        taken=ProposedWording(row.taken_text, row.taken_guidance) if row.taken_text else None,
        id=int(row.id or 0),
    )
