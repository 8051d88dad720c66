"""Freezing anchors and looking at them in the background, in the place of a scoring run."""

from collections.abc import Sequence

from app.domain.people.actor import Right
from app.domain.run import RunStatus, RunSummary
from app.domain.task import Dimension
from app.errors import NotReadyError, WorkbenchError
from app.services.drift.anchors import freeze_anchors, newest_anchors
from app.services.drift.looks import Asking, ask_reference, has_reference, look_once
from app.services.drift.state import drift_state
from app.services.runtime.jobs import JOBS, Progress
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench
from app.services.scoring.evaluators import CHECKLIST
from app.services.scoring.run_worker import OnProgress
from app.services.scoring.runs import RunOptions, RunReport
from app.services.scoring.scoring_jobs import job_key, refuse_second


@use_case(Right.FACILITATE, act="had a judge asked about anchors")
def begin_reference(
    workbench: Workbench, project_id: int, dimension: Dimension, asking: Asking, who: str, *, anew: bool = False
) -> None:
    """Freeze anchors where there are none or others are wanted, and ask the judge about them three times.

    Raises NotReadyError where experts have answered too little, ConflictError while texts of the project are scored.
    """
    refuse_second(workbench, project_id)
    found = None if anew else newest_anchors(workbench, dimension)
    found = found or freeze_anchors(workbench, project_id, dimension, who)

    def work(progress: Progress) -> str:
        reports = ask_reference(workbench, project_id, dimension, found, asking, _told(progress))
        return _ended(workbench, project_id, dimension, asking, reports, progress)

    JOBS.start(job_key(project_id), f"Asking {asking.judge} about the anchors of {dimension.name}, three times", work)


@use_case(Right.FACILITATE, act="had a judge asked about anchors")
def begin_look(workbench: Workbench, project_id: int, dimension: Dimension, asking: Asking) -> None:
    """Look at the anchors once. Raises NotReadyError without any, ConflictError while texts are scored."""
    refuse_second(workbench, project_id)
    found = newest_anchors(workbench, dimension)
    if found is None:
        raise NotReadyError(f"{dimension.name} has no anchors yet.", "Freeze them first.")

    def work(progress: Progress) -> str:
        report = look_once(workbench, project_id, dimension, found, asking, _told(progress))
        return _ended(workbench, project_id, dimension, asking, [report], progress)

    JOBS.start(job_key(project_id), f"Asking {asking.judge} about the anchors of {dimension.name}", work)


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
    workbench: Workbench,
    project_id: int,
    dimension: Dimension,
    asking: Asking,
    reports: list[RunReport],
    progress: Progress,
) -> str:
    """What follows, in one sentence; what is missing where not all anchors were answered."""
    left = sum(report.run.all - report.run.done for report in reports)
    stopped = any(report.run.status is not RunStatus.DONE for report in reports)
    if left or stopped:
        progress.fell_short()
        reason = next((f": {report.fatal}" for report in reports if report.fatal), "")
        return f"{left} answers about anchors are missing{reason}. Start it again to go on."
    return drift_state(workbench, project_id, dimension, asking.judge, asking.against).sentence
