"""Anchor sets and the looks at them."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlmodel import Session, col, select

from app.domain.expert_answer import AnchorLook, AnchorSet
from app.domain.judgment import Answer
from db.models import AnchorLookRow, AnchorSetRow


class Anchors:
    def __init__(self, session: Session) -> None:
        self._session = session

    def sets(self, dimension_id: int) -> list[AnchorSet]:
        """Newest first."""
        rows = self._session.exec(
            select(AnchorSetRow).where(AnchorSetRow.dimension_id == dimension_id).order_by(col(AnchorSetRow.id).desc())
        )
        return [_set(row) for row in rows]

    def freeze(
        self,
        dimension_id: int,
        checklist_id: int,
        texts: Sequence[int],
        answers: Mapping[tuple[int, int], Answer],
        digest: str,
        who: str,
    ) -> AnchorSet:
        row = AnchorSetRow(
            dimension_id=dimension_id,
            checklist_id=checklist_id,
            texts=list(texts),
            answers=[[text, question, answer.value] for (text, question), answer in answers.items()],
            digest=digest,
            frozen_by=who,
        )
        self._session.add(row)
        self._session.flush()
        return _set(row)

    def looks(self, set_id: int) -> list[AnchorLook]:
        """References and looks, in the order they were begun."""
        rows = self._session.exec(
            select(AnchorLookRow).where(AnchorLookRow.set_id == set_id).order_by(col(AnchorLookRow.id))
        )
        return [_look(row) for row in rows]

    def begin(self, set_id: int, run_id: int, judge: str, against: str, is_reference: bool) -> AnchorLook:
        row = AnchorLookRow(set_id=set_id, run_id=run_id, judge=judge, against=against, is_reference=is_reference)
        self._session.add(row)
        self._session.flush()
        return _look(row)

    def conclude(self, look_id: int, figures: Mapping[str, Any], verdict: str) -> AnchorLook:
        row = self._session.get_one(AnchorLookRow, look_id)
        row.figures, row.verdict = dict(figures), verdict
        self._session.flush()
        return _look(row)


def _set(row: AnchorSetRow) -> AnchorSet:
    answers = {(text, question): Answer(answer) for text, question, answer in row.answers}
    return AnchorSet(
        int(row.id or 0),
        row.dimension_id,
        row.checklist_id,
        tuple(row.texts),
        answers,
        row.digest,
        row.frozen_by,
        row.frozen_at,
    )


def _look(row: AnchorLookRow) -> AnchorLook:
    return AnchorLook(
        int(row.id or 0),
        row.run_id,
        row.judge,
        row.against,
        row.is_reference,
        row.looked_at,
        dict(row.figures),
        row.verdict,
    )
