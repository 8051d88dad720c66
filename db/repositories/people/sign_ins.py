"""Sign-ins: the browsers that people are signed in with; of what their cookies hold only the hash is kept."""

from datetime import datetime

from sqlmodel import Session, col, select

from db.models import SignInRow
from db.models.columns import now


class SignIns:
    def __init__(self, session: Session) -> None:
        self._session = session

    def begin(self, person_id: int, token_hash: str, expires_at: datetime) -> None:
        self._session.add(SignInRow(person_id=person_id, token_hash=token_hash, expires_at=expires_at))
        self._session.flush()

    def person(self, token_hash: str) -> int | None:
        """The person whose browser this is, None where it isn't signed in any more."""
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
