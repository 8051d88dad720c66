"""The whole method on a project with one model: samples, think-aloud, checklist, scores. Whatever is there is kept."""

from collections.abc import Callable

from app.domain.attribute import AttributeStatus, ContributorKind
from app.domain.checklist import ChecklistStatus
from app.domain.project import Dimension, Project
from app.domain.run import RunStatus
from app.errors import WorkbenchError
from app.services.building.build import build
from app.services.checklists.checklists import publish, versions_of
from app.services.runtime.workbench import Workbench
from app.services.scoring.runs import RunOptions, get_run, list_runs, start_run, work_on
from app.services.think_aloud.llm_think_aloud import ask_models
from app.services.think_aloud.samples import ensure_samples

OnStep = Callable[[str, int, int], None]


def run_flow(workbench: Workbench, project: Project, model: str, report: OnStep = lambda *_: None) -> int:
    """Do what is still missing on every dimension and score all texts; returns the run's number.

    Interrupted and started again, it goes on where it was. `report` hears (what is being done, done, all).
    Raises WorkbenchError where a step can't be done.
    """
    with workbench.database.read() as work:
        dimensions = work.projects.dimensions(project.id)
    steps = 2 * len(dimensions) + 1
    for number, dimension in enumerate(dimensions):
        report(f"Thinking aloud about {dimension.name}", 2 * number, steps)
        ensure_samples(workbench, dimension.id)
        _ensure_asked(workbench, project, dimension, model)
        report(f"Building the checklist of {dimension.name}", 2 * number + 1, steps)
        _ensure_published(workbench, project, dimension, model)
    report("Scoring the texts", steps - 1, steps)
    run_id = _run_to_work_on(workbench, project, dimensions, model)
    if get_run(workbench, run_id).status is not RunStatus.DONE:
        work_on(
            workbench,
            run_id,
            on_progress=lambda run: report(run.message or f"Scoring: {run.done} of {run.all}", steps - 1, steps),
        )
    return run_id


def _ensure_asked(workbench: Workbench, project: Project, dimension: Dimension, model: str) -> None:
    with workbench.database.read() as work:
        attributes = work.think_aloud.attributes(project.id, dimension.id)
    if any(a.kind is ContributorKind.LLM and a.status is AttributeStatus.ACTIVE for a in attributes):
        return
    for asked in ask_models(workbench, project, [dimension], [model]):
        if asked.error:
            raise WorkbenchError(asked.error)


def _ensure_published(workbench: Workbench, project: Project, dimension: Dimension, model: str) -> None:
    versions = versions_of(workbench, dimension.id)
    if any(v.status is ChecklistStatus.PUBLISHED for v in versions):
        return
    if versions:
        publish(workbench, versions[0].id)
    else:
        build(workbench, project, dimension, model, publish=True)


def _run_to_work_on(workbench: Workbench, project: Project, dimensions: list[Dimension], model: str) -> int:
    """The newest run of this model over all dimensions, else a new one."""
    names = tuple(d.name for d in dimensions)
    for run in list_runs(workbench, project.id):
        if run.judge == model and run.dimensions == names and not run.apart and not run.locked and not run.from_file:
            return run.id
    return start_run(workbench, project.id, RunOptions(tuple(dimensions), model))
