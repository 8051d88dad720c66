"""Decisions on questions about texts. They are undone, never changed or taken away."""

from collections.abc import Iterable

from sqlmodel import Session, col, select

from app.domain.judgment import Answer
from app.domain.questions.decision import Decision, reference
from app.errors import ConflictError, NotFoundError
from db.models import ChecklistRow, DecisionRow, DimensionRow, QuestionRow
from db.models.columns import now
from db.repositories.questions.question_lines import lines_of


class Decisions:
    def __init__(self, session: Session) -> None:
        self._session = session

    def add(
        self,
        question_id: int,
        text_id: int,
        answer: Answer,
        who: str,
        *,
        why: str = "",
        seen: int | None = None,
        run_id: int | None = None,
        guided: str = "",
    ) -> Decision:
        """seen: the decision that stood when this one was made, None for none; one about the same version gives way.

        Raises ConflictError where another stands by now, NotFoundError where the question is gone.
        """
        # Whoever decides about any version of the question waits here for who does it at the same time.
        line = sorted(lines_of(self._session, [question_id]))
        self._session.exec(select(QuestionRow.id).where(QuestionRow.id == line[0]).with_for_update()).all()
        question = self._session.get(QuestionRow, question_id)
        if question is None:
            raise NotFoundError("This question is no longer there.", "Reload the page.")
        before = reference(self._read(line)).get(text_id)
        self.check_seen(before, seen)
        if before and before.question == question_id:
            self.undo(before.id, who)
        row = DecisionRow(
            question_id=question_id,
            text_id=text_id,
            run_id=run_id,
            answer=answer.value,
            why=why,
            wording=question.text,
            guidance=question.guidance,
            guided=guided,
            decided_by=who,
        )
        self._session.add(row)
        self._session.flush()
        return self.get(int(row.id or 0))

    @staticmethod
    def check_seen(standing: Decision | None, seen: int | None) -> None:
        """Raises ConflictError where the decision that stands isn't the one that was seen."""
        if (standing.id if standing else None) != seen:
            raise _decided_meanwhile(standing)

    def get(self, decision_id: int) -> Decision:
        row = self._row(decision_id)
        versions = select(ChecklistRow.version).join(QuestionRow, col(QuestionRow.checklist_id) == ChecklistRow.id)
        return _decision(row, self._session.exec(versions.where(QuestionRow.id == row.question_id)).one())

    def undo(self, decision_id: int, who: str) -> None:
        """Raises NotFoundError, and ConflictError where it was undone before."""
        row = self._row(decision_id)
        if row.undone_at is not None:
            raise ConflictError("This decision was undone already.", "Reload the page.")
        row.undone_by, row.undone_at = who, now()
        self._session.add(row)
        self._session.flush()

    def of_checklist(self, checklist_id: int) -> dict[int, list[Decision]]:
        """Question of this version -> the decisions about it in all versions, undone ones too, oldest first."""
        questions = self._session.exec(select(QuestionRow.id).where(QuestionRow.checklist_id == checklist_id))
        lines = lines_of(self._session, (int(id_ or 0) for id_ in questions))
        found: dict[int, list[Decision]] = {}
        for one in self._read(lines):
            found.setdefault(lines[one.question], []).append(one)
        return found

    def of_dimension(self, dimension_id: int) -> list[Decision]:
        """About questions of all its versions, undone ones too, oldest first."""
        questions = select(QuestionRow.id).join(ChecklistRow, col(ChecklistRow.id) == QuestionRow.checklist_id)
        found = self._session.exec(questions.where(ChecklistRow.dimension_id == dimension_id))
        return self._read(int(id_ or 0) for id_ in found)

    def texts_of_project(self, project_id: int) -> set[int]:
        """The texts that somebody decided about, whether it stands or not: they have been read."""
        found = self._session.exec(
            select(DecisionRow.text_id)
            .join(QuestionRow, col(QuestionRow.id) == DecisionRow.question_id)
            .join(ChecklistRow, col(ChecklistRow.id) == QuestionRow.checklist_id)
            .join(DimensionRow, col(DimensionRow.id) == ChecklistRow.dimension_id)
            .where(DimensionRow.project_id == project_id)
        )
        return set(found)

    def _read(self, questions: Iterable[int]) -> list[Decision]:
        rows = self._session.exec(
            select(DecisionRow, ChecklistRow.version)
            .join(QuestionRow, col(QuestionRow.id) == DecisionRow.question_id)
            .join(ChecklistRow, col(ChecklistRow.id) == QuestionRow.checklist_id)
            .where(col(DecisionRow.question_id).in_(list(questions)))
            .order_by(col(DecisionRow.id))
        )
        return [_decision(row, version) for row, version in rows]

    def _row(self, decision_id: int) -> DecisionRow:
        row = self._session.get(DecisionRow, decision_id)
        if row is None:
            raise NotFoundError("This decision is no longer there.", "Reload the page.")
        return row


def _decided_meanwhile(standing: Decision | None) -> ConflictError:
    if standing is None:
        return ConflictError("The decision was undone meanwhile.", "Look again, and decide if you still want to.")
    return ConflictError(
        f"{standing.who or 'Somebody'} has decided this meanwhile: {standing.answer.value}.",
        "Look again. To decide otherwise, decide once more.",
    )


def _decision(row: DecisionRow, version: int) -> Decision:
    return Decision(
        int(row.id or 0),
        row.question_id,
        version,
        row.text_id,
        Answer(row.answer),
        row.why,
        row.decided_by,
        row.decided_at,
        row.wording,
        row.guidance,
        row.run_id,
        row.guided,
        row.undone_by,
        row.undone_at,
    )
