"""Decisions, rooms, improvements and comments of questions."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any, Literal

from pydantic import TypeAdapter
from sqlalchemy import bindparam, func
from sqlalchemy import select as sql_select
from sqlmodel import Session, col, select

from app.domain.checklist import Example, QuestionComment
from app.domain.checklist_score import Answer
from app.domain.improvement import (
    Decision,
    DocumentHalf,
    Improvement,
    ImprovementStatus,
    ProposedWording,
    TriedWording,
    WordingTrial,
    reference,
)
from app.domain.room import Room, RoomStage, RoomVote
from app.errors import ConflictError, NotFoundError
from db.engine import stored_state
from db.models.checklist import (
    ChecklistRow,
    CopiedQuestionRow,
    DecisionRow,
    DocumentHalfRow,
    ImprovementRow,
    QuestionCommentRow,
    QuestionRow,
    RoomMemberRow,
    RoomRow,
    RoomVoteRow,
)
from db.models.columns import now
from db.models.project import DimensionRow, ProjectRow
from db.models.think_aloud import ContributorRow
from db.repositories.repository import Repository, grouped, rows_of, table_of, value_of

_COMMENT, _RESOLVED = "comment", "resolved"
_IDS: Any = bindparam("ids", expanding=True)
_CHECKLISTS, _QUESTIONS, _COPIED = (table_of(rows).c for rows in (ChecklistRow, QuestionRow, CopiedQuestionRow))
_SAID, _DECIDED = table_of(QuestionCommentRow), table_of(DecisionRow)
_COPIES = sql_select(_COPIED.question_id, _COPIED.from_id).where(
    _COPIED.question_id.in_(_IDS) | _COPIED.from_id.in_(_IDS)
)
_COMMENTS, _DECISIONS = (
    sql_select(table, _CHECKLISTS.version)
    .where(_QUESTIONS.id == table.c.question_id, _CHECKLISTS.id == _QUESTIONS.checklist_id)
    .where(table.c.question_id.in_(_IDS))
    .order_by(table.c.id)
    for table in (_SAID, _DECIDED)
)


class QuestionComments(Repository):
    def add(self, question_id: int, who: str, text: str, at: datetime | None = None) -> int:
        """Add a comment. at: its time, if it comes from a file. Raises NotFoundError if the question is deleted."""
        if self._session.get(QuestionRow, question_id) is None:
            raise NotFoundError("This question is no longer there.", "Reload the page.")
        return self._add(QuestionCommentRow(question_id=question_id, who=who, text=text, created_at=at or now()))

    def settle(self, comment_id: int, how: Literal["resolved", "reopened"], who: str) -> None:
        """Mark a comment as resolved or reopened. Raises NotFoundError for an unknown comment."""
        row = self._session.get(QuestionCommentRow, comment_id)
        if row is None or row.kind != _COMMENT:
            raise NotFoundError("This comment is no longer there.", "Reload the page.")
        self._add(QuestionCommentRow(question_id=row.question_id, comment_id=comment_id, kind=how, who=who))

    def of_checklist(self, checklist_id: int) -> dict[int, list[QuestionComment]]:
        """Return question -> its comments, oldest first, with those on the questions it was copied from. Removed
        questions keep theirs."""
        query = select(QuestionRow.id).where(QuestionRow.checklist_id == checklist_id)
        asked_about = {int(id_ or 0): int(id_ or 0) for id_ in self._session.exec(query)}
        latest, found = dict(asked_about), dict(asked_about)
        while latest:  # one version further back each time
            copies = select(CopiedQuestionRow).where(col(CopiedQuestionRow.question_id).in_(latest))
            latest = {row.from_id: latest[row.question_id] for row in self._session.exec(copies)}
            found |= latest
        return grouped((found[comment.question], comment) for comment in self._read(found))

    def _read(self, questions: Iterable[int]) -> list[QuestionComment]:
        rows = rows_of(self._session, _COMMENTS, ids=list(questions))
        last = {row.comment_id: row for row in rows if row.kind != _COMMENT}
        return [_comment(row, last.get(row.id)) for row in rows if row.kind == _COMMENT]


def _comment(row: Any, settled: Any) -> QuestionComment:
    return QuestionComment(
        row.id,
        row.question_id,
        row.version,
        row.who,
        row.text,
        row.created_at,
        settled is not None and settled.kind == _RESOLVED,
        settled.who if settled else "",
        settled.created_at if settled else None,
    )


def lines_of(session: Session, questions: Iterable[int]) -> Mapping[int, int]:
    """Return the id of each question's copies in other versions, earlier and later, and its own -> the question."""
    found = {question: question for question in questions}
    latest = dict(found)
    while latest:  # one version further each time
        ids = list(latest)
        latest = {
            there: found[here]
            for row in rows_of(session, _COPIES, ids=ids)
            for here, there in ((row.question_id, row.from_id), (row.from_id, row.question_id))
            if here in found and there not in found
        }
        found |= latest
    return found


class Decisions(Repository):
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
        """Add a decision. seen: the decision that stood when this one was made, None for none; this one replaces it if
        both are about the same version.

        Raises ConflictError if another decision stands by now, NotFoundError if the question is deleted.
        """
        # Decisions about any version of the question wait here for one another.
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
        return self.get(self._add(row))

    @staticmethod
    def check_seen(standing: Decision | None, seen: int | None) -> None:
        """Raise ConflictError unless the decision that stands is the one that was seen."""
        if (standing.id if standing else None) != seen:
            raise _decided_meanwhile(standing)

    def get(self, decision_id: int) -> Decision:
        row = self._row(decision_id)
        versions = select(ChecklistRow.version).join(QuestionRow, col(QuestionRow.checklist_id) == ChecklistRow.id)
        return _decision(row, self._session.exec(versions.where(QuestionRow.id == row.question_id)).one())

    def undo(self, decision_id: int, who: str) -> None:
        """Undo a decision. Raises NotFoundError, and ConflictError if it was undone before."""
        row = self._row(decision_id)
        if row.undone_at is not None:
            raise ConflictError("This decision was undone already.", "Reload the page.")
        row.undone_by, row.undone_at = who, now()
        self._add(row)

    def of_checklist(self, checklist_id: int) -> dict[int, list[Decision]]:
        """Return question of this version -> the decisions about it in all versions, undone ones too, oldest first."""
        questions = self._session.exec(select(QuestionRow.id).where(QuestionRow.checklist_id == checklist_id))
        lines = lines_of(self._session, (int(id_ or 0) for id_ in questions))
        return grouped((lines[one.question], one) for one in self._read(lines))

    def of_dimension(self, dimension_id: int) -> list[Decision]:
        """Return decisions about questions of all versions, undone ones too, oldest first."""
        questions = select(QuestionRow.id).join(ChecklistRow, col(ChecklistRow.id) == QuestionRow.checklist_id)
        found = self._session.exec(questions.where(ChecklistRow.dimension_id == dimension_id))
        return self._read(int(id_ or 0) for id_ in found)

    def texts_of_project(self, project_id: int) -> set[int]:
        """Return the texts with a decision, undone ones too: they have been read."""
        found = self._session.exec(
            select(DecisionRow.text_id)
            .join(QuestionRow, col(QuestionRow.id) == DecisionRow.question_id)
            .join(ChecklistRow, col(ChecklistRow.id) == QuestionRow.checklist_id)
            .join(DimensionRow, col(DimensionRow.id) == ChecklistRow.dimension_id)
            .where(DimensionRow.project_id == project_id)
        )
        return set(found)

    def _read(self, questions: Iterable[int]) -> list[Decision]:
        rows = rows_of(self._session, _DECISIONS, ids=list(questions))
        return [_decision(row, row.version) for row in rows]

    def _row(self, decision_id: int) -> DecisionRow:
        return self._found(DecisionRow, decision_id, "This decision is no longer there.")


class Rooms(Repository):
    """Rooms with everybody's votes: services show them through `Room.seen_by`."""

    def add(self, question_id: int, texts: Sequence[int], who: str) -> Room:
        """Open a room. Raises ConflictError if a room on the same dimension is open."""
        question = self._session.get_one(QuestionRow, question_id)
        dimension = self._session.get_one(ChecklistRow, question.checklist_id).dimension_id
        # Requests to open a room on this dimension wait here for one another.
        self._session.exec(select(DimensionRow.id).where(DimensionRow.id == dimension).with_for_update()).all()
        if any(room.open for room in self.of_dimension(dimension)):
            raise ConflictError("A room on this dimension is open already.", "Close it first.")
        row = RoomRow(question_id=question_id, texts=list(texts), stage=RoomStage.VOTE.value, opened_by=who)
        return self.get(self._add(row))

    def get(self, room_id: int, *, alone: bool = False) -> Room:
        """Return the room. alone: lock it, so that changes wait for one another. Raises NotFoundError."""
        query = select(RoomRow).where(RoomRow.id == room_id)
        found = self._read(query.with_for_update() if alone else query)
        if not found:
            raise NotFoundError("This room is no longer there.", "Reload the page.")
        return found[0]

    def of_dimension(self, dimension_id: int) -> list[Room]:
        """Return rooms about questions of all versions, newest first."""
        query = (
            select(RoomRow)
            .join(QuestionRow, col(QuestionRow.id) == RoomRow.question_id)
            .join(ChecklistRow, col(ChecklistRow.id) == QuestionRow.checklist_id)
            .where(ChecklistRow.dimension_id == dimension_id)
        )
        return self._read(query.order_by(col(RoomRow.id).desc()))

    def checklist_of(self, room_id: int) -> int:
        """Return the id of the version with the room's question. Raises NotFoundError."""
        query = select(QuestionRow.checklist_id).join(RoomRow, col(RoomRow.question_id) == QuestionRow.id)
        found = self._session.exec(query.where(RoomRow.id == room_id)).first()
        if found is None:
            raise NotFoundError("This room is no longer there.", "Reload the page.")
        return found

    def states(self, project_id: int) -> tuple[object, ...]:
        """Return a value that changes with everything that people in the project's rooms see, and with each vote."""
        rooms = (
            select(RoomRow.id, RoomRow.stage)
            .join(QuestionRow, col(QuestionRow.id) == RoomRow.question_id)
            .join(ChecklistRow, col(ChecklistRow.id) == QuestionRow.checklist_id)
            .join(DimensionRow, col(DimensionRow.id) == ChecklistRow.dimension_id)
            .where(DimensionRow.project_id == project_id)
            .order_by(col(RoomRow.id))
        )
        stages = [(int(room or 0), stage) for room, stage in self._session.exec(rooms)]
        open_ = [room for room, stage in stages if stage != RoomStage.CLOSED.value]
        votes = select(func.count(col(RoomVoteRow.id))).join(
            RoomMemberRow, col(RoomMemberRow.id) == RoomVoteRow.member_id
        )
        lines = select(RoomMemberRow.id, RoomMemberRow.line).order_by(col(RoomMemberRow.id))
        within = col(RoomMemberRow.room_id).in_(open_)
        members = tuple(tuple(row) for row in self._session.exec(lines.where(within)))
        return tuple(stages), self._session.exec(votes.where(within)).one(), members

    def join(self, room_id: int, contributor_id: int) -> None:
        self._add(RoomMemberRow(room_id=room_id, contributor_id=contributor_id))

    def say(self, room_id: int, expert: str, line: str) -> None:
        self._member(room_id, expert).line = line
        self._session.flush()

    def vote(self, room_id: int, expert: str, text_id: int, round_: int, answer: Answer) -> None:
        """Save a vote; it replaces one of the same round on the same text."""
        member = int(self._member(room_id, expert).id or 0)
        query = select(RoomVoteRow).where(RoomVoteRow.member_id == member, RoomVoteRow.text_id == text_id)
        row = self._session.exec(query.where(RoomVoteRow.round == round_)).first()
        row = row or RoomVoteRow(member_id=member, text_id=text_id, round=round_, answer="")
        row.answer, row.saved_at = answer.value, now()
        self._add(row)

    def move(self, room_id: int, stage: RoomStage) -> None:
        row = self._session.get_one(RoomRow, room_id)
        row.revealed = {RoomStage.DISCUSS: 1, RoomStage.DECIDE: 2}.get(stage, row.revealed)
        row.stage = stage.value
        self._session.flush()

    def close(self, room_id: int, who: str, agreed: str, draft: int | None) -> None:
        row = self._session.get_one(RoomRow, room_id)
        row.stage, row.agreed, row.draft = RoomStage.CLOSED.value, agreed, draft
        row.closed_by, row.closed_at = who, now()
        self._session.flush()

    def _member(self, room_id: int, expert: str) -> RoomMemberRow:
        query = select(RoomMemberRow).join(ContributorRow, col(ContributorRow.id) == RoomMemberRow.contributor_id)
        return self._session.exec(query.where(RoomMemberRow.room_id == room_id, ContributorRow.name == expert)).one()

    def _read(self, query: Any) -> list[Room]:
        rows = self._session.exec(query).all()
        ids = [int(row.id or 0) for row in rows]
        members = self._session.exec(
            select(RoomMemberRow, ContributorRow.name)
            .join(ContributorRow, col(ContributorRow.id) == RoomMemberRow.contributor_id)
            .where(col(RoomMemberRow.room_id).in_(ids))
        ).all()
        names = {member.id: name for member, name in members}
        votes: dict[int, list[RoomVote]] = {}
        rooms = {member.id: member.room_id for member, _ in members}
        given = select(RoomVoteRow).where(col(RoomVoteRow.member_id).in_(list(names)))
        for vote in self._session.exec(given.order_by(col(RoomVoteRow.text_id), col(RoomVoteRow.id))):
            answer = stored_state(Answer, vote.answer, Answer.UNANSWERED)
            said = RoomVote(names[vote.member_id], vote.text_id, vote.round, answer)
            votes.setdefault(rooms[vote.member_id], []).append(said)
        return [
            value_of(
                Room,
                row,
                stage=stored_state(RoomStage, row.stage, RoomStage.CLOSED),
                lines={name: member.line for member, name in members if member.room_id == row.id},
                votes=tuple(votes.get(int(row.id or 0), ())),
                voted={},
            )
            for row in rows
        ]


def _decided_meanwhile(standing: Decision | None) -> ConflictError:
    if standing is None:
        return ConflictError("The decision was undone meanwhile.", "Look again, and decide if you still want to.")
    return ConflictError(
        f"{standing.who or 'Somebody'} has decided this meanwhile: {standing.answer.value}.",
        "Look again. To decide otherwise, decide once more.",
    )


def _decision(row: Any, version: int) -> Decision:
    return value_of(Decision, row, version=version, answer=Answer(row.answer), who=row.decided_by, at=row.decided_at)


_TRIED, _TRIAL = TypeAdapter(TriedWording), TypeAdapter(WordingTrial)


class Improvements(Repository):
    def halves(self, project_id: int) -> dict[str, DocumentHalf]:
        """Return document -> its half, of those assigned to one."""
        rows = self._session.exec(select(DocumentHalfRow).where(DocumentHalfRow.project_id == project_id))
        return {row.doc_id: DocumentHalf(row.half) for row in rows}

    def lock_halves(self, project_id: int) -> None:
        """Lock the halves until the end of the transaction, so that nobody else draws."""
        self._session.exec(select(ProjectRow.id).where(ProjectRow.id == project_id).with_for_update()).all()

    def add_halves(self, project_id: int, drawn: Mapping[str, DocumentHalf]) -> None:
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
            examples=[asdict(each) for each in found.before.examples],
            beside=asdict(found.beside) if found.beside else {},
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
        return self._add(row)

    def line_of(self, question_id: int) -> set[int]:
        """Return the ids of the question in all its versions."""
        return set(lines_of(self._session, [question_id]))

    def of_checklist(self, checklist_id: int) -> dict[int, list[Improvement]]:
        """Return question of this version -> the attempts at it in all its versions, oldest first."""
        questions = self._session.exec(select(QuestionRow.id).where(QuestionRow.checklist_id == checklist_id))
        lines = lines_of(self._session, (int(id_ or 0) for id_ in questions))
        rows = self._session.exec(
            select(ImprovementRow)
            .where(col(ImprovementRow.question_id).in_(list(lines)))
            .order_by(col(ImprovementRow.id))
        )
        return grouped((lines[row.question_id], _improvement(row)) for row in rows)

    def of_dimension(self, dimension_id: int) -> list[Improvement]:
        """Return the attempts at questions of all versions, oldest first."""
        rows = self._session.exec(
            select(ImprovementRow)
            .join(QuestionRow, col(QuestionRow.id) == ImprovementRow.question_id)
            .join(ChecklistRow, col(ChecklistRow.id) == QuestionRow.checklist_id)
            .where(ChecklistRow.dimension_id == dimension_id)
            .order_by(col(ImprovementRow.id))
        )
        return [_improvement(row) for row in rows]

    def get(self, improvement_id: int, lock: bool = False) -> Improvement:
        """Return the attempt. lock: until the end of the transaction, so that it is decided once. Raises
        NotFoundError."""
        return _improvement(self._row(improvement_id, lock))

    def decide(
        self, improvement_id: int, status: ImprovementStatus, who: str, taken: ProposedWording | None = None
    ) -> None:
        row = self._row(improvement_id)
        row.status, row.decided_by, row.decided_at = status.value, who, now()
        if taken is not None:
            row.taken_text, row.taken_guidance = taken.text, taken.guidance
        self._add(row)

    def _row(self, improvement_id: int, lock: bool = False) -> ImprovementRow:
        return self._found(ImprovementRow, improvement_id, "This attempt is no longer there.", lock=lock)


def _improvement(row: ImprovementRow) -> Improvement:
    return value_of(
        Improvement,
        row,
        before=ProposedWording(row.text, row.guidance, examples=tuple(Example(**each) for each in row.examples)),
        tried=tuple(_TRIED.validate_python(one) for one in row.tried),
        proof=_TRIAL.validate_python(row.proof) if row.proof else None,
        beside=_TRIAL.validate_python(row.beside) if row.beside else None,
        status=stored_state(ImprovementStatus, row.status, ImprovementStatus.REFUSED),
        who=row.made_by,
        at=row.made_at,
        taken=ProposedWording(row.taken_text, row.taken_guidance) if row.taken_text else None,
    )
