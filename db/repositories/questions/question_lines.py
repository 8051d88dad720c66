"""Lines of questions: one question through all versions of its checklist, copied from each to the next."""

from collections.abc import Iterable, Mapping

from sqlmodel import Session, col, select

from db.models import CopiedQuestionRow


def lines_of(session: Session, questions: Iterable[int]) -> Mapping[int, int]:
    """Each question's copies in other versions, earlier and later, and itself -> the question."""
    found = {question: question for question in questions}
    latest = dict(found)
    while latest:  # one version further each time
        ids = list(latest)
        copies = session.exec(
            select(CopiedQuestionRow).where(
                col(CopiedQuestionRow.question_id).in_(ids) | col(CopiedQuestionRow.from_id).in_(ids)
            )
        ).all()
        latest = {
            there: found[here]
            for row in copies
            for here, there in ((row.question_id, row.from_id), (row.from_id, row.question_id))
            if here in found and there not in found
        }
        found |= latest
    return found
