"""What to build a checklist from, and the start of the build."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import streamlit as st

from app.domain.attribute import Attribute
from app.domain.project import Project
from app.domain.task import Dimension
from app.errors import WorkbenchError
from app.services.build_history import attribute_changes
from app.services.building import COMPONENTS, BuildOutcome, build, build_all
from app.services.checklists import versions_of
from app.services.jobs import JOBS, Progress
from app.services.workbench import Workbench
from pages.components.conditions import number
from pages.components.contributor_choice import contributor_choice
from pages.components.model_choice import model_choice
from pages.components.words import show_error

STAGE_WORDS = {
    "components": "components",
    "clusters": "clusters",
    "key-questions": "key questions",
    "sub-questions": "sub-questions",
    "validation": "validation",
}


@dataclass(frozen=True, slots=True)
class BuildOptions:
    condition: str
    model: str
    components: int


def job_key(project_id: int, scope: int) -> str:
    """`scope` is a dimension's id, 0 for all dimensions."""
    return f"build_{project_id}_{scope}"


def build_options(workbench: Workbench, attributes: Sequence[Attribute], dimension_id: int) -> BuildOptions:
    _, condition = contributor_choice(attributes, f"condition_{dimension_id}")
    model = model_choice(workbench, "Model", "build_model", "It groups the attributes and writes the questions.")
    components = st.select_slider(
        "Components at most",
        list(COMPONENTS),
        value=5,
        key="components",
        help="A component is a key sub-concept of the dimension; each gets a key question and its sub-questions. The "
        "paper takes at most five and studied three to nine.",
    )
    return BuildOptions(condition.code, model, components)


def build_buttons(
    workbench: Workbench, project: Project, dimension: Dimension, dimensions: Sequence[Dimension], options: BuildOptions
) -> None:
    """A build starts in the background; one of all dimensions goes on where one of them can't be built."""

    def one(progress: Progress) -> str:
        def hear(stage: str, ended: int, of: int) -> None:
            progress.report(f"{STAGE_WORDS[stage]} done", ended, of)

        made = build(workbench, project, dimension, options.model, options.condition, options.components, on_stage=hear)
        return f"Version {made.version} is a draft with {number(len(made.asked), 'question')}. Look at it on Checklist."

    def every(progress: Progress) -> str:
        outcomes = build_all(
            workbench, project, dimensions, options.model, options.condition, options.components, progress.report
        )
        return " ".join(map(_outcome, outcomes))

    if st.button(
        "Build the checklist", type="primary", key="build", disabled=not (options.model and options.condition)
    ):
        _start(job_key(project.id, dimension.id), f"Building the checklist of {dimension.name}", one)
    if len(dimensions) > 1 and st.button(
        "Build all dimensions", key="build_all", disabled=not (options.model and options.condition)
    ):
        _start(job_key(project.id, 0), "Building all checklists", every)


def _start(key: str, title: str, work: Callable[[Progress], str]) -> None:
    try:
        JOBS.start(key, title, work)
    except WorkbenchError as error:
        show_error(error)
    else:
        st.rerun()


def _outcome(outcome: BuildOutcome) -> str:
    if outcome.error:
        return f"{outcome.dimension}: not built. {outcome.error}"
    return f"{outcome.dimension}: version {outcome.version}."


def staleness(workbench: Workbench, project_id: int, dimension: Dimension) -> None:
    """Says where the attributes moved on after the newest checklist was built."""
    newest = next(iter(versions_of(workbench, dimension.id)), None)
    if newest is None:
        return
    changes = attribute_changes(workbench, project_id, dimension.id, newest)
    counts = {"added": changes.added, "left out": changes.gone, "reworded": changes.reworded}
    said = [f"{count} {'was' if count == 1 else 'were'} {verb}" for verb, count in counts.items() if count]
    if said:
        st.warning(
            f"The attributes changed since version {newest.version} was built: {', '.join(said)}. Build again to "
            "take that in; version "
            f"{newest.version} stays as it is.",
            icon=":material/update:",
        )
