"""What of a run is at the provider, for those who wait for it."""

import asyncio
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.domain.people import Right
from app.domain.run import OPEN, BatchStatus, ProviderBatch, RunStatus
from app.errors import ConflictError, InputError
from app.providers.batches.batch import BatchedModel
from app.providers.registry import sells_batches
from app.services.background.jobs import start_job
from app.services.background.progress import Progress, job_kind
from app.services.runtime.batch_rounds import AT_ONCE, BatchRounds, Beat
from app.services.runtime.prompts import own_wordings_of_run
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench
from app.services.scoring.blocks.run_scorer import BEAT_SECONDS, judge_session
from app.services.scoring.evaluators import NO_JUDGE, given_options, method_options_of
from app.services.scoring.run_worker import runs_are_ending
from app.services.scoring.run_writer import DatabaseStages, RunWriter, collecting, logprobs_known
from app.services.scoring.runs import get_run, gone_writer
from app.services.scoring.scoring_jobs import job_key, refuse_second
from db.unit_of_work import Database

__all__ = [
    "AT_ONCE",
    "OPEN",
    "BatchStatus",
    "ProviderBatch",
    "ask_rest",
    "batches_of_run",
    "has_open_batches",
    "out_now",
    "sells_batches",
]


@use_case(Right.READ)
def batches_of_run(workbench: Workbench, run_id: int) -> list[ProviderBatch]:
    """Oldest first; none for a run that asks live."""
    with workbench.database.read() as work:
        return work.provider_batches.of_run(run_id)


@use_case(Right.READ)
def has_open_batches(workbench: Workbench, run_id: int) -> bool:
    """Whether something of it is at the provider, or may be, or was not collected there yet."""
    with workbench.database.read() as work:
        return bool(work.provider_batches.open(run_id))


@use_case(Right.FACILITATE, act="chose what becomes of what a run's batch didn't get to", about="rest")
def ask_rest(workbench: Workbench, run_id: int, rest: str) -> None:
    """For a run that is gone on with. rest: as in BatchRounds. Raises InputError for one that isn't in batches."""
    with workbench.database.write() as work:
        if not work.runs.get(run_id).params.get("batch"):
            raise InputError(f"Run {run_id} isn't in batches: it is asked at once anyway.", "Leave that out.")
        work.runs.set_param(run_id, "batch", rest)


def out_now(batches: Sequence[ProviderBatch]) -> tuple[int, int, ProviderBatch] | None:
    """Of what is at the provider how many are through, how many there are, and the batch that went first; None where
    nothing is there."""
    there = [each for each in batches if each.status in OPEN and each.out_at is not None]
    if not there:
        return None
    return sum(each.answered for each in there), sum(each.requests for each in there), there[0]


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


MAY_CHANGE = ("concurrency", "processes", "dask", "budget", "max_output_tokens", "timeout", "tier")
# What stands for the options of a run that was stored before they existed.
_USUAL = {
    "sample": 1.0,
    "seed": 1,
    "draw": None,
    "locked": False,
    "use_cache": True,
    "reuse": True,
    "effort": "",
    "batch": "",
}


@use_case(Right.FACILITATE)
def check_same_run(workbench: Workbench, run_id: int, given: Mapping[str, Any]) -> None:
    """`given`: what was typed, by the names of the command's options; `settings` are (name, value) pairs.

    Raises InputError that names the options with which the run wasn't started.
    """
    with workbench.database.read() as work:
        run, checklists = work.runs.get(run_id), [part.checklist for part in work.runs.parts(run_id)]
        asked = "checklist" in given
        versions = {work.checklists.get(each).version for each in checklists if asked and each is not None}
    started: dict[str, Any] = {name: run.params.get(name, usual) for name, usual in _USUAL.items()}
    started |= {"draw": "x".join(map(str, started["draw"])) if started["draw"] else None}
    started |= {"evaluator": run.evaluator, "dimension": set(run.dimensions), "trials": 1, "dry_run": False}
    if run.judge != NO_JUDGE:
        started["judge"] = run.judge
    started["checklist"] = versions.pop() if len(versions) == 1 else None
    other = [_option(name, started[name]) for name in started if name in given and given[name] != started[name]]
    other += _other_settings(run.evaluator, run.params, given.get("settings", ()))
    if other:
        may = ", ".join(_written(name) for name in MAY_CHANGE)
        raise InputError(
            f"Run {run_id} goes on as it was started, so it can't take {', '.join(other)}.",
            f"Leave that out, or start a new run. What can be given is {may} and --json.",
        )


def _other_settings(evaluator: str, params: Mapping[str, Any], settings: Any) -> Iterator[str]:
    given = given_options(evaluator, settings)
    usual = {option.name: option.default for option in method_options_of(evaluator)} if given else {}
    for name, value in given.items():
        has = params.get(name, usual[name])
        if has != value:
            yield f"{name}={value} (it has {has})"


def _option(name: str, started: Any) -> str:
    if isinstance(started, bool) or name == "trials" or not started:
        return _written(name)
    return f"{_written(name)} (it has {', '.join(sorted(started)) if isinstance(started, set) else started})"


def _written(name: str) -> str:
    negative = {"use_cache": "no-cache", "reuse": "no-reuse"}
    return f"--{negative.get(name, name).replace('_', '-')}"
