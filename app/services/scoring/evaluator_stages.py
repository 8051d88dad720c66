"""Stages of methods, asked once for a dimension, in the database."""

import asyncio

from app.domain.run import StageRun
from app.services.scoring.run_writer import RunHold
from db.unit_of_work import Database


class DatabaseStages:
    """Stages kept with their dimension: the newest one that answers the same request counts.

    writer: of the run that asks; it keeps nothing once it lost the run.
    """

    def __init__(self, database: Database, writer: RunHold | None = None) -> None:
        self._database = database
        self._writer = writer

    async def find(self, dimension: int, stage: str, inputs_digest: str) -> str | None:
        return await asyncio.to_thread(self._find, dimension, stage, inputs_digest)

    async def keep(self, dimension: int, stage: StageRun) -> None:
        await asyncio.to_thread(self._keep, dimension, stage)

    def _find(self, dimension: int, stage: str, inputs_digest: str) -> str | None:
        with self._database.read() as work:
            runs = [r for r in work.stages.of(dimension) if (r.stage, r.inputs_digest) == (stage, inputs_digest)]
        return next((run.output for run in reversed(runs) if not run.error_kind), None)

    def _keep(self, dimension: int, stage: StageRun) -> None:
        with self._database.write() as work:
            if self._writer is not None:
                self._writer.hold(work)
            work.stages.add(dimension, stage)
