"""Building a checklist, stage by stage or all at once, also in the background. Every answer is stored when it
arrives."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from app.construction.components import DEFAULT, FEWEST, MOST, check_number
from app.construction.stage import StageContext, StageRecord
from app.construction.steps.result import Inputs, as_checklist, digests, from_document, items, states, to_document
from app.construction.steps.stage_runner import StageAnswer, ask, drop_orphans, merge_answer
from app.domain.build import Build, Stage, stage_of, unit
from app.domain.checklist import Checklist
from app.domain.condition import canonical, of_condition
from app.domain.project import Dimension, Project
from app.domain.roles_and_rights import Right
from app.errors import CutOffError, NoAnswerError, NotReadyError, WorkbenchError, WrongSchemaError
from app.providers.model_options import ModelOptions
from app.services.background.jobs import refuse_second_job, start_job
from app.services.background.progress import Progress, job_kind
from app.services.building.build_state import inputs_of, newest, view_build
from app.services.people.text_shares import copy_draw
from app.services.runtime.models import model_session
from app.services.runtime.prompts import answered_stage, failed, own_wordings
from app.services.runtime.workbench import Workbench, use_case

COMBINED = "comb"
COMPONENTS, USUAL_COMPONENTS = range(FEWEST, MOST + 1), DEFAULT
STAGES = tuple(Stage)

Heard = Callable[[str, int, int], None]


@use_case(Right.FACILITATE)
def check_can_build(workbench: Workbench, dimension: Dimension, condition: str = COMBINED) -> None:
    """Raise NotReadyError if the dimension has no attributes in this condition."""
    with workbench.database.read() as work:
        project = work.projects.project_of(dimension.id)
        attributes = work.think_aloud.attributes(project.id, dimension.id)
    if not of_condition(attributes, condition):
        raise NotReadyError(
            f"Nobody has said yet what to look for in {dimension.name}.", "Think aloud, or ask the LLMs, first."
        )


@use_case(Right.FACILITATE, act="started to build a checklist", about="condition")
def start_build(
    workbench: Workbench,
    dimension: Dimension,
    model: str,
    condition: str = COMBINED,
    max_components: int = DEFAULT,
    stage_models: Mapping[Stage, str] | None = None,
    study_digest: str = "",
    who: str = "",
) -> int:
    """Create an empty build and return its id. Raises NotReadyError without attributes.

    who: name for the build's history, here and below. study_digest: of a study of conditions (docs/adr/0011), whose
    builds and checklists don't appear in people's lists.
    """
    check_number(max_components)
    check_can_build(workbench, dimension, condition)
    with workbench.database.write() as work:
        models = {stage: (stage_models or {}).get(stage, model) for stage in Stage}
        build = Build(canonical(condition), max_components, models)
        return work.builds.add(dimension.id, build.condition, "Started", to_document(build), study_digest, who)


@use_case(Right.FACILITATE, act="resumed a build")
def run_stages(
    workbench: Workbench,
    build_id: int,
    stages: Sequence[Stage] = STAGES,
    on_stage: Heard = lambda *_: None,
    who: str = "",
) -> None:
    """Run the missing or stale parts of these stages, in order: at most one request for each stage.

    on_stage gets (stage that ended, number ended, number of stages). Each result is stored before the next stage
    begins; failures are stored too. Raises what the stages raise.
    """
    for ended, stage in enumerate(stages, start=1):
        _, build, inputs = _now(workbench, build_id)
        state = states(build, inputs)[stage]
        if state.to_ask or not state.made:
            _run(workbench, build_id, stage, state.to_ask, who, use_cache=True)
        if state.gone:
            _clear(workbench, build_id, stage, items(state.gone), who)
        on_stage(stage.value, ended, len(stages))


@use_case(Right.FACILITATE, act="rebuilt a part of a build")
def regenerate(workbench: Workbench, build_id: int, stage: Stage, item: int = 0, who: str = "") -> None:
    """Ask again about a whole stage, or about one item of it (a component's questions, an attribute's place).

    People's edits stay; new results for edited items are offered beside them. Raises what the stages raise.
    """
    _, build, inputs = _now(workbench, build_id)
    wanted = [unit(stage, item)] if item else [name for name in digests(build, inputs) if stage_of(name) is stage]
    _run(workbench, build_id, stage, wanted, who, use_cache=False)


@use_case(Right.FACILITATE, act="made a checklist of a build")
def make_checklist(workbench: Workbench, build_id: int, publish: bool = False, who: str = "") -> Checklist:
    """Create a new version of the checklist from the build, which can continue and make another.

    Undecided changes of the validator are applied. Raises NotReadyError without questions.
    """
    with workbench.database.write() as work:
        _, build = newest(work, build_id)
        dimension_id = work.builds.dimension_of(build_id)
        used = {run for runs in build.runs.values() for run in runs}
        answered = [r for r in work.stages.of(dimension_id) if r.id in used and not r.error_kind]
        models = ", ".join(dict.fromkeys(record.model for record in answered))
        checklist = as_checklist(build, inputs_of(work, dimension_id, build.condition), models)
        parent = work.builds.last_checklist(build_id)
        checklist_id = work.checklists.save(dimension_id, replace(checklist, parent=parent))
        made = work.checklists.publish(checklist_id) if publish else work.checklists.get(checklist_id)
        if publish:
            copy_draw(work, checklist_id)
        work.builds.keep(build_id, f"Made version {made.version}", who, to_document(build), checklist_id)
        return made


@use_case(Right.FACILITATE)
def build(
    workbench: Workbench,
    project: Project,
    dimension: Dimension,
    model: str,
    condition: str = COMBINED,
    max_components: int = DEFAULT,
    publish: bool = False,
    on_stage: Heard = lambda *_: None,
    stage_models: Mapping[Stage, str] | None = None,
    who: str = "",
) -> Checklist:
    """Run all stages in a new build and return the version of the checklist made from it.

    on_stage as in `run_stages`. If a stage fails, the build keeps its results and can be resumed. Raises NotReadyError
    without attributes, and what the stages raise.
    """
    build_id = start_build(workbench, dimension, model, condition, max_components, stage_models, who=who)
    run_stages(workbench, build_id, on_stage=on_stage, who=who)
    return make_checklist(workbench, build_id, publish, who)


@use_case(Right.FACILITATE)
def finish_build(workbench: Workbench, build_id: int, on_stage: Heard = lambda *_: None, who: str = "") -> Checklist:
    """Run the missing stages and return the version made; if the build has made one already, return that. Raises as
    `build`."""
    with workbench.database.read() as work:
        made = work.builds.last_checklist(build_id)
        if made is not None:
            return work.checklists.get(made)
    run_stages(workbench, build_id, on_stage=on_stage, who=who)
    return make_checklist(workbench, build_id, who=who)


def _now(workbench: Workbench, build_id: int) -> tuple[int, Build, Inputs]:
    with workbench.database.read() as work:
        build = from_document(work.builds.state(build_id)[1])
        dimension_id = work.builds.dimension_of(build_id)
        project = work.projects.project_of(dimension_id)
        return project.id, build, inputs_of(work, dimension_id, build.condition)


def _run(workbench: Workbench, build_id: int, stage: Stage, units: Sequence[str], who: str, use_cache: bool) -> None:
    """Send one request. The answer is merged into the newest state of the build, which people may have edited
    meanwhile."""
    project_id, build, inputs = _now(workbench, build_id)
    dimension_id, name = inputs.dimension.id, build.models[stage]
    try:
        with own_wordings(workbench, project_id):
            answer, record = asyncio.run(_ask(workbench, name, project_id, stage, units, build, inputs, use_cache))
    except WorkbenchError as error:
        _record_failure(workbench, build_id, dimension_id, stage, name, error, who)
        raise
    with workbench.database.write() as work:
        run_id = work.stages.add(dimension_id, answered_stage(record))
        _, now = newest(work, build_id)
        made = _with_run(merge_answer(now, answer), stage, run_id)
        work.builds.keep(build_id, f"{stage.value} made by {record.model}", who, to_document(made))


async def _ask(
    workbench: Workbench,
    name: str,
    project_id: int,
    stage: Stage,
    units: Sequence[str],
    build: Build,
    inputs: Inputs,
    use_cache: bool,
) -> tuple[StageAnswer, StageRecord]:
    context = StageContext(inputs.task, inputs.dimension)
    async with model_session(workbench, name, use_cache=use_cache, project=project_id) as model:
        try:
            return await ask(stage, units, build, inputs, model, context)
        except (WrongSchemaError, CutOffError, NoAnswerError):
            if not model.tally.cached:
                raise
            # Answers on record that failed before would fail for ever.
            return await ask(stage, units, build, inputs, model.second_try(), context)


def _clear(workbench: Workbench, build_id: int, stage: Stage, components: set[int], who: str) -> None:
    with workbench.database.write() as work:
        _, now = newest(work, build_id)
        cleared = drop_orphans(now, stage, components)
        work.builds.keep(build_id, f"{stage.value} of components without attributes removed", who, to_document(cleared))


def _record_failure(
    workbench: Workbench, build_id: int, dimension_id: int, stage: Stage, model: str, error: WorkbenchError, who: str
) -> None:
    with workbench.database.write() as work:
        run_id = work.stages.add(dimension_id, failed(stage, model, error))
        _, now = newest(work, build_id)
        work.builds.keep(build_id, f"{stage.value} failed", who, to_document(_with_run(now, stage, run_id)))


def _with_run(build: Build, stage: Stage, run_id: int) -> Build:
    return replace(build, runs={**build.runs, stage: (*build.runs.get(stage, ()), run_id)})


_NAMES = {Stage.KEY_QUESTIONS.value: "key questions"}


@dataclass(frozen=True, slots=True)
class StagesJob:
    """The job that runs stages of a build where they are missing or stale."""

    build_id: int
    stages: tuple[Stage, ...]
    asking: ModelOptions
    who: str


@dataclass(frozen=True, slots=True)
class AgainJob:
    """The job that asks again about a stage of a build, or about one `item` of it; 0 for the whole stage."""

    build_id: int
    stage: Stage
    item: int
    asking: ModelOptions
    who: str


@dataclass(frozen=True, slots=True)
class StartedBuild:
    """A build of a `BuildsJob`. `problem`: why it could not be started, "" if it was."""

    dimension: str
    build_id: int | None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class BuildsJob:
    """The job that finishes whole builds and makes a version of the checklist from each."""

    builds: tuple[StartedBuild, ...]
    asking: ModelOptions
    who: str


def build_job_key(project_id: int, scope: int) -> str:
    """Return the key of a build's job. `scope` is a dimension's id, 0 for all dimensions."""
    return f"build_{project_id}_{scope}"


@use_case(Right.FACILITATE)
def begin_stages(
    workbench: Workbench, dimension: Dimension, build_id: int, stages: Sequence[Stage], title: str, who: str = ""
) -> None:
    """Start a `StagesJob`. Raises ConflictError while a checklist of the dimension is being built."""
    job = StagesJob(build_id, tuple(stages), workbench.asking, who)
    start_job(workbench, _key_of(workbench, dimension), title, job)


@use_case(Right.FACILITATE)
def begin_again(
    workbench: Workbench, dimension: Dimension, build_id: int, stage: Stage, item: int, title: str, who: str = ""
) -> None:
    """Start an `AgainJob`. Raises ConflictError while a checklist of the dimension is being built."""
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
    """Start building every dimension in turn; one that can't be built doesn't stop the others.

    Raises ConflictError while one of these checklists is being built.
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
            begun.append(StartedBuild(dimension.name, None, str(error)))
        else:
            begun.append(StartedBuild(dimension.name, build_id))
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
            taken = accepted_changes_sentence(view_build(workbench, begun.build_id).build)
            if len(job.builds) == 1:
                return f"Version {made.version} is a draft with {questions}.{taken} Look at it on Checklist."
            said.append(f"{begun.dimension}: version {made.version} with {questions}.{taken}")
    return " ".join(said)


def accepted_changes_sentence(build: Build) -> str:
    """Return a sentence on how many undecided changes were applied to the draft, "" if all were decided."""
    many = len(build.undecided)
    if not many:
        return ""
    changes = "1 change of the validation was" if many == 1 else f"{many:,} changes of the validation were"
    return f" {changes} undecided and taken as proposed."
