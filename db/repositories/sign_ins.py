"""Invitations, sign-ins, API tokens and the audit log."""

from datetime import datetime
from typing import Any

from sqlalchemy import update
from sqlmodel import col, select

from app.domain.people import ApiToken, Invitation
from db.models.columns import now
from db.models.people import ApiTokenRow, InvitationRow, PersonRow, SignInRow
from db.repositories.repository import Repository, value_of


class Invitations(Repository):
    def add(
        self,
        person_id: int,
        project_id: int | None,
        token_hash: str,
        made_by: str,
        expires_at: datetime,
        beside: bool = False,
    ) -> Invitation:
        """Add a link, in place of the person's unopened ones or beside them."""
        if not beside:
            self.revoke(person_id, project_id)
        row = InvitationRow(
            person_id=person_id, project_id=project_id, token_hash=token_hash, made_by=made_by, expires_at=expires_at
        )
        self._add(row)
        return self._invitation(row)

    def find(self, token_hash: str) -> Invitation | None:
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
        """Mark the link as opened; return False if somebody else opened it at the same moment."""
        unused = (col(InvitationRow.id) == invitation_id, col(InvitationRow.used_at).is_(None))
        done = self._session.connection().execute(update(InvitationRow).where(*unused).values(used_at=now()))
        return done.rowcount == 1

    def reassign_link(self, invitation_id: int, person_id: int) -> None:
        """Assign the link to another person, who turned out to be known already."""
        self._session.get_one(InvitationRow, invitation_id).person_id = person_id
        self._session.flush()

    def revoke(self, person_id: int, project_id: int | None) -> None:
        """Revoke this person's unopened links to the project."""
        self._revoke(person_id, InvitationRow.project_id == project_id)

    def revoke_all(self, person_id: int) -> None:
        self._revoke(person_id)

    def _revoke(self, person_id: int, *which: Any) -> None:
        open_ones = (col(InvitationRow.used_at).is_(None), col(InvitationRow.revoked_at).is_(None))
        query = select(InvitationRow).where(InvitationRow.person_id == person_id, *open_ones, *which)
        for row in self._session.exec(query).all():
            row.revoked_at = now()
        self._session.flush()

    def _invitation(self, row: InvitationRow) -> Invitation:
        return value_of(Invitation, row, name=self._session.get_one(PersonRow, row.person_id).name)


class SignIns(Repository):
    def begin(self, person_id: int, token_hash: str, expires_at: datetime) -> None:
        self._add(SignInRow(person_id=person_id, token_hash=token_hash, expires_at=expires_at))

    def person(self, token_hash: str) -> int | None:
        """Return the person whose browser this is, None if it isn't signed in any more."""
        query = select(SignInRow).where(SignInRow.token_hash == token_hash, col(SignInRow.ended_at).is_(None))
        row = self._session.exec(query).first()
        return row.person_id if row and row.expires_at > now() else None

    def end(self, token_hash: str) -> None:
        for row in self._session.exec(select(SignInRow).where(SignInRow.token_hash == token_hash)).all():
            row.ended_at = row.ended_at or now()
        self._session.flush()

    def end_all(self, person_id: int) -> None:
        for row in self._session.exec(select(SignInRow).where(SignInRow.person_id == person_id)).all():
            row.ended_at = row.ended_at or now()
        self._session.flush()


class ApiTokens(Repository):
    def add(
        self,
        project_id: int,
        person_id: int | None,
        name: str,
        token_hash: str,
        expires_at: datetime,
        budget_usd: float,
    ) -> ApiToken:
        row = ApiTokenRow(
            project_id=project_id,
            person_id=person_id,
            name=name,
            token_hash=token_hash,
            expires_at=expires_at,
            budget_usd=budget_usd,
        )
        self._add(row)
        return value_of(ApiToken, row)

    def find(self, token_hash: str) -> ApiToken | None:
        row = self._session.exec(select(ApiTokenRow).where(ApiTokenRow.token_hash == token_hash)).first()
        return value_of(ApiToken, row) if row else None

    def get(self, token_id: int) -> ApiToken:
        return value_of(ApiToken, self._session.get_one(ApiTokenRow, token_id))

    def of_project(self, project_id: int) -> list[ApiToken]:
        """Return the tokens, newest first, revoked and expired ones included."""
        query = select(ApiTokenRow).where(ApiTokenRow.project_id == project_id).order_by(col(ApiTokenRow.id).desc())
        return [value_of(ApiToken, row) for row in self._session.exec(query)]

    def revoke(self, token_id: int) -> None:
        """Revoke the token; the time of an earlier revocation stays."""
        row = self._session.get_one(ApiTokenRow, token_id)
        row.revoked_at = row.revoked_at or now()
        self._session.flush()

    def note_used(self, token_id: int) -> None:
        self._session.get_one(ApiTokenRow, token_id).used_at = now()
        self._session.flush()

    def set_aside(self, token_id: int, usd: float) -> bool:
        """Count so many US dollars as spent; return False if less is left, or the token was revoked. One statement, so
        that two processes never take the same money."""
        token = ApiTokenRow
        fits = col(token.spent_usd) + usd <= col(token.budget_usd)
        query = update(token).where(col(token.id) == token_id, col(token.revoked_at).is_(None), fits)
        done = self._session.connection().execute(query.values(spent_usd=col(token.spent_usd) + usd))
        return done.rowcount == 1

    def settle(self, token_id: int, set_aside: float, cost: float) -> None:
        """Replace what was set aside by the actual cost."""
        token = ApiTokenRow
        query = update(token).where(col(token.id) == token_id)
        self._session.connection().execute(query.values(spent_usd=col(token.spent_usd) - set_aside + cost))
