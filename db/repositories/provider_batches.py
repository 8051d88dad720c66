"""Batches at providers, by the run they are for."""

from sqlmodel import Session, col, select

from app.domain.batch import OPEN, BatchStatus, ProviderBatch
from app.errors import NotFoundError
from db.models import ProviderBatchRow, ScoringRunRow
from db.models.columns import now
from db.storable import stored_state


class ProviderBatches:
    def __init__(self, session: Session) -> None:
        self._session = session

    def intend(self, run_id: int, token: str, requests: int) -> ProviderBatch:
        """Before it is handed in."""
        run = self._session.get_one(ScoringRunRow, run_id)
        return self._intended(run.project_id, run_id, run.judge, token, requests)

    def intend_without_run(
        self, project_id: int, model: str, token: str, requests: int, effort: str = ""
    ) -> ProviderBatch:
        """Likewise, for what a model is asked in a project beside its runs."""
        return self._intended(project_id, None, model, token, requests, effort)

    def _intended(
        self, project: int, run: int | None, model: str, token: str, requests: int, effort: str = ""
    ) -> ProviderBatch:
        status = BatchStatus.INTENDED.value
        row = ProviderBatchRow(
            project_id=project, run_id=run, model=model, effort=effort, token=token, requests=requests, status=status
        )
        return self._kept(row)

    def is_out(self, batch_id: int, handle: str) -> ProviderBatch:
        row = self._row(batch_id)
        row.handle, row.status, row.out_at = handle, BatchStatus.OUT.value, now()
        return self._kept(row)

    def note(self, batch_id: int, status: BatchStatus, answered: int | None = None) -> ProviderBatch:
        row = self._row(batch_id)
        row.status, row.answered = status.value, row.answered if answered is None else answered
        return self._kept(row)

    def one(self, batch_id: int) -> ProviderBatch:
        """Raises NotFoundError."""
        return _batch(self._row(batch_id))

    def of_run(self, run_id: int) -> list[ProviderBatch]:
        """Oldest first."""
        query = select(ProviderBatchRow).where(ProviderBatchRow.run_id == run_id).order_by(col(ProviderBatchRow.id))
        return [_batch(row) for row in self._session.exec(query)]

    def open(self, run_id: int) -> list[ProviderBatch]:
        """Those whose answers aren't in the ledger yet."""
        return [each for each in self.of_run(run_id) if each.status in OPEN]

    def open_without_run(self, project_id: int, model: str = "") -> list[ProviderBatch]:
        """Those of a model in a project, or of all its models, that are for no run, oldest first."""
        row = ProviderBatchRow
        query = select(row).where(col(row.project_id) == project_id, col(row.run_id).is_(None)).order_by(col(row.id))
        query = query.where(col(row.model) == model) if model else query
        return [each for each in map(_batch, self._session.exec(query)) if each.status in OPEN]

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
        stored_state(BatchStatus, row.status, BatchStatus.NOTHING),
        row.requests,
        row.answered,
        row.intended_at,
        row.out_at,
        row.model,
        row.effort,
    )
