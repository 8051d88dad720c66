"""Links that let people in, and the browsers they are signed in with; of either only the hash is kept."""

from datetime import datetime

from sqlalchemy import update
from sqlmodel import Session, col, select

from app.domain.people.person import Invitation
from db.models import InvitationRow, PersonRow, SignInRow
from db.models.columns import now


class Entries:
    def __init__(self, session: Session) -> None:
        self._session = session

    def invite(
        self, person_id: int, project_id: int | None, token_hash: str, made_by: str, expires_at: datetime
    ) -> Invitation:
        """A link in place of those that this person hasn't opened yet."""
        self.revoke(person_id, project_id)
        row = InvitationRow(
            person_id=person_id, project_id=project_id, token_hash=token_hash, made_by=made_by, expires_at=expires_at
        )
        self._session.add(row)
        self._session.flush()
        return self._invitation(row)

    def invitation(self, token_hash: str) -> Invitation | None:
        row = self._session.exec(select(InvitationRow).where(InvitationRow.token_hash == token_hash)).first()
        return self._invitation(row) if row else None

    def newest(self, person_id: int, project_id: int | None) -> Invitation | None:
        query = (
            select(InvitationRow)
            .where(InvitationRow.person_id == person_id, InvitationRow.project_id == project_id)
            .order_by(col(InvitationRow.id).desc())
        )
        row = self._session.exec(query).first()
        return self._invitation(row) if row else None

    def use(self, invitation_id: int) -> bool:
        """False where somebody else opened it in this very moment."""
        unused = (col(InvitationRow.id) == invitation_id, col(InvitationRow.used_at).is_(None))
        done = self._session.connection().execute(update(InvitationRow).where(*unused).values(used_at=now()))
        return done.rowcount == 1

    def hand_on(self, invitation_id: int, person_id: int) -> None:
        """The link turned out to be for somebody who is known already."""
        self._session.get_one(InvitationRow, invitation_id).person_id = person_id
        self._session.flush()

    def revoke(self, person_id: int, project_id: int | None) -> int:
        """Links that weren't opened let nobody in any more; how many those were."""
        rows = self._session.exec(
            select(InvitationRow).where(
                InvitationRow.person_id == person_id,
                InvitationRow.project_id == project_id,
                col(InvitationRow.used_at).is_(None),
                col(InvitationRow.revoked_at).is_(None),
            )
        ).all()
        for row in rows:
            row.revoked_at = now()
        self._session.flush()
        return len(rows)

    def sign_in(self, person_id: int, token_hash: str, expires_at: datetime) -> None:
        self._session.add(SignInRow(person_id=person_id, token_hash=token_hash, expires_at=expires_at))
        self._session.flush()

    def signed_in(self, token_hash: str) -> int | None:
        """The person whose browser this is, None where it isn't signed in any more."""
        query = select(SignInRow).where(SignInRow.token_hash == token_hash, col(SignInRow.ended_at).is_(None))
        row = self._session.exec(query).first()
        return row.person_id if row and row.expires_at > now() else None

    def sign_out(self, token_hash: str) -> None:
        for row in self._session.exec(select(SignInRow).where(SignInRow.token_hash == token_hash)).all():
            row.ended_at = row.ended_at or now()
        self._session.flush()

    def sign_out_everywhere(self, person_id: int) -> None:
        for row in self._session.exec(select(SignInRow).where(SignInRow.person_id == person_id)).all():
            row.ended_at = row.ended_at or now()
        self._session.flush()

    def _invitation(self, row: InvitationRow) -> Invitation:
        assert row.id is not None
        name = self._session.get_one(PersonRow, row.person_id).name
        return Invitation(
            row.id,
            row.person_id,
            name,
            row.project_id,
            row.made_by,
            row.made_at,
            row.expires_at,
            row.used_at,
            row.revoked_at,
        )
