"""Freezing anchors and looking at them in the background, in the place of a scoring run."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.domain.expert_answer import AnchorSet
from app.domain.people import Right
from app.domain.project import Dimension
from app.domain.run import RunStatus, RunSummary
from app.errors import InputError, NotReadyError, WorkbenchError
from app.services.background.jobs import start_job
from app.services.background.progress import Progress, job_kind
from app.services.drift.anchors import freeze_anchors, newest_anchors
from app.services.drift.looks import Asking, ask_reference, drift_state, has_reference, look_once
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench
from app.services.scoring.evaluators import CHECKLIST
from app.services.scoring.run_worker import OnProgress
from app.services.scoring.runs import RunOptions, RunReport
from app.services.scoring.scoring_jobs import job_key, plan_scoring, refuse_second, score_runs, start_scoring_job


@dataclass(frozen=True, slots=True)
class ReferenceJob:
    """Ask about the newest anchors of the dimension three times."""

    project_id: int
    dimension: Dimension
    asking: Asking


@dataclass(frozen=True, slots=True)
class LookJob:
    """Look at the newest anchors of the dimension once."""

    project_id: int
    dimension: Dimension
    asking: Asking


@dataclass(frozen=True, slots=True)
class SuccessorJob:
    """Have `asking.against` answer the newest anchors three times where it hasn't yet, and compare `asking.judge`."""

    project_id: int
    dimension: Dimension
    asking: Asking


@dataclass(frozen=True, slots=True)
class AnchoredScoringJob:
    """A look for each of `asked`, and then runs to work on."""

    project_id: int
    run_ids: tuple[int, ...]
    asked: tuple[tuple[Dimension, Asking], ...]


@use_case(Right.FACILITATE, act="had a judge asked about anchors")
def begin_reference(
    workbench: Workbench, project_id: int, dimension: Dimension, asking: Asking, who: str, *, anew: bool = False
) -> None:
    """Freeze anchors where there are none or others are wanted, and ask the judge about them three times.

    Raises NotReadyError where experts have answered too little, ConflictError while texts of the project are scored.
    """
    refuse_second(workbench, project_id)
    if anew or newest_anchors(workbench, dimension) is None:
        freeze_anchors(workbench, project_id, dimension, who)
    title = f"Asking {asking.judge} about the anchors of {dimension.name}, three times"
    start_job(workbench, job_key(project_id), title, ReferenceJob(project_id, dimension, asking))


@job_kind(ReferenceJob)
def _ask_reference(workbench: Workbench, job: ReferenceJob, progress: Progress) -> str:
    found = _anchors(workbench, job.dimension)
    reports = ask_reference(workbench, job.project_id, job.dimension, found, job.asking, _told(progress))
    return _ended(workbench, job, reports, progress)


@use_case(Right.FACILITATE, act="had a judge asked about anchors")
def begin_look(workbench: Workbench, project_id: int, dimension: Dimension, asking: Asking) -> None:
    """Look at the anchors once. Raises NotReadyError without any, ConflictError while texts are scored."""
    refuse_second(workbench, project_id)
    _anchors(workbench, dimension)
    title = f"Asking {asking.judge} about the anchors of {dimension.name}"
    start_job(workbench, job_key(project_id), title, LookJob(project_id, dimension, asking))


@job_kind(LookJob)
def _look(workbench: Workbench, job: LookJob, progress: Progress) -> str:
    found = _anchors(workbench, job.dimension)
    report = look_once(workbench, job.project_id, job.dimension, found, job.asking, _told(progress))
    return _ended(workbench, job, [report], progress)


@use_case(Right.FACILITATE, act="had a judge asked about anchors")
def begin_successor(workbench: Workbench, project_id: int, dimension: Dimension, asking: Asking, who: str) -> None:
    """Compare a judge with one that its vendor removes, while that one still answers: freeze anchors where there are
    none, ask `asking.against` about them three times, then `asking.judge` once.

    Raises InputError where both are the same, NotReadyError where experts have answered too little, ConflictError while
    texts of the project are scored.
    """
    if asking.reference == asking.judge:
        raise InputError(f"{asking.judge} can't be its own successor.", "Choose another model.")
    refuse_second(workbench, project_id)
    if newest_anchors(workbench, dimension) is None:
        freeze_anchors(workbench, project_id, dimension, who)
    title = f"Comparing {asking.judge} with {asking.against} on the anchors of {dimension.name}"
    start_job(workbench, job_key(project_id), title, SuccessorJob(project_id, dimension, asking))


@job_kind(SuccessorJob)
def _compare_successor(workbench: Workbench, job: SuccessorJob, progress: Progress) -> str:
    found = _anchors(workbench, job.dimension)
    before = job.asking.of_reference()
    reports = ask_reference(workbench, job.project_id, job.dimension, found, before, _told(progress))
    if has_reference(workbench, found, before.judge):
        reports.append(look_once(workbench, job.project_id, job.dimension, found, job.asking, _told(progress)))
    return _ended(workbench, job, reports, progress)


def _anchors(workbench: Workbench, dimension: Dimension) -> AnchorSet:
    found = newest_anchors(workbench, dimension)
    if found is None:
        raise NotReadyError(f"{dimension.name} has no anchors yet.", "Freeze them first.")
    return found


@use_case(Right.FACILITATE, act="began to score")
def begin_anchored_scoring(
    workbench: Workbench, project_id: int, asked: Sequence[tuple[Dimension, Asking]], wishes: Sequence[RunOptions]
) -> list[int]:
    """As `begin_scoring`, with a look at the anchors ahead."""
    run_ids = plan_scoring(workbench, project_id, wishes)
    start_scoring_job(workbench, AnchoredScoringJob(project_id, tuple(run_ids), tuple(asked)), run_ids)
    return run_ids


@job_kind(AnchoredScoringJob)
def _score_anchored(workbench: Workbench, job: AnchoredScoringJob, progress: Progress) -> str:
    seen = look_ahead(workbench, job.project_id, job.asked)
    return " ".join(filter(None, [seen, score_runs(workbench, job.run_ids, progress)]))


@use_case(Right.FACILITATE)
def anchors_ahead(workbench: Workbench, wishes: Sequence[RunOptions]) -> list[tuple[Dimension, Asking]]:
    """The dimensions whose anchors tell whether a judge changed before it scores: it has answered them before."""
    found = []
    for options in wishes:
        for dimension in options.dimensions if options.evaluator == CHECKLIST else ():
            anchors = newest_anchors(workbench, dimension)
            if anchors and has_reference(workbench, anchors, options.judge):
                found.append((dimension, Asking(options.judge)))
    return found


@use_case(Right.FACILITATE)
def look_ahead(workbench: Workbench, project_id: int, asked: Sequence[tuple[Dimension, Asking]]) -> str:
    """A look for each, before texts are scored; what follows from them, a sentence for each dimension. Whatever keeps a
    look from being taken is said, and keeps nobody from scoring."""
    said = []
    for dimension, asking in asked:
        anchors = newest_anchors(workbench, dimension)
        try:
            if anchors is not None:
                look_once(workbench, project_id, dimension, anchors, asking)
                sentence = drift_state(workbench, project_id, dimension, asking.judge, asking.judge).sentence
                said.append(f"{dimension.name}: {sentence}")
        except WorkbenchError as error:
            said.append(f"{dimension.name}: its anchors could not be asked: {error}")
    return " ".join(said)


def _told(progress: Progress) -> OnProgress:
    def told(run: RunSummary) -> None:
        progress.report("", run.done, run.all)

    return told


def _ended(
    workbench: Workbench, job: ReferenceJob | LookJob | SuccessorJob, reports: list[RunReport], progress: Progress
) -> str:
    """What follows, in one sentence; what is missing where not all anchors were answered."""
    left = sum(report.run.all - report.run.done for report in reports)
    stopped = any(report.run.status is not RunStatus.DONE for report in reports)
    if left or stopped:
        progress.fell_short()
        reason = next((f": {report.fatal}" for report in reports if report.fatal), "")
        return f"{left} answers about anchors are missing{reason}. Start it again to go on."
    return drift_state(workbench, job.project_id, job.dimension, job.asking.judge, job.asking.against).sentence
