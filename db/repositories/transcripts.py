"""Transcripts of what experts said aloud, and what was proposed from them."""

from collections.abc import Mapping, Sequence

from sqlalchemy import func
from sqlmodel import Session, col, select

from app.domain.think_aloud import ProposedAttribute, Transcript
from app.errors import NotFoundError
from db.models import ContributorRow, ProposedAttributeRow, TranscriptRow


class Transcripts:
    def __init__(self, session: Session) -> None:
        self._session = session

    def add(self, dimension_id: int, contributor_id: int, text: str = "", audio: str = "") -> int:
        row = TranscriptRow(dimension_id=dimension_id, contributor_id=contributor_id, text=text, audio=audio)
        self._session.add(row)
        self._session.flush()
        return int(row.id or 0)

    def heard(self, transcript_id: int, model: str, text: str = "", error: str = "") -> None:
        """What became of a recording: its text, or why there is none."""
        row = self._row(transcript_id)
        row.model, row.text, row.error = model, text or row.text, error

    def get(self, transcript_id: int) -> Transcript:
        row = self._row(transcript_id)
        person = self._session.get_one(ContributorRow, row.contributor_id)
        return _transcript(row, person, self._waiting([transcript_id]))

    def of(self, dimension_id: int, expert: str) -> list[Transcript]:
        """Newest first."""
        rows = self._session.exec(
            select(TranscriptRow, ContributorRow)
            .join(ContributorRow, col(ContributorRow.id) == TranscriptRow.contributor_id)
            .where(TranscriptRow.dimension_id == dimension_id, ContributorRow.name == expert)
            .order_by(col(TranscriptRow.id).desc())
        ).all()
        waiting = self._waiting([int(row.id or 0) for row, _ in rows])
        return [_transcript(row, person, waiting) for row, person in rows]

    def propose(self, transcript_id: int, proposals: Sequence[ProposedAttribute]) -> None:
        """In place of those nobody has decided on; accepted and declined ones stay."""
        kept = self._proposals(transcript_id)
        for row in kept:
            if row.attribute_id is None and not row.declined:
                self._session.delete(row)
        decided = {row.words for row in kept if row.attribute_id is not None or row.declined}
        fresh = [proposal for proposal in proposals if proposal.words not in decided]
        for position, one in enumerate(fresh, start=len(kept)):
            self._session.add(
                ProposedAttributeRow(transcript_id=transcript_id, text=one.text, words=one.words, position=position)
            )
        self._session.flush()

    def proposals(self, transcript_id: int) -> list[ProposedAttribute]:
        return [_proposal(row) for row in self._proposals(transcript_id)]

    def proposal(self, proposal_id: int) -> tuple[ProposedAttribute, Transcript]:
        row = self._session.get(ProposedAttributeRow, proposal_id)
        if row is None:
            raise NotFoundError("This proposal is no longer there.", "Reload the page.")
        return _proposal(row), self.get(row.transcript_id)

    def decide(self, proposal_id: int, attribute_id: int | None, declined: bool) -> None:
        row = self._session.get_one(ProposedAttributeRow, proposal_id)
        row.attribute_id, row.declined = attribute_id, declined

    def _waiting(self, transcript_ids: Sequence[int]) -> dict[int, int]:
        """Transcript -> proposals that nobody has decided on."""
        rows = self._session.exec(
            select(ProposedAttributeRow.transcript_id, func.count(col(ProposedAttributeRow.id)))
            .where(
                col(ProposedAttributeRow.transcript_id).in_(transcript_ids),
                col(ProposedAttributeRow.attribute_id).is_(None),
                col(ProposedAttributeRow.declined).is_(False),
            )
            .group_by(col(ProposedAttributeRow.transcript_id))
        )
        return dict(rows.all())

    def _proposals(self, transcript_id: int) -> Sequence[ProposedAttributeRow]:
        return self._session.exec(
            select(ProposedAttributeRow)
            .where(ProposedAttributeRow.transcript_id == transcript_id)
            .order_by(col(ProposedAttributeRow.position), col(ProposedAttributeRow.id))
        ).all()

    def _row(self, transcript_id: int) -> TranscriptRow:
        row = self._session.get(TranscriptRow, transcript_id)
        if row is None:
            raise NotFoundError("This transcript is no longer there.", "Reload the page.")
        return row


def _transcript(row: TranscriptRow, person: ContributorRow, waiting: Mapping[int, int]) -> Transcript:
    number = int(row.id or 0)
    return Transcript(
        number,
        row.dimension_id,
        person.name,
        row.text,
        row.audio,
        row.model,
        row.error,
        row.created_at,
        waiting.get(number, 0),
    )


def _proposal(row: ProposedAttributeRow) -> ProposedAttribute:
    return ProposedAttribute(row.text, row.words, int(row.id or 0), row.attribute_id, row.declined)
