"""Options of a build: what a checklist is made from; and its start, step by step or all at once."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import streamlit as st

from app.domain.attribute import Attribute, ContributorKind
from app.domain.project import Project
from app.domain.task import Dimension
from app.errors import WorkbenchError
from app.services.building.build import COMPONENTS, start_build
from app.services.building.build_jobs import begin_builds
from app.services.data.projects import dimensions_named
from app.services.runtime.model_options import ModelOptions
from app.services.runtime.workbench import Workbench
from app.services.scoring.last_models import RULES, last_model
from pages.components.build.choice import show_build
from pages.components.shell.browser.scripts import page_script, run_in_page
from pages.components.shell.checklists.editor_name import current_editor
from pages.components.shell.contributor_choice import contributor_choice
from pages.components.shell.navigation.screens import link
from pages.components.shell.runs.model_choice import model_choice
from pages.components.shell.runs.model_options import more_options, preset_model_options
from pages.components.shell.words import plain, show_error

STAGES_KEY = "build"
NEW_BUILD = "new_build"
_STARTED = "build_started"
_CLOSE = page_script(f"""(() => {{
  document.querySelector(".st-key-{NEW_BUILD} button[aria-expanded='true']")?.click();
}})();""")


@dataclass(frozen=True, slots=True)
class BuildOptions:
    condition: str
    model: str
    components: int

    @property
    def complete(self) -> bool:
        return bool(self.condition and self.model)


def new_build(
    workbench: Workbench,
    project: Project,
    dimension: Dimension,
    attributes: Sequence[Attribute],
    busy: bool,
) -> None:
    """The choices, and the buttons where nothing is being built right now."""
    options = _options(workbench, project, attributes, dimension.id)
    _without_llms(attributes, dimension)
    asking = more_options("new_build", [options.model])
    if not busy:
        _step_by_step(workbench, dimension, options, asking)
        _all_at_once(replace(workbench, asking=asking), project, dimension, options)


def close_when_started() -> None:
    """Close the popover with the options after a build was started in it: on a phone it covers the build."""
    if st.session_state.pop(_STARTED, False):
        run_in_page(_CLOSE)


def stage_options(models: Sequence[str]) -> ModelOptions:
    """How the stages of a build that is there are asked from now on; at first as chosen when it was started."""
    return more_options(STAGES_KEY, models)


def _without_llms(attributes: Sequence[Attribute], dimension: Dimension) -> None:
    """Say that the checklist would come without what LLMs look for, as long as none was asked."""
    if any(one.kind is ContributorKind.LLM and one.contributor != RULES for one in attributes):
        return
    with st.container(key="no_llms_asked"):
        st.info(f"No LLM was asked yet what to look for in {plain(dimension.name)}.", icon=":material/forum:")
        link("ask_llms", "Ask the LLMs first")


def _options(
    workbench: Workbench, project: Project, attributes: Sequence[Attribute], dimension_id: int
) -> BuildOptions:
    _, condition = contributor_choice(attributes, f"condition_{dimension_id}")
    last = last_model(workbench, project.id, "build")
    purpose = "It groups the attributes and writes the questions."
    model = model_choice(workbench, "Model", "build_model", purpose, first=last)
    components = st.select_slider(
        "At most this many components",
        list(COMPONENTS),
        value=5,
        key="components",
        help="A component is a key sub-concept of the dimension; each gets a key question and its sub-questions. The "
        "paper takes at most five and studied three to nine.",
    )
    return BuildOptions(condition.code, model, components)


def _step_by_step(workbench: Workbench, dimension: Dimension, options: BuildOptions, asking: ModelOptions) -> None:
    if st.button("Go step by step", type="primary", key="start_build", disabled=not options.complete):
        preset_model_options(STAGES_KEY, asking)
        try:
            show_build(
                start_build(
                    workbench, dimension, options.model, options.condition, options.components, who=current_editor()
                )
            )
        except WorkbenchError as error:
            show_error(error)
        else:
            st.session_state[_STARTED] = True
            st.rerun()


def _all_at_once(workbench: Workbench, project: Project, dimension: Dimension, options: BuildOptions) -> None:
    """All stages of this dimension, or of all; one that can't be built doesn't stop the others."""
    dimensions = dimensions_named(workbench, project.name, "all")
    if st.button(
        "Run all stages",
        key="build",
        disabled=not options.complete,
        help="Makes a draft of the checklist at once; the changes of the last stage are taken as proposed. The "
        "stages can be changed afterwards.",
    ):
        preset_model_options(STAGES_KEY, workbench.asking)
        _begin(workbench, project, [dimension], options)
    if len(dimensions) > 1 and st.button(
        f"Run all stages for all {len(dimensions)} dimensions", key="build_all", disabled=not options.complete
    ):
        _begin(workbench, project, dimensions, options)


def _begin(workbench: Workbench, project: Project, dimensions: Sequence[Dimension], options: BuildOptions) -> None:
    try:
        begin_builds(
            workbench,
            project,
            dimensions,
            options.model,
            options.condition,
            options.components,
            who=current_editor(),
        )
    except WorkbenchError as error:
        show_error(error)
    else:
        st.session_state[_STARTED] = True
        st.rerun()
