"""Texts drawn for experts, and what they answered about them."""

from collections.abc import Sequence

from sqlmodel import Session, col, delete, select

from app.domain.expert_answer import AnswerDraw, ExpertAnswer
from app.domain.judgment import Answer
from app.errors import NotFoundError
from db.models import (
    AnswerDrawRow,
    AnswerDrawTextRow,
    ChecklistRow,
    ContributorRow,
    DimensionRow,
    ExpertAnswerRow,
)
from db.models.columns import now


class ExpertAnswers:
    def __init__(self, session: Session) -> None:
        self._session = session

    def draw_of(self, checklist_id: int) -> AnswerDraw | None:
        row = self._session.exec(select(AnswerDrawRow).where(AnswerDrawRow.checklist_id == checklist_id)).first()
        return self._draw(row) if row else None

    def draw(self, draw_id: int) -> AnswerDraw:
        row = self._session.get(AnswerDrawRow, draw_id)
        if row is None:
            raise NotFoundError("These texts are no longer drawn for experts.", "Reload the page.")
        return self._draw(row)

    def add_draw(self, checklist_id: int, texts: Sequence[int], seed: int, stratified: bool) -> AnswerDraw:
        row = AnswerDrawRow(checklist_id=checklist_id, seed=seed, stratified=stratified)
        self._session.add(row)
        self._session.flush()
        self._session.add_all(AnswerDrawTextRow(draw_id=int(row.id or 0), text_id=text) for text in texts)
        self._session.flush()
        return self._draw(row)

    def remove_draw(self, draw_id: int) -> None:
        self._session.exec(delete(AnswerDrawRow).where(col(AnswerDrawRow.id) == draw_id))

    def drawn_texts(self, project_id: int) -> set[int]:
        """Every text that was drawn for experts in this project, whichever dimension and version it was for."""
        return set(
            self._session.exec(
                select(AnswerDrawTextRow.text_id)
                .join(AnswerDrawRow, col(AnswerDrawRow.id) == AnswerDrawTextRow.draw_id)
                .join(ChecklistRow, col(ChecklistRow.id) == AnswerDrawRow.checklist_id)
                .join(DimensionRow, col(DimensionRow.id) == ChecklistRow.dimension_id)
                .where(DimensionRow.project_id == project_id)
            )
        )

    def of(self, draw_id: int, contributor_id: int | None = None) -> list[ExpertAnswer]:
        """One expert's, else everybody's, in the order they were first given."""
        query = (
            select(ExpertAnswerRow, ContributorRow.name)
            .join(ContributorRow, col(ContributorRow.id) == ExpertAnswerRow.contributor_id)
            .where(ExpertAnswerRow.draw_id == draw_id)
            .order_by(col(ExpertAnswerRow.id))
        )
        if contributor_id is not None:
            query = query.where(ExpertAnswerRow.contributor_id == contributor_id)
        return [
            ExpertAnswer(name, row.text_id, row.question_id, Answer(row.answer) if row.answer else None, row.note)
            for row, name in self._session.exec(query)
        ]

    def answer(self, draw_id: int, contributor_id: int, text_id: int, question_id: int, answer: Answer | None) -> None:
        row = self._row(draw_id, contributor_id, text_id, question_id)
        row.answer, row.saved_at = answer.value if answer else "", now()
        self._session.flush()

    def note(self, draw_id: int, contributor_id: int, text_id: int, question_id: int, note: str) -> None:
        row = self._row(draw_id, contributor_id, text_id, question_id)
        row.note, row.saved_at = note, now()
        self._session.flush()

    def _row(self, draw_id: int, contributor_id: int, text_id: int, question_id: int) -> ExpertAnswerRow:
        """The answer to be changed, begun if there is none yet."""
        row = self._session.exec(
            select(ExpertAnswerRow).where(
                ExpertAnswerRow.draw_id == draw_id,
                ExpertAnswerRow.contributor_id == contributor_id,
                ExpertAnswerRow.text_id == text_id,
                ExpertAnswerRow.question_id == question_id,
            )
        ).first()
        if row is None:
            row = ExpertAnswerRow(
                draw_id=draw_id, contributor_id=contributor_id, text_id=text_id, question_id=question_id
            )
            self._session.add(row)
        return row

    def _draw(self, row: AnswerDrawRow) -> AnswerDraw:
        texts = self._session.exec(
            select(AnswerDrawTextRow.text_id)
            .where(AnswerDrawTextRow.draw_id == row.id)
            .order_by(col(AnswerDrawTextRow.id))
        )
        return AnswerDraw(int(row.id or 0), row.checklist_id, tuple(texts), row.seed, row.stratified, row.drawn_at)
