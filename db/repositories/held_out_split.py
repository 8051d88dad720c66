"""Held-out splits, and the rule that keeps their texts out of all other queries."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import func
from sqlalchemy import select as sql_select
from sqlmodel import col, select

from app.domain.project import HeldOutSplit, Look, Scope
from app.domain.run import ScoreStatus
from db.models.columns import now
from db.models.project import TextRow
from db.models.run import HeldOutDocumentRow, HeldOutLookRow, HeldOutSplitRow, ScoreRow, ScoringRunRow
from db.repositories.repository import Repository, table_of, value_of

_TEXTS, _DOCUMENTS, _SPLITS = table_of(TextRow), table_of(HeldOutDocumentRow), table_of(HeldOutSplitRow)
_LOCKED_TEXTS = (
    sql_select(_TEXTS.c.id)
    .join(_DOCUMENTS, _DOCUMENTS.c.doc_id == _TEXTS.c.doc_id)
    .join(_SPLITS, _SPLITS.c.id == _DOCUMENTS.c.split_id)
    .where(_SPLITS.c.project_id == _TEXTS.c.project_id, _SPLITS.c.opened_at.is_(None))
)


def within(scope: Scope, text_id: Any) -> list[Any]:
    """Return the conditions that limit a query to texts of this scope; `text_id` is the column with the text's id."""
    if scope is Scope.EVERY:
        return []
    # A query of its own, not one for each row: the database runs it once, and mostly finds nothing.
    return [col(text_id).not_in(_LOCKED_TEXTS) if scope is Scope.OPEN else col(text_id).in_(_LOCKED_TEXTS)]


class HeldOutSplits(Repository):
    def of(self, project_id: int) -> list[HeldOutSplit]:
        """Return the splits, newest first; at most the first is still locked."""
        rows = self._session.exec(
            select(HeldOutSplitRow)
            .where(HeldOutSplitRow.project_id == project_id)
            .order_by(col(HeldOutSplitRow.id).desc())
        )
        return [self._value(row) for row in rows]

    def lock(self, project_id: int, documents: Sequence[str], share: float, seed: int, who: str) -> None:
        row = HeldOutSplitRow(project_id=project_id, share=share, seed=seed, locked_by=who)
        self._add(row)
        self._session.add_all(HeldOutDocumentRow(split_id=int(row.id or 0), doc_id=name) for name in documents)
        self._session.flush()

    def open(self, split_id: int, who: str) -> None:
        row = self._session.get_one(HeldOutSplitRow, split_id)
        row.opened_by, row.opened_at = who, now()

    def add_look(self, split_id: int, who: str, runs: Sequence[int]) -> None:
        self._session.add(HeldOutLookRow(split_id=split_id, who=who, runs=list(runs)))

    def scored_before(self, split_id: int) -> int:
        """Return how many of the locked texts had a score of a run that was started before they were locked."""
        split = self._session.get_one(HeldOutSplitRow, split_id)
        return self._session.exec(
            select(func.count(func.distinct(ScoreRow.text_id)))
            .join(ScoringRunRow, col(ScoringRunRow.id) == ScoreRow.run_id)
            .where(
                ScoringRunRow.project_id == split.project_id,
                ScoringRunRow.started_at < split.locked_at,
                ScoreRow.status == ScoreStatus.DONE.value,
                *within(Scope.LOCKED, ScoreRow.text_id),
            )
        ).one()

    def runs_with_scores(self, project_id: int) -> list[int]:
        """Return the runs that have scored locked texts, newest first."""
        rows = self._session.exec(
            select(ScoreRow.run_id)
            .join(ScoringRunRow, col(ScoringRunRow.id) == ScoreRow.run_id)
            .where(
                ScoringRunRow.project_id == project_id,
                ScoreRow.status == ScoreStatus.DONE.value,
                *within(Scope.LOCKED, ScoreRow.text_id),
            )
            .distinct()
            .order_by(col(ScoreRow.run_id).desc())
        )
        return list(rows)

    def _value(self, row: HeldOutSplitRow) -> HeldOutSplit:
        documents = self._session.exec(
            select(HeldOutDocumentRow.doc_id)
            .where(HeldOutDocumentRow.split_id == row.id)
            .order_by(col(HeldOutDocumentRow.doc_id))
        )
        looks = self._session.exec(
            select(HeldOutLookRow).where(HeldOutLookRow.split_id == row.id).order_by(col(HeldOutLookRow.id))
        )
        return value_of(
            HeldOutSplit,
            row,
            documents=tuple(documents),
            looks=tuple(Look(look.who, look.looked_at, tuple(look.runs)) for look in looks),
        )
