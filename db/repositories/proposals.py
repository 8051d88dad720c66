"""Proposals of models for drafts, and what people decided."""

from collections.abc import Sequence

from sqlmodel import Session, col, select

from app.domain.questions.proposal import Action, Proposal, ProposalStatus
from app.errors import NotFoundError
from db.models import ProposalRow
from db.models.columns import now
from db.storable import stored_state


class Proposals:
    def __init__(self, session: Session) -> None:
        self._session = session

    def add(self, checklist_id: int, proposals: Sequence[Proposal], stage_run_id: int | None = None) -> list[int]:
        rows = [
            ProposalRow(
                checklist_id=checklist_id,
                stage_run_id=stage_run_id,
                action=proposal.action.value,
                model=proposal.model,
                sources=list(proposal.sources),
                before=list(proposal.before),
                after=list(proposal.after),
                reason=proposal.reason,
            )
            for proposal in proposals
        ]
        self._session.add_all(rows)
        self._session.flush()
        return [int(row.id or 0) for row in rows]

    def of(self, checklist_id: int, status: ProposalStatus | None = None) -> list[Proposal]:
        """Oldest first."""
        query = select(ProposalRow).where(ProposalRow.checklist_id == checklist_id)
        if status is not None:
            query = query.where(ProposalRow.status == status.value)
        return [_proposal(row) for row in self._session.exec(query.order_by(col(ProposalRow.id)))]

    def get(self, proposal_id: int) -> tuple[int, Proposal]:
        """The checklist it is about, and the proposal; locked until the end of the transaction."""
        row = self._row(proposal_id)
        return row.checklist_id, _proposal(row)

    def decide(self, proposal_id: int, status: ProposalStatus, who: str) -> None:
        row = self._row(proposal_id)
        row.status, row.decided_by = status.value, who
        row.decided_at = None if status is ProposalStatus.OPEN else now()

    def _row(self, proposal_id: int) -> ProposalRow:
        row = self._session.get(ProposalRow, proposal_id, with_for_update=True)
        if row is None:
            raise NotFoundError("This proposal is no longer there.", "Reload the page.")
        return row


def _proposal(row: ProposalRow) -> Proposal:
    return Proposal(
        action=Action(row.action),
        model=row.model,
        sources=tuple(row.sources),
        before=tuple(row.before),
        after=tuple(row.after),
        reason=row.reason,
        status=stored_state(ProposalStatus, row.status, ProposalStatus.REFUSED),
        decided_by=row.decided_by,
        created_at=row.created_at,
        decided_at=row.decided_at,
        id=int(row.id or 0),
    )
