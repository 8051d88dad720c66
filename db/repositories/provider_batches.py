"""Batches at providers, by the run they are for."""

from sqlmodel import Session, col, select

from app.domain.batch import OPEN, BatchStatus, ProviderBatch
from app.errors import NotFoundError
from db.models import ProviderBatchRow
from db.models.columns import now


class ProviderBatches:
    def __init__(self, session: Session) -> None:
        self._session = session

    def intend(self, run_id: int, token: str, requests: int) -> ProviderBatch:
        """Before it is handed in."""
        row = ProviderBatchRow(run_id=run_id, token=token, requests=requests, status=BatchStatus.INTENDED.value)
        self._session.add(row)
        self._session.flush()
        return _batch(row)

    def is_out(self, batch_id: int, handle: str) -> ProviderBatch:
        row = self._row(batch_id)
        row.handle, row.status, row.out_at = handle, BatchStatus.OUT.value, now()
        return self._kept(row)

    def note(self, batch_id: int, status: BatchStatus, answered: int | None = None) -> ProviderBatch:
        row = self._row(batch_id)
        row.status, row.answered = status.value, row.answered if answered is None else answered
        return self._kept(row)

    def of_run(self, run_id: int) -> list[ProviderBatch]:
        """Oldest first."""
        query = select(ProviderBatchRow).where(ProviderBatchRow.run_id == run_id).order_by(col(ProviderBatchRow.id))
        return [_batch(row) for row in self._session.exec(query)]

    def open(self, run_id: int) -> list[ProviderBatch]:
        """Those whose answers aren't in the ledger yet."""
        return [each for each in self.of_run(run_id) if each.status in OPEN]

    def _row(self, batch_id: int) -> ProviderBatchRow:
        row = self._session.get(ProviderBatchRow, batch_id)
        if row is None:
            raise NotFoundError("This batch is no longer on record.", "Its run was deleted.")
        return row

    def _kept(self, row: ProviderBatchRow) -> ProviderBatch:
        self._session.add(row)
        self._session.flush()
        return _batch(row)


def _batch(row: ProviderBatchRow) -> ProviderBatch:
    return ProviderBatch(
        int(row.id or 0),
        row.run_id,
        row.token,
        row.handle,
        BatchStatus(row.status),
        row.requests,
        row.answered,
        row.intended_at,
        row.out_at,
    )
