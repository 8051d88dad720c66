"""Projects, their dimensions and their progress."""

import shlex
from dataclasses import dataclass

from app.corpora.presets import PAPERS, PRESETS, load_preset
from app.domain.attribute import ContributorKind
from app.domain.checklist import ChecklistStatus, ChecklistVersion
from app.domain.people import PENDING, PendingAct
from app.domain.project import Dimension, Project, Task
from app.domain.roles_and_rights import Actor, Right, Role
from app.domain.run import RunSummary
from app.domain.storable_text import quoted
from app.errors import InputError, NotAllowedError, NotReadyError
from app.services.runtime.workbench import Workbench, act_made_project, use_case
from db.unit_of_work import UnitOfWork


@dataclass(frozen=True, slots=True)
class DimensionProgress:
    """The progress of one dimension. `checklist` is its newest version, `published` the number of its newest published
    one, `run` the default run (`RunSummary.rank`), `scored` the newest version that a run answered; studies of
    conditions don't count."""

    dimension: Dimension
    ratings: int
    raters: int
    samples: int
    human_attributes: int
    llm_attributes: int
    checklist: ChecklistVersion | None
    published: int | None
    run: RunSummary | None
    scored: int | None = None

    @property
    def unscored_version(self) -> int | None:
        """Return the published version if only earlier ones have scores, else None."""
        if self.published is None or self.scored is None or self.scored >= self.published:
            return None
        return self.published

    @property
    def scored_words(self) -> str:
        """Return a phrase on the version with scores and its run, and on the published version if it has none."""
        if self.run is None:
            return "not yet"
        version = self.run.version(self.dimension.name)
        said = f"version {version} by run {self.run.id}" if version else f"run {self.run.id}"
        if self.run.done < self.run.all:
            said += f" ({self.run.done:,} of {self.run.all:,} scores)"
        return said if self.unscored_version is None else f"{said}, version {self.unscored_version} not yet"

    @property
    def attributes(self) -> int:
        return self.human_attributes + self.llm_attributes


@dataclass(frozen=True, slots=True)
class Overview:
    project: Project
    texts: int
    sources: int
    systems: int
    dimensions: tuple[DimensionProgress, ...]
    runs: tuple[RunSummary, ...]


@use_case(Right.ENTER)
def list_projects(workbench: Workbench) -> list[Project]:
    """Return the projects that the actor may see, newest first."""
    with workbench.database.read() as work:
        return [project for project in work.projects.all() if workbench.actor.has(Right.SEE, project.id)]


@use_case(Right.SEE, project="name")
def get_project(workbench: Workbench, name: str) -> Project:
    with workbench.database.read() as work:
        return work.projects.get(name)


@use_case(Right.BEGIN, act="made a project", about="name")
def create_project(workbench: Workbench, name: str, task: Task, dimensions: tuple[Dimension, ...] = ()) -> Project:
    with workbench.database.write() as work:
        project = begin_project(work, workbench.actor, name, task)
        for dimension in dimensions:
            work.projects.add_dimension(project.id, dimension)
        return project


def begin_project(work: UnitOfWork, actor: Actor, name: str, task: Task, notice: str = "") -> Project:
    """Create a project with the actor as its facilitator. Their unopened links are revoked, since they would open this
    project too."""
    project = work.projects.add(name, task, notice)
    act_made_project(project.id)
    pending = PENDING.get()
    if pending is None or pending.kept:  # an import's own entry was kept before there was a project
        work.audit_log.add(PendingAct(project.id, actor.person, actor.name, "made a project", project.name))
    if actor.person is not None and not actor.owner:
        work.people.join(actor.person, project.id, Role.FACILITATOR, actor.name)
        work.invitations.revoke_all(actor.person)
    return project


def project_to_fill(work: UnitOfWork, actor: Actor, name: str, task: Task, notice: str = "") -> Project:
    """Return the project of this name, created if missing. Raises NotAllowedError if it is somebody else's."""
    found = work.projects.find(name)
    if found is None:
        return begin_project(work, actor, name, task, notice)
    here = work.people.actor(actor.person) if actor.person is not None else actor
    if not here.has(Right.FACILITATE, found.id):
        raise NotAllowedError(f"Somebody else has begun a project called {quoted(name)}.", "Choose another name.")
    return found


@use_case(Right.BEGIN, act="made a project", about="name")
def create_from_preset(workbench: Workbench, name: str, preset: str) -> Project:
    """Create a project with the wording and the dimensions of a preset. Raises NotFoundError for an unknown one."""
    start = load_preset(preset)
    return create_project(workbench, name, start.task, start.dimensions)


def preset_names() -> tuple[str, ...]:
    return PRESETS


def papers_with_definitions() -> dict[str, str]:
    """Return paper -> title, for papers whose definitions can be used at import."""
    return PAPERS


def preset_task(preset: str) -> Task:
    """Return the preset's words for texts, sources and writers."""
    return load_preset(preset).task


def preset_dimensions(preset: str) -> list[str]:
    """Return the names of the preset's dimensions."""
    return [dimension.name for dimension in load_preset(preset).dimensions]


@use_case(Right.FACILITATE, project="name", act="deleted the project", about="name")
def delete_project(workbench: Workbench, name: str) -> None:
    """Delete a project with everything in it, including models' replies, except those that another project used."""
    with workbench.database.write() as work:
        project = work.projects.get(name)
        work.calls.delete_of_project(project.id)
        work.projects.delete(project.id)


@use_case(Right.FACILITATE, act="changed the kind of text")
def save_task(workbench: Workbench, project_id: int, task: Task) -> None:
    """Store the project's words. Raises InputError if one of the names is empty, since prompts and screens need
    them."""
    if not (task.text_name.strip() and task.source_name.strip() and task.writer_name.strip()):
        raise InputError("A text, its source and its writer need a name.", "For example summary, article and system.")
    with workbench.database.write() as work:
        work.projects.set_task(project_id, task)


@use_case(Right.FACILITATE, act="switched the research screens on or off")
def show_research(workbench: Workbench, project_id: int, on: bool) -> None:
    """Set whether the project's experts are offered the screens for studies."""
    with workbench.database.write() as work:
        work.projects.set_research(project_id, on)


@use_case(Right.FACILITATE, act="chose who asks follow-up questions", about="model")
def choose_follow_up(workbench: Workbench, project_id: int, model: str) -> None:
    """Set the model that may ask experts a question about their attributes; "" for none."""
    with workbench.database.write() as work:
        work.projects.set_follow_up(project_id, model.strip())


@use_case(Right.FACILITATE, act="added a dimension", about="dimension")
def add_dimension(workbench: Workbench, project_id: int, dimension: Dimension) -> Dimension:
    with workbench.database.write() as work:
        return work.projects.add_dimension(project_id, dimension)


@use_case(Right.FACILITATE)
def used_dimensions(workbench: Workbench, project_id: int) -> frozenset[int]:
    """Return the ids of the dimensions on which anybody has worked."""
    with workbench.database.read() as work:
        return work.projects.used_dimensions(project_id)


@use_case(Right.FACILITATE, act="deleted a dimension")
def delete_unused_dimension(workbench: Workbench, dimension_id: int) -> None:
    """Delete a dimension on which nobody has worked, with its rubric. Raises ConflictError if anybody has."""
    with workbench.database.write() as work:
        work.projects.delete_unused_dimension(dimension_id)


@use_case(Right.FACILITATE, act="changed a dimension")
def save_dimension(workbench: Workbench, dimension: Dimension) -> None:
    """Store a dimension. Raises InputError if its range would exclude existing ratings."""
    with workbench.database.write() as work:
        set_dimension(work, dimension)


def set_dimension(work: UnitOfWork, dimension: Dimension) -> None:
    """Store a dimension within a transaction. Raises InputError if its range would exclude existing ratings."""
    rated = work.texts.rating_range(dimension.id)
    if rated is not None and not dimension.low <= rated[0] <= rated[1] <= dimension.high:
        raise InputError(
            f"People's ratings on “{dimension.name}” go from {rated[0]:g} to {rated[1]:g}.",
            "Give a range that holds them all.",
        )
    work.projects.set_dimension(dimension)


@use_case(Right.SEE, project="project")
def dimensions_named(workbench: Workbench, project: str, names: str) -> list[Dimension]:
    """Return the dimensions that a person named: `all`, or names separated by commas. Raises InputError for none, and
    NotFoundError for a name that isn't there."""
    with workbench.database.read() as work:
        found = work.projects.get(project)
        if names.strip().lower() == "all":
            return work.projects.dimensions(found.id)
        wanted = [name.strip() for name in names.split(",") if name.strip()]
        if not wanted:
            raise InputError("No dimension is named.", "Name one, several with commas between them, or `all`.")
        return [work.projects.dimension(found.id, name) for name in dict.fromkeys(wanted)]


@use_case(Right.SEE, project="project")
def dimensions_to_use(workbench: Workbench, project: str, names: str) -> list[Dimension]:
    """Return dimensions as `dimensions_named` does. Raises NotReadyError if the project has none."""
    found = dimensions_named(workbench, project, names)
    if not found:
        raise NotReadyError(
            f"{project} has no dimension yet: nothing says what quality its texts are judged on.",
            f"Add one on Texts, or with `interacteval dimension add NAME --project {shlex.quote(project)}`.",
        )
    return found


@use_case(Right.SEE, project="project")
def one_dimension(workbench: Workbench, project: str, name: str) -> Dimension:
    with workbench.database.read() as work:
        return work.projects.dimension(work.projects.get(project).id, name)


@use_case(Right.SEE)
def overview(workbench: Workbench, project_id: int) -> Overview:
    with workbench.database.read() as work:
        project = work.projects.by_id(project_id)
        sources, systems = work.texts.distinct(project_id)
        runs = tuple(work.runs.all(project_id))
        return Overview(
            project=project,
            texts=work.every_text.count(project_id),
            sources=sources,
            systems=systems,
            dimensions=tuple(_progress(work, project_id, runs)),
            runs=runs,
        )


@use_case(Right.SEE)
def scored_texts(workbench: Workbench, project_id: int, run_id: int, dimension_id: int) -> tuple[int, int]:
    """Return (texts scored, texts planned) of a run on one dimension."""
    with workbench.database.read() as work:
        return work.runs.progress_on(run_id, dimension_id)


def _progress(work: UnitOfWork, project_id: int, runs: tuple[RunSummary, ...]) -> list[DimensionProgress]:
    """Return the progress of each dimension, with a fixed number of queries, because every screen shows it at every
    click."""
    counts = work.texts.rating_counts(project_id)
    attributes = work.think_aloud.attribute_counts(project_id)
    samples = work.think_aloud.sample_counts(project_id)
    checklists = work.checklists.versions_by_dimension(project_id)
    found = []
    for dimension in work.projects.dimensions(project_id):
        ratings, raters = counts.get(dimension.name, (0, 0))
        versions = checklists.get(dimension.id, [])
        own = [run for run in runs if dimension.name in run.dimensions and run.done and not run.apart]
        found.append(
            DimensionProgress(
                dimension=dimension,
                ratings=ratings,
                raters=raters,
                samples=samples.get(dimension.id, 0),
                human_attributes=attributes.get((dimension.id, ContributorKind.HUMAN), 0),
                llm_attributes=attributes.get((dimension.id, ContributorKind.LLM), 0),
                checklist=next(iter(versions), None),
                published=next((v.version for v in versions if v.status is ChecklistStatus.PUBLISHED), None),
                run=max(own, key=lambda run: run.rank(dimension.name), default=None),
                scored=max(
                    (run.versions[dimension.name] for run in own if dimension.name in run.versions), default=None
                ),
            )
        )
    return found


def progress_words(progress: Overview) -> str:
    """Return a phrase on the furthest step that any dimension has reached, and how many have."""
    dimensions = progress.dimensions
    reached = {
        "scored": sum(1 for d in dimensions if d.run),
        "with a checklist": sum(1 for d in dimensions if d.checklist),
        "with attributes": sum(1 for d in dimensions if d.attributes),
    }
    furthest = next(((step, count) for step, count in reached.items() if count), None)
    if furthest:
        return f"{furthest[1]} of {len(dimensions)} {furthest[0]}"
    return "texts imported" if progress.texts else "no texts yet"
