"""Run writer: the one process that works on a run, and how others know whether it still does.

Three things say so. The row of the run names its writer, and every transaction of the writer checks that it still does:
who lost the run can save nothing. The row's heartbeat is the writer's lease, for other machines. And the writer holds a
lock (`writer_lock`), which the system drops with the process: on this machine a run whose writer was killed is free at
once.
"""

import asyncio
import time

from app.domain.run import ProviderBatch
from app.services.runtime.backups import WriterLock, forget_writer
from db.unit_of_work import Database, UnitOfWork

# A request leaves only where the lease was renewed so recently that nobody can have taken the run over since.
FRESH_SECONDS = 12.0
_AT_WORK: set[str] = set()


class RunHold:
    """What every process does that works on a run for its writer: nothing without looking that the run is still
    the writer's."""

    def __init__(self, database: Database, run_id: int, name: str) -> None:
        self.run_id = run_id
        self.name = name
        self._database = database
        self._renewed = 0.0
        self._renewing = asyncio.Lock()

    def hold(self, work: UnitOfWork) -> None:
        """In each transaction of the run, before anything else. Raises RunLostError where it is another writer's."""
        work.runs.hold(self.run_id, self.name)
        self._renewed = time.time()

    async def may_ask(self) -> None:
        """Before each request. A process that was stopped, or a machine that slept, learns here that it lost its run.

        Raises RunLostError.
        """
        if self._fresh():
            return
        async with self._renewing:
            if not self._fresh():
                await asyncio.to_thread(self.renew)

    def renew(self) -> None:
        with self._database.write() as work:
            self.hold(work)

    def _fresh(self) -> bool:
        # Clocks that stand still while the machine sleeps would not do.
        return abs(time.time() - self._renewed) < FRESH_SECONDS


class RunWriter(RunHold):
    """Works on one run; `name` is like no other writer's, ever."""

    def __init__(self, database: Database, run_id: int) -> None:
        self._lock = WriterLock()
        super().__init__(database, run_id, self._lock.name)
        self._left_open = False

    def claim(self, gone: str = "") -> None:
        """Become the run's writer. `gone`: the name of one that is known to have ended. Raises ConflictError."""
        self._lock.acquire()
        try:
            with self._database.write() as work:
                work.runs.claim(self.run_id, self.name, gone)
                work.calls.count_intents_left(self.run_id)
        except BaseException:
            self.release()
            raise
        if gone:
            forget_writer(gone)
        self._renewed = time.time()
        _AT_WORK.add(self.name)

    def intend(self, work: UnitOfWork, token: str, requests: int) -> ProviderBatch:
        return work.provider_batches.intend(self.run_id, token, requests)

    def open(self, work: UnitOfWork) -> list[ProviderBatch]:
        return work.provider_batches.open(self.run_id)

    def stop_wished(self, work: UnitOfWork) -> bool:
        return work.runs.stop_requested(self.run_id)

    def release(self) -> None:
        _AT_WORK.discard(self.name)
        if not self._left_open:
            self._lock.release()

    def leave_open(self) -> None:
        """Where not even the end could be written down: every process of this machine sees that nobody works on it."""
        self._left_open = True
        self._lock.leave_open()


def has_active_writers() -> bool:
    """Whether this process works on a run, or has yet to write down how one ended."""
    return bool(_AT_WORK)
