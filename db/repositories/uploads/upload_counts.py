"""How much each person uploaded lately, whichever process took it."""

from datetime import datetime

from sqlalchemy import delete, func
from sqlmodel import Session, col, select

from db.models import CountedUploadRow, PersonRow


class UploadCounts:
    def __init__(self, session: Session) -> None:
        self._session = session

    def take_turn(self, person_id: int) -> None:
        """Until the end of the transaction nobody else counts for this person."""
        self._session.get(PersonRow, person_id, with_for_update=True)

    def since(self, person_id: int, moment: datetime) -> int:
        """Bytes."""
        query = select(func.coalesce(func.sum(CountedUploadRow.size), 0)).where(
            CountedUploadRow.person_id == person_id, CountedUploadRow.at > moment
        )
        return int(self._session.exec(query).one())

    def add(self, person_id: int, size: int) -> None:
        self._session.add(CountedUploadRow(person_id=person_id, size=size))
        self._session.flush()

    def forget_before(self, moment: datetime) -> None:
        self._session.execute(delete(CountedUploadRow).where(col(CountedUploadRow.at) <= moment))
