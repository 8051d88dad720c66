"""The demo: a bundled project, and its data through the whole method, judged by rules without any key."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import as_file, files
from typing import Any

from app.corpora import demo_data
from app.corpora.demo_data.corpus import DEMO_NOTICE, DEMO_NOTICES, demo_attributes, demo_corpus
from app.domain.attribute import AttributeStatus, ContributorKind
from app.domain.checklist import ChecklistStatus
from app.domain.project import Dimension, Project
from app.domain.roles_and_rights import Right
from app.domain.run import RunStatus
from app.errors import ConflictError, WorkbenchError
from app.services.attributes.attributes import add_attributes
from app.services.background.jobs import start_job
from app.services.background.progress import Progress, job_kind
from app.services.building.build import build
from app.services.checklists.checklists import publish, published_checklist, versions_of
from app.services.data.imports import store_corpus
from app.services.data.project_transfer import import_project
from app.services.results.results import DimensionResult, results_of
from app.services.runtime.workbench import Workbench, use_case
from app.services.scoring.runs import RunOptions, get_run, list_runs, start_run, work_on
from app.services.think_aloud.llm_think_aloud import ask_models
from app.services.think_aloud.samples import ensure_samples

OnStep = Callable[[str, int, int], None]


def run_flow(workbench: Workbench, project: Project, model: str, report: OnStep = lambda *_: None) -> int:
    """Do every missing step on every dimension and score all texts; returns the run's id.

    After an interruption it continues where it stopped. `report` gets (step, done, all). Raises WorkbenchError if a
    step fails.
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
    """Return the newest run of this model over all dimensions, else a new one."""
    names = tuple(d.name for d in dimensions)
    for run in list_runs(workbench, project.id):
        if run.judge == model and run.dimensions == names and not run.apart and not run.locked and not run.from_file:
            return run.id
    return start_run(workbench, project.id, RunOptions(tuple(dimensions), model))


DEMO_PROJECT = "Demo"
DEMO_JOB = "demo"
JUDGE = "rules"


@dataclass(frozen=True, slots=True)
class DemoReport:
    """The summary that the demo command prints. `questions` counts those the judge was asked."""

    project: str
    judge: str
    dimensions: dict[str, tuple[int, int, DimensionResult]]

    def to_json(self) -> dict[str, Any]:
        return {
            "project": self.project,
            "judge": self.judge,
            "dimensions": {
                name: {
                    "checklist_version": version,
                    "questions": questions,
                    "texts_scored": result.scored,
                    "spearman": result.meta.to_json()["spearman"],
                    "kendall": result.meta.to_json()["kendall"],
                    "groups_used": result.groups_used,
                    "groups_all": result.groups_all,
                }
                for name, (version, questions, result) in self.dimensions.items()
            },
        }


def prepare_demo(workbench: Workbench, name: str = DEMO_PROJECT) -> Project:
    """Import the demo's texts, ratings and people's attributes; nothing is added twice.

    Raises ConflictError for a project that isn't the demo's, because made-up texts would mix with real ones.
    """
    with workbench.database.read() as work:
        found = work.projects.find(name)
    if found is not None and found.notice not in DEMO_NOTICES:
        raise ConflictError(
            f"“{found.name}” is a project of your own; the demo would add made-up texts to it.",
            "Name another one: `interacteval demo --project NAME`.",
        )
    store_corpus(workbench, demo_corpus(), name, DEMO_NOTICE)
    with workbench.database.read() as work:
        project = work.projects.get(name)
        dimensions = {d.name: d for d in work.projects.dimensions(project.id)}
        there = {(a.dimension, a.contributor) for a in work.think_aloud.attributes(project.id)}
    for dimension, experts in demo_attributes().items():
        for expert, texts in experts.items():
            if (dimension, expert) not in there:
                add_attributes(workbench, dimensions[dimension].id, expert, ContributorKind.HUMAN, texts)
    return project


@dataclass(frozen=True, slots=True)
class DemoJob:
    """The job that loads the demo."""


@use_case(Right.SERVE)
def begin_demo(workbench: Workbench) -> None:
    """Load the demo in the background. Raises ConflictError while it runs."""
    start_job(workbench, DEMO_JOB, "Demo", DemoJob())


@job_kind(DemoJob)
def _run(workbench: Workbench, _: DemoJob, progress: Progress) -> str:
    report = load_demo(workbench, report=progress.report)
    texts = sum(result.scored for _, _, result in report.dimensions.values())
    return f"The demo is ready: {texts} scores on {len(report.dimensions)} dimensions, judged by rules, not an LLM."


BUNDLE = "demo.zip"  # made by `make demo`


@use_case(Right.SERVE, act="loaded the demo", about="name")
def load_demo(workbench: Workbench, name: str = DEMO_PROJECT, report: OnStep = lambda *_: None) -> DemoReport:
    """Import the bundled project with everything its simulated people and LLMs did, or finish one that exists.

    Raises ConflictError for a project that isn't the demo's.
    """
    with workbench.database.read() as work:
        found = work.projects.find(name)
    if found is not None:
        return run_demo(workbench, name, report)
    report("Loading the demo project", 0, 2)
    with as_file(files(demo_data).joinpath(BUNDLE)) as file:
        import_project(workbench, file, name)
    with workbench.database.read() as work:
        project = work.projects.get(name)
    return _reported(workbench, project, run_flow(workbench, project, JUDGE), report)


@use_case(Right.SERVE, act="ran the demo", about="name")
def run_demo(workbench: Workbench, name: str = DEMO_PROJECT, report: OnStep = lambda *_: None) -> DemoReport:
    """Take the texts and two experts' attributes through the whole method; existing results are kept."""
    report("Importing the demo texts", 0, 0)
    project = prepare_demo(workbench, name)
    return _reported(workbench, project, run_flow(workbench, project, JUDGE, report), report)


def _reported(workbench: Workbench, project: Project, run_id: int, report: OnStep) -> DemoReport:
    report("Computing the agreement with people", 1, 1)
    dimensions = {}
    for result in results_of(workbench, run_id):
        checklist = published_checklist(workbench, result.dimension.id, result.version)
        dimensions[result.dimension.name] = (checklist.version, len(checklist.asked), result)
    return DemoReport(project.name, JUDGE, dimensions)
