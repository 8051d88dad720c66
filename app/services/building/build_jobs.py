"""Building in the background: stages of a build, or whole builds, each as far as it isn't made yet."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from app.construction.components import DEFAULT
from app.domain.build import Build, Stage
from app.domain.people import Right
from app.domain.project import Dimension, Project
from app.errors import WorkbenchError
from app.providers.model_options import ModelOptions
from app.services.background.jobs import refuse_second_job, start_job
from app.services.background.progress import Progress, job_kind
from app.services.building.build import COMBINED, STAGES, finish_build, regenerate, run_stages, start_build
from app.services.building.build_state import view_build
from app.services.runtime.use_case import use_case
from app.services.runtime.workbench import Workbench

_NAMES = {Stage.KEY_QUESTIONS.value: "key questions"}


@dataclass(frozen=True, slots=True)
class StagesJob:
    """Stages of a build to make where they are missing or out of date."""

    build_id: int
    stages: tuple[Stage, ...]
    asking: ModelOptions
    who: str


@dataclass(frozen=True, slots=True)
class AgainJob:
    """A stage of a build to ask anew about, or one item of it; 0 for the whole stage."""

    build_id: int
    stage: Stage
    item: int
    asking: ModelOptions
    who: str


@dataclass(frozen=True, slots=True)
class BegunBuild:
    """`problem`: why the dimension's build could not begin."""

    dimension: str
    build_id: int | None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class BuildsJob:
    """Whole builds, a version of the checklist from each."""

    builds: tuple[BegunBuild, ...]
    asking: ModelOptions
    who: str


def build_job_key(project_id: int, scope: int) -> str:
    """`scope` is a dimension's id, 0 for all dimensions."""
    return f"build_{project_id}_{scope}"


@use_case(Right.FACILITATE)
def begin_stages(
    workbench: Workbench, dimension: Dimension, build_id: int, stages: Sequence[Stage], title: str, who: str = ""
) -> None:
    """Raises ConflictError while a checklist of the dimension is being built."""
    job = StagesJob(build_id, tuple(stages), workbench.asking, who)
    start_job(workbench, _key_of(workbench, dimension), title, job)


@use_case(Right.FACILITATE)
def begin_again(
    workbench: Workbench, dimension: Dimension, build_id: int, stage: Stage, item: int, title: str, who: str = ""
) -> None:
    """Raises ConflictError while a checklist of the dimension is being built."""
    job = AgainJob(build_id, stage, item, workbench.asking, who)
    start_job(workbench, _key_of(workbench, dimension), title, job)


def _key_of(workbench: Workbench, dimension: Dimension) -> str:
    with workbench.database.read() as work:
        return build_job_key(work.projects.project_of(dimension.id).id, dimension.id)


@use_case(Right.FACILITATE)
def begin_builds(
    workbench: Workbench,
    project: Project,
    dimensions: Sequence[Dimension],
    model: str,
    condition: str = COMBINED,
    max_components: int = DEFAULT,
    who: str = "",
) -> None:
    """Build every dimension in turn; one that can't be built doesn't stop the others.

    Raises ConflictError while these checklists are being built.
    """
    one = dimensions[0] if len(dimensions) == 1 else None
    key = build_job_key(project.id, one.id if one else 0)
    refuse_second_job(workbench, key)
    begun = []
    for dimension in dimensions:
        try:
            build_id = start_build(workbench, dimension, model, condition, max_components, who=who)
        except WorkbenchError as error:
            if one:
                raise
            begun.append(BegunBuild(dimension.name, None, str(error)))
        else:
            begun.append(BegunBuild(dimension.name, build_id))
    title = f"Building the checklist of {one.name}" if one else "Building all checklists"
    start_job(workbench, key, title, BuildsJob(tuple(begun), workbench.asking, who))


@job_kind(StagesJob)
def _make_stages(workbench: Workbench, job: StagesJob, progress: Progress) -> str:
    def hear(stage: str, ended: int, of: int) -> None:
        progress.report(f"{_NAMES.get(stage, stage)} done", ended, of)

    run_stages(replace(workbench, asking=job.asking), job.build_id, job.stages, hear, job.who)
    return ""


@job_kind(AgainJob)
def _make_again(workbench: Workbench, job: AgainJob, _: Progress) -> str:
    regenerate(replace(workbench, asking=job.asking), job.build_id, job.stage, job.item, job.who)
    return ""


@job_kind(BuildsJob)
def _build(workbench: Workbench, job: BuildsJob, progress: Progress) -> str:
    steps, said = len(STAGES) * len(job.builds), []
    for number, begun in enumerate(job.builds):
        before = number * len(STAGES)

        def hear(stage: str, ended: int, _: int, name: str = begun.dimension, before: int = before) -> None:
            progress.report(f"{name}, {_NAMES.get(stage, stage)} done", before + ended, steps)

        if begun.build_id is None:
            said.append(f"{begun.dimension}: not built. {begun.problem}")
            continue
        progress.report(begun.dimension, before, steps)
        try:
            made = finish_build(replace(workbench, asking=job.asking), begun.build_id, hear, job.who)
        except WorkbenchError as error:
            if len(job.builds) == 1:
                raise
            said.append(f"{begun.dimension}: not built. {error}")
        else:
            asked = len(made.asked)
            questions = f"{asked:,} question" if asked == 1 else f"{asked:,} questions"
            taken = taken_as_proposed(view_build(workbench, begun.build_id).build)
            if len(job.builds) == 1:
                return f"Version {made.version} is a draft with {questions}.{taken} Look at it on Checklist."
            said.append(f"{begun.dimension}: version {made.version} with {questions}.{taken}")
    return " ".join(said)


def taken_as_proposed(build: Build) -> str:
    """Nobody may have decided between the second look and the draft: said with the draft, "" where all was decided."""
    many = len(build.undecided)
    if not many:
        return ""
    changes = "1 change of the validation was" if many == 1 else f"{many:,} changes of the validation were"
    return f" {changes} undecided and taken as proposed."
