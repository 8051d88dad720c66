"""Files that go with jobs, in blocks: written by who begins one, read by who does it, gone with its end."""

from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import delete
from sqlmodel import Session, col, select

from app.errors import ConflictError
from db.models import JobFileBlockRow, JobFileRow
from db.models.columns import now

FORSAKEN = timedelta(minutes=10)  # without a word: blocks follow each other within seconds


@dataclass(frozen=True, slots=True)
class JobFile:
    """`name` as its owner called it, `size` in bytes. `used`: what the job makes of it is kept."""

    name: str
    size: int
    used: bool


class JobFiles:
    def __init__(self, session: Session) -> None:
        self._session = session

    def begin(self, name: str, size: int) -> int:
        row = JobFileRow(name=name, size=size)
        self._session.add(row)
        self._session.flush()
        return int(row.id or 0)

    def add(self, file_id: int, position: int, data: bytes) -> None:
        row = self._session.get(JobFileRow, file_id, with_for_update=True)
        if row is None:
            raise ConflictError("The upload stood still for so long that it was given up.", "Choose the file again.")
        row.touched_at = now()
        self._session.add(JobFileBlockRow(file_id=file_id, position=position, data=data))
        self._session.flush()

    def hand_to(self, file_id: int, job_id: int) -> None:
        """It goes with this job from now on. Raises ConflictError where it was given up meanwhile."""
        row = self._session.get(JobFileRow, file_id, with_for_update=True)
        if row is None:
            raise ConflictError("The upload stood still for so long that it was given up.", "Choose the file again.")
        row.job_id = job_id
        self._session.flush()

    def find(self, file_id: int) -> JobFile | None:
        row = self._session.get(JobFileRow, file_id)
        return JobFile(row.name, row.size, row.used) if row else None

    def block(self, file_id: int, position: int) -> bytes | None:
        """None after the last."""
        query = select(JobFileBlockRow.data).where(
            JobFileBlockRow.file_id == file_id, JobFileBlockRow.position == position
        )
        return self._session.exec(query).first()

    def use(self, file_id: int) -> bool:
        """Whether this transaction is the one, among all that ever do the job, which keeps what is made of the file.

        Others wait here until it is over.
        """
        row = self._session.get(JobFileRow, file_id, with_for_update=True, populate_existing=True)
        if row is None or row.used:
            return False
        row.used = True
        self._session.flush()
        return True

    def drop(self, file_id: int) -> None:
        self._session.execute(delete(JobFileRow).where(col(JobFileRow.id) == file_id))

    def drop_forsaken(self) -> None:
        """Those whose process was killed before a job was begun."""
        old = col(JobFileRow.touched_at) < now() - FORSAKEN
        self._session.execute(delete(JobFileRow).where(col(JobFileRow.job_id).is_(None), old))
