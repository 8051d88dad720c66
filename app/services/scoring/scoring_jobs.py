"""Scoring in the background: one run of a project at a time, seen and stopped from any screen.

How far a run is stands in the database; the job only moves it on.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from app.domain.people.actor import Right
from app.domain.run import RunStatus, RunSummary
from app.errors import ConflictError
from app.services.runtime.jobs import JOBS, JobStatus, Progress
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


def running_here(project_id: int) -> bool:
    """Whether this process scores texts of the project."""
    state = JOBS.state(job_key(project_id))
    return state is not None and state.status is JobStatus.RUNNING


def ended_here(project_id: int) -> tuple[int, ...]:
    """The runs whose texts this process has just scored, all of them, as long as nobody has been told yet."""
    state = JOBS.state(job_key(project_id))
    return state.made if state is not None and state.status is JobStatus.DONE else ()


@use_case(Right.READ)
def running_run(workbench: Workbench, project_id: int) -> RunSummary | None:
    """The run that is being worked on, by this process or another."""
    with workbench.database.read() as work:
        candidates = work.runs.running(project_id)
    runs = (get_run(workbench, run_id) for run_id in candidates)
    return next((run for run in runs if run.status is RunStatus.RUNNING), None)


@use_case(Right.FACILITATE, act="began to score")
def begin_scoring(
    workbench: Workbench, project_id: int, *wishes: RunOptions, before: Callable[[], str] | None = None
) -> list[int]:
    """Plan a run for each and work on them in the background, one after another; returns their numbers.

    before: what is done ahead of them, and what came of it in a sentence. Raises ConflictError while another run of the
    project is being worked on, and what planning raises.
    """
    refuse_second(workbench, project_id)
    run_ids = start_runs(workbench, project_id, wishes)
    try:
        _work(workbench, project_id, run_ids, before)
    except ConflictError:  # somebody else was quicker by a moment: what was planned can be resumed later
        for run_id in run_ids:
            stop_run(workbench, run_id)
        raise
    return run_ids


@use_case(Right.FACILITATE, act="had a run go on", about="run_id")
def go_on(workbench: Workbench, project_id: int, run_id: int) -> None:
    """Score what is left of a run, its failures included. Raises ConflictError like `begin_scoring`."""
    refuse_second(workbench, project_id)
    _work(workbench, project_id, [run_id])


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
    if running is not None or running_here(project_id):
        which = f"Run {running.id}" if running else "Another run"
        raise ConflictError(f"{which} of this project is being scored right now.", "Wait until it ends, or stop it.")


def _work(
    workbench: Workbench, project_id: int, run_ids: Sequence[int], before: Callable[[], str] | None = None
) -> None:
    """A run that can't go on doesn't keep the next from starting: that has another judge. A stop is meant for all."""

    def work(progress: Progress) -> str:
        endings = [before()] if before else []
        for run_id in run_ids:
            run = work_on(workbench, run_id, on_progress=lambda run: progress.report("", run.done, run.all)).run
            endings.append(_ending(run))
            if run.done < run.all:
                progress.fell_short()
            else:
                progress.made(run_id)
            if run.status is RunStatus.STOPPED:
                break
        return " ".join(filter(None, endings))

    JOBS.start(job_key(project_id), f"Scoring, run {', '.join(map(str, run_ids))}", work)


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
