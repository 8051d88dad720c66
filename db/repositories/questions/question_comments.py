"""Comments on questions. Nothing that was said is ever changed or taken away."""

from collections.abc import Iterable
from datetime import datetime
from typing import Literal

from sqlmodel import Session, col, select

from app.domain.questions.question_comment import QuestionComment
from app.errors import NotFoundError
from db.models import ChecklistRow, CopiedQuestionRow, QuestionCommentRow, QuestionRow
from db.models.columns import now

_COMMENT, _RESOLVED = "comment", "resolved"


class QuestionComments:
    def __init__(self, session: Session) -> None:
        self._session = session

    def add(self, question_id: int, who: str, text: str, at: datetime | None = None) -> int:
        """at: when it was said, of one that comes from a file. Raises NotFoundError where the question is gone."""
        if self._session.get(QuestionRow, question_id) is None:
            raise NotFoundError("This question is no longer there.", "Reload the page.")
        return self._add(QuestionCommentRow(question_id=question_id, who=who, text=text, created_at=at or now()))

    def settle(self, comment_id: int, how: Literal["resolved", "reopened"], who: str) -> None:
        """Raises NotFoundError where there is no such comment."""
        row = self._session.get(QuestionCommentRow, comment_id)
        if row is None or row.kind != _COMMENT:
            raise NotFoundError("This comment is no longer there.", "Reload the page.")
        self._add(QuestionCommentRow(question_id=row.question_id, comment_id=comment_id, kind=how, who=who))

    def of_checklist(self, checklist_id: int) -> dict[int, list[QuestionComment]]:
        """Question -> its comments, oldest first, with those on the questions it was copied from. Removed questions
        keep theirs."""
        query = select(QuestionRow.id).where(QuestionRow.checklist_id == checklist_id)
        asked_about = {int(id_ or 0): int(id_ or 0) for id_ in self._session.exec(query)}
        latest, found = dict(asked_about), dict(asked_about)
        while latest:  # one version further back each time
            copies = select(CopiedQuestionRow).where(col(CopiedQuestionRow.question_id).in_(latest))
            latest = {row.from_id: latest[row.question_id] for row in self._session.exec(copies)}
            found |= latest
        comments: dict[int, list[QuestionComment]] = {}
        for comment in self._read(found):
            comments.setdefault(found[comment.question], []).append(comment)
        return comments

    def _read(self, questions: Iterable[int]) -> list[QuestionComment]:
        rows = self._session.exec(
            select(QuestionCommentRow, ChecklistRow.version)
            .join(QuestionRow, col(QuestionRow.id) == QuestionCommentRow.question_id)
            .join(ChecklistRow, col(ChecklistRow.id) == QuestionRow.checklist_id)
            .where(col(QuestionCommentRow.question_id).in_(list(questions)))
            .order_by(col(QuestionCommentRow.id))
        ).all()
        last = {row.comment_id: row for row, _ in rows if row.kind != _COMMENT}
        return [_comment(row, version, last.get(row.id)) for row, version in rows if row.kind == _COMMENT]

    def _add(self, row: QuestionCommentRow) -> int:
        self._session.add(row)
        self._session.flush()
        return int(row.id or 0)


def _comment(row: QuestionCommentRow, version: int, settled: QuestionCommentRow | None) -> QuestionComment:
    return QuestionComment(
        int(row.id or 0),
        row.question_id,
        version,
        row.who,
        row.text,
        row.created_at,
        settled is not None and settled.kind == _RESOLVED,
        settled.who if settled else "",
        settled.created_at if settled else None,
    )
