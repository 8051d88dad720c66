"""Jobs in the background, their progress, and the workers."""

from collections import Counter
from collections.abc import Collection
from datetime import timedelta
from typing import Any

from sqlalchemy import and_, bindparam, delete, func, or_, update
from sqlalchemy import select as sql_select
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, col, select
from sqlmodel.sql.expression import SelectOfScalar

from app.domain.job import HEARTBEAT_TIMEOUT, Job, JobStatus, NewJob
from app.errors import ConflictError, JobLostError
from db.engine import stored_state
from db.models.columns import database_now, now
from db.models.project import JobFileRow, JobRow, WorkerRow
from db.repositories.repository import Repository, columns_of, rows_of, table_of, value_of

LOSSES = 3
"""A job is given up after this many processes died while running it: it may be the cause, and each process pays a
little again."""
_LOST = (
    f"{LOSSES} processes that worked on this ended without a word, so it is given up. What it achieved is kept. The "
    "servers' logs may say why, for example too little memory; start it again to go on."
)
_JOBS = table_of(JobRow)
_NEWEST = (
    sql_select(_JOBS)
    .where(_JOBS.c.key == bindparam("key"), _JOBS.c.seen_at.is_(None))
    .order_by(_JOBS.c.id.desc())
    .limit(1)
)
_RUNNING, _WAITING = JobStatus.RUNNING.value, JobStatus.WAITING.value


class Jobs(Repository):
    def add(self, new: NewJob, writer: str = "") -> Job:
        """Add a job that waits for a worker, or is begun by `writer`. Raises ConflictError while a job of the same key
        isn't over."""
        self._session.execute(
            update(JobRow).where(col(JobRow.key) == new.key, col(JobRow.ended_at).is_not(None)).values(seen_at=now())
        )
        row = JobRow(status=_WAITING, person_id=new.person, **columns_of(new, "person"))
        if writer:
            _begin(self._session, row, writer)
        try:
            with self._session.begin_nested():
                self._add(row)
        except IntegrityError as error:
            running = self.newest(new.key)
            title = running.title if running else new.title
            raise ConflictError(f"“{title}” is already running.", "Wait until it is done.") from error
        return _job(row)

    def newest(self, key: str) -> Job | None:
        """Return the job of this key that runs, waits, or ended without anybody being told; None without one."""
        rows = rows_of(self._session, _NEWEST, key=key)
        return _job(rows[0]) if rows else None

    def claim_next(self, writer: str, gone: Collection[str] = ()) -> Job | None:
        """Begin the oldest waiting job, or resume one whose process ended; None if there is none.

        gone: the names of processes that are known to have ended. Several workers never wait for each other here.
        """
        while (
            row := self._session.exec(_left(self._session, gone).with_for_update(skip_locked=True)).first()
        ) is not None:
            row.losses += row.status == _RUNNING
            if row.losses < LOSSES:
                _begin(self._session, row, writer)
                self._session.flush()
                return _job(row)
            self._is_over(row, JobStatus.FAILED, _LOST)
        return None

    def any_left(self, gone: Collection[str] = ()) -> bool:
        """Return whether `claim_next` would find a job, without making others wait."""
        return self._session.exec(_left(self._session, gone)).first() is not None

    def writers(self) -> set[str]:
        """Return the processes that work on jobs which any worker can do."""
        query = select(JobRow.writer).where(JobRow.status == _RUNNING, ~col(JobRow.bound))
        return set(self._session.exec(query))

    def beat(self, writer: str) -> int:
        """Record the process's heartbeat; return how many jobs it still has."""
        mine = update(JobRow).where(col(JobRow.writer) == writer, col(JobRow.status) == _RUNNING)
        found: Any = self._session.execute(mine.values(heartbeat_at=database_now(self._session)))
        return int(found.rowcount)

    def report(self, job_id: int, writer: str, **changes: Any) -> bool:
        """Save progress; return whether a stop was requested. Raises JobLostError if another process has the job."""
        row = self._session.get(JobRow, job_id, with_for_update=True)
        if row is None or row.writer != writer or row.status != _RUNNING:
            raise JobLostError("Another process goes on with this.")
        for name, value in changes.items():
            setattr(row, name, value)
        row.heartbeat_at = database_now(self._session)
        self._session.flush()
        return row.stop_requested

    def end(self, job_id: int, writer: str, status: JobStatus, message: str) -> None:
        """End the job. Raises JobLostError if another process has it."""
        self.report(job_id, writer)
        self._is_over(self._session.get_one(JobRow, job_id), status, message)

    def give_back(self, job_id: int, writer: str) -> None:
        """Return the job to the queue, for another worker to resume."""
        self.report(job_id, writer, status=_WAITING, message="")
        self._session.get_one(JobRow, job_id).writer = ""
        self._session.flush()

    def request_stop(self, key: str) -> None:
        """Ask the worker to stop the job; end a job that no worker has begun."""
        job = self.newest(key)
        if job is None or not job.active:
            return
        row = self._session.get_one(JobRow, job.id, with_for_update=True)
        row.stop_requested = True
        if row.status == _WAITING:
            row.complete = False
            self._is_over(row, JobStatus.DONE, "Stopped.")
        self._session.flush()

    def cut_off(self, job_id: int, message: str) -> None:
        """End the job: its process ended, and no other can do it."""
        row = self._session.get_one(JobRow, job_id, with_for_update=True)
        if row.status == _RUNNING:
            self._is_over(row, JobStatus.FAILED, message)

    def note_seen(self, job_id: int) -> None:
        row = self._session.get(JobRow, job_id)
        if row is not None and row.ended_at is not None:
            row.seen_at = now()
            self._session.flush()

    def _is_over(self, row: JobRow, status: JobStatus, message: str) -> None:
        """End the job and delete its file in the same transaction."""
        row.status, row.message, row.ended_at = status.value, message, now()
        self._session.flush()
        self._session.execute(delete(JobFileRow).where(col(JobFileRow.job_id) == row.id))

    def counts(self) -> Counter[str]:
        """Return status -> number of jobs."""
        query = select(JobRow.status, func.count(col(JobRow.id))).group_by(JobRow.status)
        return Counter(dict(self._session.exec(query).all()))

    def worker_seen(self, name: str) -> None:
        row = self._session.get(WorkerRow, name) or WorkerRow(name=name)
        row.seen_at = database_now(self._session)
        self._add(row)

    def worker_ended(self, name: str) -> None:
        self._session.execute(delete(WorkerRow).where(col(WorkerRow.name) == name))

    def workers(self, within: timedelta) -> list[str]:
        """Return the workers with a recent heartbeat."""
        since = database_now(self._session) - within
        query = select(WorkerRow.name).where(WorkerRow.seen_at >= since).order_by(WorkerRow.name)
        return list(self._session.exec(query))


def _left(session: Session, gone: Collection[str]) -> SelectOfScalar[JobRow]:
    silent = col(JobRow.heartbeat_at) < database_now(session) - HEARTBEAT_TIMEOUT
    lost = and_(col(JobRow.status) == _RUNNING, or_(silent, col(JobRow.writer).in_(gone)))
    free = and_(~col(JobRow.bound), or_(col(JobRow.status) == _WAITING, lost))
    return select(JobRow).where(free).order_by(col(JobRow.id)).limit(1)


def _begin(session: Session, row: JobRow, writer: str) -> None:
    row.status, row.writer, row.heartbeat_at = _RUNNING, writer, database_now(session)
    row.begun_at = row.begun_at or now()


def _job(row: Any) -> Job:
    return value_of(Job, row, status=stored_state(JobStatus, row.status, JobStatus.FAILED))
