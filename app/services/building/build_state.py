"""The state of a build, and edits of its stages."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Concatenate, ParamSpec

from app.construction.steps import edits
from app.construction.steps.edits import Offer, offers
from app.construction.steps.edits import accept_new_version as taken_new
from app.construction.steps.edits import keep_own_edit as kept_mine
from app.construction.steps.result import Inputs, StageState, accept_units, from_document, states, to_document
from app.domain.attribute import Attribute, AttributeStatus
from app.domain.build import Build, BuildComponent, BuildSummary, ChangeDecision, Revision, Stage
from app.domain.condition import named_in, of_condition
from app.domain.project import Dimension, Project
from app.domain.roles_and_rights import Right
from app.domain.run import StageRun
from app.errors import ConflictError, NotFoundError
from app.services.runtime.workbench import Workbench, use_case
from db.unit_of_work import UnitOfWork

__all__ = ["StageState"]


_NEVER_TAKEN_BACK = ("runs", "last_id")  # calls that were made stay on record, ids are never given twice

BuildChange = Callable[[Build, Inputs], Build]
P = ParamSpec("P")


@dataclass(frozen=True, slots=True)
class BuildView:
    """Everything a screen shows of a build.

    revision: the number of its newest state. version: the checklist version made from this state, None without one.
    attributes: by id, also excluded ones. in_use: ids of the attributes that feed the build now. records: each stage's
    calls, newest first, with failures.
    """

    id: int
    revision: int
    version: int | None
    project: Project
    dimension: Dimension
    build: Build
    states: Mapping[Stage, StageState]
    offers: Sequence[Offer]
    attributes: Mapping[int, Attribute]
    in_use: Sequence[int]
    records: Mapping[Stage, Sequence[StageRun]]

    @property
    def stale(self) -> list[Stage]:
        return [stage for stage, state in self.states.items() if state.stale]

    @property
    def made(self) -> list[Stage]:
        return [stage for stage, state in self.states.items() if state.made]

    @property
    def never_made(self) -> list[Stage]:
        return [stage for stage, state in self.states.items() if not state.made]

    @property
    def next_stage(self) -> Stage | None:
        """Return the first stage that is missing or stale, None if there is none."""
        return next((stage for stage, s in self.states.items() if s.stale or not s.made), None)


@use_case(Right.EDIT)
def builds_of(workbench: Workbench, dimension_id: int) -> list[BuildSummary]:
    """Return the dimension's builds, newest first."""
    with workbench.database.read() as work:
        return work.builds.of_dimension(dimension_id)


@use_case(Right.REVIEW)
def versions_built_whole(workbench: Workbench, dimension_id: int) -> list[int]:
    """Return the checklist versions, oldest first, that were built before the program stored each step of a build.
    Their stages can be read, but there is no build to continue."""
    with workbench.database.read() as work:
        versions = work.checklists.versions(dimension_id)
        return sorted(v.version for v in versions if work.stages.of(dimension_id, v.id))


@use_case(Right.EDIT)
def view_build(workbench: Workbench, build_id: int) -> BuildView:
    """Return the view of a build. Raises NotFoundError if it doesn't exist any more."""
    with workbench.database.read() as work:
        revision, document = work.builds.state(build_id)
        dimension_id = work.builds.dimension_of(build_id)
        version = work.builds.history(build_id)[0].checklist
        project = work.projects.project_of(dimension_id)
        build = from_document(document)
        inputs = inputs_of(work, dimension_id, build.condition)
        attributes = {a.id: a for a in work.think_aloud.attributes(project.id)}
        wanted = {run: stage for stage, runs in build.runs.items() for run in runs}
        records: dict[Stage, list[StageRun]] = {stage: [] for stage in Stage}
        for record in reversed(work.stages.of(dimension_id)):
            if record.id in wanted:
                records[wanted[record.id]].append(record)
    return BuildView(
        id=build_id,
        revision=revision,
        version=version,
        project=project,
        dimension=inputs.dimension,
        build=build,
        states=states(build, inputs),
        offers=offers(build),
        attributes=attributes,
        in_use=list(inputs.texts),
        records=records,
    )


@use_case(Right.REVIEW)
def newest_clusters(workbench: Workbench, dimension_id: int) -> list[tuple[BuildComponent, tuple[int, ...]]]:
    """Return (component, attributes placed under it, active or not) for the dimension's newest build with clusters; []
    without one."""
    with workbench.database.read() as work:
        for summary in work.builds.of_dimension(dimension_id):
            build = from_document(work.builds.state(summary.id)[1])
            if build.placements:
                placed = [placement.attribute for placement in build.placements]
                return [(component, build.members(component.id, placed)) for component in build.components]
    return []


@use_case(Right.EDIT)
def build_history(workbench: Workbench, build_id: int) -> list[Revision]:
    """Return every revision of a build, newest first."""
    with workbench.database.read() as work:
        return work.builds.history(build_id)


def edit_build(
    workbench: Workbench,
    build_id: int,
    what: str,
    who: str,
    edit: Callable[Concatenate[Build, P], Build],
    *arguments: P.args,
    **named: P.kwargs,
) -> int:
    """Apply an edit function to the build, with these arguments, as `_edit_build` does."""
    return _edit_build(workbench, build_id, what, who, lambda build, _: edit(build, *arguments, **named))


def _edit_build(workbench: Workbench, build_id: int, what: str, who: str, edit: BuildChange) -> int:
    """Apply an edit to the newest state and store the result as the next revision; returns its number.

    An edit that changes nothing stores nothing and returns 0. Raises what the edit raises.
    """
    with workbench.database.write() as work:
        _, build = newest(work, build_id)
        edited = edit(build, inputs_of(work, work.builds.dimension_of(build_id), build.condition))
        return 0 if edited == build else work.builds.keep(build_id, what, who, to_document(edited))


@use_case(Right.FACILITATE, act="returned to an earlier state of a build", about="number")
def return_to(workbench: Workbench, build_id: int, number: int, only_after: int | None = None, who: str = "") -> int:
    """Store an earlier state as the newest one; later revisions stay in the history.

    only_after: raise ConflictError if the newest state differs from this revision, because somebody else edited it.
    """
    with workbench.database.write() as work:
        _, now = work.builds.locked_state(build_id)
        if only_after is not None and _shown(now) != _shown(work.builds.state(build_id, only_after)[1]):
            raise ConflictError("The build was changed meanwhile.", "Choose an earlier state in its history.")
        _, earlier = work.builds.state(build_id, number)
        restored = {**earlier, **{name: now[name] for name in _NEVER_TAKEN_BACK}}
        return work.builds.keep(build_id, f"Went back to step {number}", who, restored)


def _shown(state: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in state.items() if name not in _NEVER_TAKEN_BACK}


def newest(work: UnitOfWork, build_id: int) -> tuple[int, Build]:
    """Return (revision, build), locked until the end of the unit of work."""
    number, document = work.builds.locked_state(build_id)
    return number, from_document(document)


def inputs_of(work: UnitOfWork, dimension_id: int, condition: str) -> Inputs:
    """Return the inputs of a build in this condition now. Contributors without active attributes are left out."""
    project = work.projects.project_of(dimension_id)
    attributes = work.think_aloud.attributes(project.id, dimension_id)
    try:
        in_use = of_condition(attributes, condition)
    except NotFoundError:
        names = named_in(condition)
        in_use = [a for a in attributes if a.contributor in names and a.status is AttributeStatus.ACTIVE]
    return Inputs(project.task, work.projects.dimension_by_id(dimension_id), in_use)


@use_case(Right.FACILITATE, act="edited a build")
def describe_component(
    workbench: Workbench, build_id: int, component: int, name: str, description: str, who: str = ""
) -> int:
    return edit_build(
        workbench, build_id, f"Component described: {name}", who, edits.describe_component, component, name, description
    )


@use_case(Right.FACILITATE, act="edited a build")
def add_build_component(workbench: Workbench, build_id: int, name: str, description: str = "", who: str = "") -> int:
    return edit_build(workbench, build_id, f"Component added: {name}", who, edits.add_component, name, description)


@use_case(Right.FACILITATE, act="edited a build")
def remove_build_component(workbench: Workbench, build_id: int, component: int, who: str = "") -> int:
    return edit_build(workbench, build_id, "Component removed", who, edits.remove_component, component)


@use_case(Right.FACILITATE, act="edited a build")
def place_attributes(
    workbench: Workbench,
    build_id: int,
    attributes: Sequence[int],
    component: int | None,
    reason: str = "",
    who: str = "",
) -> int:
    """Move all these attributes under a component, or leave them out (None), with a reason if given."""
    several = f"{len(attributes)} attributes" if len(attributes) > 1 else "Attribute"
    return _edit_build(
        workbench,
        build_id,
        f"{several} left out" if component is None else f"{several} moved",
        who,
        lambda build, inputs: edits.place_attributes(build, inputs, attributes, component, reason),
    )


@use_case(Right.FACILITATE, act="edited a build")
def reword_question(workbench: Workbench, build_id: int, stage: Stage, question: int, text: str, who: str = "") -> int:
    return edit_build(
        workbench, build_id, f"Question reworded: {text}", who, edits.reword_question, stage, question, text
    )


@use_case(Right.FACILITATE, act="edited a build")
def add_build_question(
    workbench: Workbench, build_id: int, stage: Stage, component: int, text: str, who: str = ""
) -> int:
    return _edit_build(
        workbench,
        build_id,
        f"Question added: {text}",
        who,
        lambda build, inputs: edits.add_question(build, inputs, stage, component, text),
    )


@use_case(Right.FACILITATE, act="edited a build")
def remove_build_question(workbench: Workbench, build_id: int, question: int, who: str = "") -> int:
    return edit_build(workbench, build_id, "Question removed", who, edits.remove_question, question)


@use_case(Right.FACILITATE, act="decided on a proposed change")
def decide(workbench: Workbench, build_id: int, change: int, decision: ChangeDecision, who: str = "") -> int:
    return edit_build(workbench, build_id, f"Change {decision.value}", who, edits.decide, change, decision)


@use_case(Right.FACILITATE, act="decided on all proposed changes")
def decide_all(workbench: Workbench, build_id: int, decision: ChangeDecision, who: str = "") -> int:
    return edit_build(workbench, build_id, f"Changes {decision.value}", who, edits.decide_all, decision)


@use_case(Right.FACILITATE, act="edited a build")
def reword_change(workbench: Workbench, build_id: int, change: int, text: str, who: str = "") -> int:
    return edit_build(workbench, build_id, f"Change reworded: {text}", who, edits.reword_change, change, text)


@use_case(Right.FACILITATE, act="edited a build")
def keep_own_edit(workbench: Workbench, build_id: int, stage: Stage, item: int, who: str = "") -> int:
    return edit_build(workbench, build_id, "Own edit kept", who, kept_mine, stage, item)


@use_case(Right.FACILITATE, act="edited a build")
def accept_new_version(workbench: Workbench, build_id: int, stage: Stage, item: int, who: str = "") -> int:
    return edit_build(workbench, build_id, "New output taken", who, taken_new, stage, item)


@use_case(Right.FACILITATE, act="edited a build")
def accept_stage(workbench: Workbench, build_id: int, stage: Stage, who: str = "") -> int:
    """Mark a stage as up to date although its input was edited."""
    return _edit_build(
        workbench,
        build_id,
        f"{stage.value} kept as they are",
        who,
        lambda build, inputs: replace(build, made_from=accept_units(build, inputs, stage)),
    )


@use_case(Right.FACILITATE, act="edited a build")
def set_model(workbench: Workbench, build_id: int, model: str, stage: Stage | None = None, who: str = "") -> int:
    """Set the model that a stage asks from now on; None for all stages."""
    return _edit_build(
        workbench,
        build_id,
        f"Model chosen: {model}",
        who,
        lambda build, _: replace(
            build, models={s: model if stage in (None, s) else asked for s, asked in build.models.items()}
        ),
    )
