"""Cancelling of batches whose run nobody works on: at the provider too, and what was answered until then is kept."""

import asyncio
import time
from dataclasses import dataclass

from app.domain.people import Right
from app.domain.run import OPEN, RunStatus
from app.errors import ConflictError
from app.providers.batches.batch import BatchedModel
from app.services.background.jobs import start_job
from app.services.background.progress import Progress, job_kind
from app.services.runtime.batch_rounds import BatchRounds, Beat
from app.services.runtime.prompts import own_wordings_of_run
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench
from app.services.scoring.blocks.database_sink import BEAT_SECONDS
from app.services.scoring.blocks.run_scorer import judge_session
from app.services.scoring.evaluator_stages import DatabaseStages
from app.services.scoring.judge_logprobs import logprobs_known
from app.services.scoring.run_requests import collecting
from app.services.scoring.run_worker import runs_are_ending
from app.services.scoring.run_writer import RunWriter
from app.services.scoring.runs import get_run, gone_writer
from app.services.scoring.scoring_jobs import job_key, refuse_second
from db.unit_of_work import Database


@dataclass(frozen=True, slots=True)
class CancelledBatches:
    """Of `requests` that were at the provider how many it had answered; `ending` of them belong to batches that it has
    not ended yet."""

    requests: int
    answered: int
    ending: int

    def __str__(self) -> str:
        if not self.requests:
            return "Nothing of it had reached the provider."
        said = (
            f"Cancelled at the provider: {self.answered:,} of {self.requests:,} requests were answered, and are kept."
        )
        left = f" It is still ending {self.ending:,} of them; what they were answered can be collected later."
        return said + (left if self.ending else "")


@dataclass(frozen=True, slots=True)
class CancellingJob:
    project_id: int
    run_id: int


@use_case(Right.FACILITATE)
def begin_cancelling(workbench: Workbench, project_id: int, run_id: int) -> None:
    """In the background, in the place of a scoring run. Raises ConflictError while texts of the project are scored."""
    refuse_second(workbench, project_id)
    start_job(workbench, job_key(project_id), f"Cancelling, run {run_id}", CancellingJob(project_id, run_id))


@job_kind(CancellingJob)
def _cancel_in_background(workbench: Workbench, job: CancellingJob, progress: Progress) -> str:
    progress.report("Cancelling its batch at the provider")
    cancelled = cancel_batches(workbench, job.run_id)
    if cancelled.ending:
        progress.fell_short()
    return f"Run {job.run_id}: {cancelled}"


@use_case(Right.FACILITATE, act="cancelled a run's batches", about="run_id")
def cancel_batches(workbench: Workbench, run_id: int) -> CancelledBatches:
    """Cancel at the provider what is there of a run that nobody works on. It counts as stopped then, and can be gone on
    with; what was answered isn't asked again.

    Raises ConflictError where somebody works on it, and the ProviderError where the provider can't be asked.
    """
    found = get_run(workbench, run_id)
    if found.active:
        raise ConflictError(f"Run {run_id} is going on.", "Stop it: that cancels its batches too.")
    with workbench.database.read() as work:
        project_id = work.runs.project_of(run_id)
        before = {batch.id for batch in work.provider_batches.open(run_id)}
    writer = RunWriter(workbench.database, run_id)
    writer.claim(gone_writer(workbench, run_id))
    try:
        with own_wordings_of_run(workbench, project_id, found):
            asyncio.run(_cancel(workbench, run_id, writer))
    finally:
        _put_down(workbench.database, writer, found.status, found.message)
        writer.release()
    with workbench.database.read() as work:
        batches = [each for each in work.provider_batches.of_run(run_id) if each.id in before and each.handle]
    ending = sum(each.requests for each in batches if each.status in OPEN)
    return CancelledBatches(sum(each.requests for each in batches), sum(each.answered for each in batches), ending)


async def _cancel(workbench: Workbench, run_id: int, writer: RunWriter) -> None:
    run = get_run(workbench, run_id)
    async with judge_session(workbench, run, writer, 1) as model:
        assert isinstance(model, BatchedModel)
        stages = DatabaseStages(workbench.database, writer)
        collect = collecting(workbench, run, stages, logprobs_known(run))
        rounds = BatchRounds(
            workbench, writer, model, collect, _heartbeat(writer), run.params["batch"], runs_are_ending
        )
        await rounds.cancel()


def _heartbeat(writer: RunWriter) -> Beat:
    last = time.monotonic()

    def beat() -> bool:
        nonlocal last
        if time.monotonic() - last > BEAT_SECONDS:
            writer.renew()
            last = time.monotonic()
        return runs_are_ending()

    return beat


def _put_down(database: Database, writer: RunWriter, status: RunStatus, message: str) -> None:
    """The run as it was, but for one that was cut off: nobody need wonder about that any more."""
    ended = status in (RunStatus.DONE, RunStatus.FAILED)
    with database.write() as work:
        writer.hold(work)
        work.runs.finish(writer.run_id, status if ended else RunStatus.STOPPED, message if ended else "")
