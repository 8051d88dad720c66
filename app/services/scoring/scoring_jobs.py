"""Scoring in the background: one run of a project at a time, seen and stopped from any screen.

How far a run is stands in the database; the job only moves it on.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from app.domain.job import JobStatus
from app.domain.people import Right
from app.domain.run import RunStatus, RunSummary
from app.errors import ConflictError
from app.services.background.jobs import is_active, job_state, start_job
from app.services.background.progress import Progress, job_kind
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench
from app.services.scoring.runs import RunOptions, failures_of, get_run, start_runs, stop_run, work_on


@dataclass(frozen=True, slots=True)
class FailureKind:
    """Why texts could not be scored: how many of this kind, and the sentence most of them ended with."""

    kind: str
    count: int
    sentence: str


def job_key(project_id: int) -> str:
    return f"scoring_{project_id}"


@dataclass(frozen=True, slots=True)
class ScoringJob:
    """Runs to work on, one after another."""

    project_id: int
    run_ids: tuple[int, ...]


class ProjectJob(Protocol):
    """Any job that takes the place of a scoring run."""

    @property
    def project_id(self) -> int: ...


@use_case(Right.READ)
def is_scoring(workbench: Workbench, project_id: int) -> bool:
    """Whether texts of the project are scored in the background, or wait for that."""
    return is_active(workbench, job_key(project_id))


@use_case(Right.READ)
def just_ended(workbench: Workbench, project_id: int) -> tuple[int, ...]:
    """The runs whose texts have just been scored, all of them, as long as nobody has been told yet."""
    state = job_state(workbench, job_key(project_id))
    return state.made if state is not None and state.status is JobStatus.DONE else ()


@use_case(Right.READ)
def running_run(workbench: Workbench, project_id: int) -> RunSummary | None:
    """The run that is being worked on, by this process or another."""
    with workbench.database.read() as work:
        candidates = work.runs.running(project_id)
    runs = (get_run(workbench, run_id) for run_id in candidates)
    return next((run for run in runs if run.status is RunStatus.RUNNING), None)


@use_case(Right.FACILITATE, act="began to score")
def begin_scoring(workbench: Workbench, project_id: int, *wishes: RunOptions) -> list[int]:
    """Plan a run for each and work on them in the background, one after another; returns their numbers.

    Raises ConflictError while another run of the project is being worked on, and what planning raises.
    """
    run_ids = plan_scoring(workbench, project_id, wishes)
    start_scoring_job(workbench, ScoringJob(project_id, tuple(run_ids)), run_ids)
    return run_ids


@use_case(Right.FACILITATE)
def plan_scoring(workbench: Workbench, project_id: int, wishes: Sequence[RunOptions]) -> list[int]:
    """A run for each. Raises as `begin_scoring`."""
    refuse_second(workbench, project_id)
    return start_runs(workbench, project_id, wishes)


@use_case(Right.FACILITATE)
def start_scoring_job(workbench: Workbench, job: ProjectJob, runs: Sequence[int]) -> None:
    """In the place of a scoring run of the project. Raises ConflictError, and stops the runs then."""
    try:
        start_job(workbench, job_key(job.project_id), f"Scoring, run {', '.join(map(str, runs))}", job)
    except ConflictError:  # somebody else was quicker by a moment: what was planned can be resumed later
        for run_id in runs:
            stop_run(workbench, run_id)
        raise


@use_case(Right.FACILITATE, act="had a run go on", about="run_id")
def go_on(workbench: Workbench, project_id: int, run_id: int) -> None:
    """Score what is left of a run, its failures included. Raises ConflictError like `begin_scoring`."""
    refuse_second(workbench, project_id)
    start_job(workbench, job_key(project_id), f"Scoring, run {run_id}", ScoringJob(project_id, (run_id,)))


def can_go_on(run: RunSummary) -> bool:
    """Whether there is something left and nobody works on it; a run that was planned but never begun counts too."""
    return run.resumable or run.status is RunStatus.WAITING


@use_case(Right.READ)
def stopping(workbench: Workbench, run_id: int) -> bool:
    """Whether the run was asked to stop and has not ended yet."""
    with workbench.database.read() as work:
        return work.runs.stop_requested(run_id)


@use_case(Right.READ)
def failure_kinds(workbench: Workbench, run_id: int) -> list[FailureKind]:
    """The most frequent first."""
    sentences: dict[str, Counter[str]] = {}
    for _, _, kind, message in failures_of(workbench, run_id):
        sentences.setdefault(kind, Counter())[message] += 1
    found = [FailureKind(kind, said.total(), said.most_common(1)[0][0]) for kind, said in sentences.items()]
    return sorted(found, key=lambda failure: -failure.count)


def refuse_second(workbench: Workbench, project_id: int) -> None:
    """Raises ConflictError while texts of the project are being scored."""
    running = running_run(workbench, project_id)
    if running is not None or is_scoring(workbench, project_id):
        which = f"Run {running.id}" if running else "Another run"
        raise ConflictError(f"{which} of this project is being scored right now.", "Wait until it ends, or stop it.")


@job_kind(ScoringJob)
def _score(workbench: Workbench, job: ScoringJob, progress: Progress) -> str:
    return score_runs(workbench, job.run_ids, progress)


@use_case(Right.FACILITATE)
def score_runs(workbench: Workbench, runs: Sequence[int], progress: Progress) -> str:
    """A run that can't go on doesn't keep the next from starting: that has another judge. A stop is meant for all.

    A run that is whole is left as it is, so that another process can go on with the rest."""
    endings = []
    for run_id in runs:
        run = get_run(workbench, run_id)
        if run.done < run.all:
            run = work_on(
                workbench, run_id, on_progress=lambda run: progress.report(run.message, run.done, run.all)
            ).run
        endings.append(_ending(run))
        if run.done < run.all:
            progress.fell_short()
        else:
            progress.made(run_id)
        if run.status is RunStatus.STOPPED:
            break
    return " ".join(filter(None, endings))


def _ending(run: RunSummary) -> str:
    """How the run ended, for those who watched. A failed one says why in the list of runs."""
    failed = f", {run.failed:,} failed" if run.failed else ""
    match run.status:
        case RunStatus.DONE:
            return f"Run {run.id} is done: {run.done:,} of {run.all:,} scored{failed}."
        case RunStatus.STOPPED:
            return f"Run {run.id} was stopped: {run.done:,} of {run.all:,} scored{failed}. It can be resumed below."
        case _:
            return ""
