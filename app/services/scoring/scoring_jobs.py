"""Scoring in the background: one run of a project at a time, watched and stopped from any screen.

The run's progress is in the database; the job only executes it.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from app.domain.job import HEARTBEAT_SECONDS, JobStatus
from app.domain.model_call import OPEN, ProviderBatch
from app.domain.roles_and_rights import Right
from app.domain.run import RunStatus, RunSummary
from app.errors import ConflictError, InputError
from app.providers.batches.batch import BatchedModel
from app.providers.registry import sells_batches
from app.services.background.jobs import is_active, job_state, start_job
from app.services.background.progress import Progress, job_kind
from app.services.runtime.batch_rounds import BatchRounds, Beat
from app.services.runtime.prompts import own_wordings_of_run
from app.services.runtime.workbench import Workbench, use_case
from app.services.scoring.evaluators import NO_JUDGE, given_options, method_options_of
from app.services.scoring.run_labels import logprobs_known
from app.services.scoring.run_worker import runs_are_ending
from app.services.scoring.run_writer import DatabaseStages, RunWriter, collecting, judge_session
from app.services.scoring.runs import RunOptions, ended_writer, failures_of, get_run, start_runs, stop_run, work_on
from db.unit_of_work import Database


@dataclass(frozen=True, slots=True)
class FailureKind:
    """A kind of failure: the number of texts, and their most frequent message."""

    kind: str
    count: int
    sentence: str


def job_key(project_id: int) -> str:
    return f"scoring_{project_id}"


@dataclass(frozen=True, slots=True)
class ScoringJob:
    """The job that works on runs, one after another."""

    project_id: int
    run_ids: tuple[int, ...]


class ProjectJob(Protocol):
    """Any job that counts as the project's scoring job."""

    @property
    def project_id(self) -> int: ...


@use_case(Right.READ)
def is_scoring(workbench: Workbench, project_id: int) -> bool:
    """Return whether a scoring job of the project runs or waits."""
    return is_active(workbench, job_key(project_id))


@use_case(Right.READ)
def just_ended(workbench: Workbench, project_id: int) -> tuple[int, ...]:
    """Return the runs that have just been completed, until somebody has been told."""
    state = job_state(workbench, job_key(project_id))
    return state.made if state is not None and state.status is JobStatus.DONE else ()


@use_case(Right.READ)
def running_run(workbench: Workbench, project_id: int) -> RunSummary | None:
    """Return the run that a process works on, None for none."""
    with workbench.database.read() as work:
        candidates = work.runs.running(project_id)
    runs = (get_run(workbench, run_id) for run_id in candidates)
    return next((run for run in runs if run.status is RunStatus.RUNNING), None)


@use_case(Right.FACILITATE, act="started a run")
def begin_scoring(workbench: Workbench, project_id: int, *wishes: RunOptions) -> list[int]:
    """Plan a run for each of the options and start them in the background, one after another; returns their ids.

    Raises ConflictError while another run of the project is active, and what planning raises.
    """
    run_ids = plan_scoring(workbench, project_id, wishes)
    start_scoring_job(workbench, ScoringJob(project_id, tuple(run_ids)), run_ids)
    return run_ids


@use_case(Right.FACILITATE)
def plan_scoring(workbench: Workbench, project_id: int, wishes: Sequence[RunOptions]) -> list[int]:
    """Plan a run for each of the options; returns their ids. Raises as `begin_scoring`."""
    refuse_second(workbench, project_id)
    return start_runs(workbench, project_id, wishes)


@use_case(Right.FACILITATE)
def start_scoring_job(workbench: Workbench, job: ProjectJob, runs: Sequence[int]) -> None:
    """Start a job that counts as the project's scoring job. Raises ConflictError, after stopping the runs."""
    try:
        start_job(workbench, job_key(job.project_id), f"Scoring, run {', '.join(map(str, runs))}", job)
    except ConflictError:  # somebody else was quicker by a moment: what was planned can be resumed later
        for run_id in runs:
            stop_run(workbench, run_id)
        raise


@use_case(Right.FACILITATE, act="resumed a run", about="run_id")
def resume_run(workbench: Workbench, project_id: int, run_id: int) -> None:
    """Resume a run in the background, with its failed texts. Raises ConflictError as `begin_scoring`."""
    refuse_second(workbench, project_id)
    start_job(workbench, job_key(project_id), f"Scoring, run {run_id}", ScoringJob(project_id, (run_id,)))


def can_resume(run: RunSummary) -> bool:
    """Return whether scores are left and nobody works on the run, including runs that never started."""
    return run.resumable or run.status is RunStatus.WAITING


@use_case(Right.READ)
def stopping(workbench: Workbench, run_id: int) -> bool:
    """Return whether the run was asked to stop and hasn't ended yet."""
    with workbench.database.read() as work:
        return work.runs.stop_requested(run_id)


@use_case(Right.READ)
def failure_kinds(workbench: Workbench, run_id: int) -> list[FailureKind]:
    """Return the kinds of failures, most frequent first."""
    sentences: dict[str, Counter[str]] = {}
    for _, _, kind, message in failures_of(workbench, run_id):
        sentences.setdefault(kind, Counter())[message] += 1
    found = [FailureKind(kind, said.total(), said.most_common(1)[0][0]) for kind, said in sentences.items()]
    return sorted(found, key=lambda failure: -failure.count)


def refuse_second(workbench: Workbench, project_id: int) -> None:
    """Raise ConflictError while texts of the project are scored."""
    running = running_run(workbench, project_id)
    if running is not None or is_scoring(workbench, project_id):
        which = f"Run {running.id}" if running else "Another run"
        raise ConflictError(f"{which} of this project is being scored right now.", "Wait until it ends, or stop it.")


@job_kind(ScoringJob)
def _score(workbench: Workbench, job: ScoringJob, progress: Progress) -> str:
    return score_runs(workbench, job.run_ids, progress)


@use_case(Right.FACILITATE)
def score_runs(workbench: Workbench, runs: Sequence[int], progress: Progress) -> str:
    """Work on the runs in turn; a failed one doesn't stop the next, a stop ends all. Returns the job's last message.

    Complete runs are skipped, so that another process can continue the job.
    """
    endings = []
    for run_id in runs:
        run = get_run(workbench, run_id)
        if run.done < run.all:
            run = work_on(
                workbench, run_id, on_progress=lambda run: progress.report(run.message, run.done, run.all)
            ).run
        endings.append(_ending(run))
        if run.done < run.all:
            progress.mark_incomplete()
        else:
            progress.made(run_id)
        if run.status is RunStatus.STOPPED:
            break
    return " ".join(filter(None, endings))


def _ending(run: RunSummary) -> str:
    """Return a sentence on how the run ended; "" for a failed one, whose message is in the list of runs."""
    failed = f", {run.failed:,} failed" if run.failed else ""
    match run.status:
        case RunStatus.DONE:
            return f"Run {run.id} is done: {run.done:,} of {run.all:,} scored{failed}."
        case RunStatus.STOPPED:
            return f"Run {run.id} was stopped: {run.done:,} of {run.all:,} scored{failed}. It can be resumed below."
        case _:
            return ""


__all__ = ["sells_batches"]


@use_case(Right.READ)
def batches_of_run(workbench: Workbench, run_id: int) -> list[ProviderBatch]:
    """Return the run's batches, oldest first; [] for a run without batches."""
    with workbench.database.read() as work:
        return work.provider_batches.of_run(run_id)


@use_case(Right.READ)
def has_open_batches(workbench: Workbench, run_id: int) -> bool:
    """Return whether a batch of the run is, or may be, at the provider, or isn't collected yet."""
    with workbench.database.read() as work:
        return bool(work.provider_batches.open(run_id))


@use_case(Right.FACILITATE, act="chose what happens to a batch's unanswered requests", about="rest")
def ask_rest(workbench: Workbench, run_id: int, rest: str) -> None:
    """Set how the unanswered requests of a resumed run are asked. rest: as in BatchRounds. Raises InputError for a run
    without batches."""
    with workbench.database.write() as work:
        if not work.runs.get(run_id).params.get("batch"):
            raise InputError(f"Run {run_id} isn't in batches: it is asked at once anyway.", "Leave that out.")
        work.runs.set_param(run_id, "batch", rest)


def batches_in_progress(batches: Sequence[ProviderBatch]) -> tuple[int, int, ProviderBatch] | None:
    """Return (answered, all requests, first batch) of the batches at the provider; None for none."""
    there = [each for each in batches if each.status in OPEN and each.out_at is not None]
    if not there:
        return None
    return sum(each.answered for each in there), sum(each.requests for each in there), there[0]


@dataclass(frozen=True, slots=True)
class CancelledBatches:
    """The result of cancelling: of `requests` at the provider, `answered` had answers; `ending` are in batches that
    haven't ended."""

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
    """Cancel batches in the background, as a scoring job. Raises ConflictError while texts are scored."""
    refuse_second(workbench, project_id)
    start_job(workbench, job_key(project_id), f"Cancelling, run {run_id}", CancellingJob(project_id, run_id))


@job_kind(CancellingJob)
def _cancel_in_background(workbench: Workbench, job: CancellingJob, progress: Progress) -> str:
    progress.report("Cancelling its batch at the provider")
    cancelled = cancel_batches(workbench, job.run_id)
    if cancelled.ending:
        progress.mark_incomplete()
    return f"Run {job.run_id}: {cancelled}"


@use_case(Right.FACILITATE, act="cancelled a run's batches", about="run_id")
def cancel_batches(workbench: Workbench, run_id: int) -> CancelledBatches:
    """Cancel the batches of a run that nobody works on, and store their answers. The run is then stopped and can be
    resumed.

    Raises ConflictError if somebody works on it, and the ProviderError if the provider can't be asked.
    """
    found = get_run(workbench, run_id)
    if found.active:
        raise ConflictError(f"Run {run_id} is going on.", "Stop it: that cancels its batches too.")
    with workbench.database.read() as work:
        project_id = work.runs.project_of(run_id)
        before = {batch.id for batch in work.provider_batches.open(run_id)}
    writer = RunWriter(workbench.database, run_id)
    writer.claim(ended_writer(workbench, run_id))
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
        if time.monotonic() - last > HEARTBEAT_SECONDS:
            writer.renew()
            last = time.monotonic()
        return runs_are_ending()

    return beat


def _put_down(database: Database, writer: RunWriter, status: RunStatus, message: str) -> None:
    """Store the run's earlier status, with "stopped" for an interrupted one."""
    ended = status in (RunStatus.DONE, RunStatus.FAILED)
    with database.write() as work:
        writer.renew_lease(work)
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
    """Raise InputError that names the options which differ from those the run was started with.

    `given`: option of the command -> typed value; `settings` are (name, value) pairs.
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
