"""The line at the top of every screen: project, dimension, the five steps and the way on."""

from typing import Literal

import streamlit as st

from app.domain.project import Project
from app.services.data.projects import list_projects, overview
from app.services.data.steps import FlowStep, NextStep, StepState, next_of, steps_of
from app.services.runtime.workbench import Workbench
from pages.components.shell.current import DIMENSION, PROJECT, current_project
from pages.components.shell.expert import name_expert
from pages.components.shell.navigation.screens import address, door_of, go, is_open, link, open_screens
from pages.components.shell.words import plain

_ICONS = {
    StepState.DONE: ":material/check_circle:",
    StepState.READY: ":material/radio_button_unchecked:",
    StepState.BLOCKED: ":material/lock:",
}
# Where going on is a matter of its own: the list of all that is ready, and the expert's own "I am done".
_OWN_WAY_ON = ("home", "think_aloud")
_LOOK = """
<style>
  .st-key-where { border-bottom: 1px solid color-mix(in srgb, currentColor 15%, transparent); padding-bottom: 0.6rem; }
  .st-key-steps { column-gap: 0.1rem; }
</style>
"""


def top_bar(workbench: Workbench, here: str) -> Project | None:
    """Choose project and dimension; both stay in the address, so a refresh or a sent link shows the same.

    `here`: the screen that is open. Returns the project, None where there is none yet.
    """
    projects = [project.name for project in list_projects(workbench)]
    if not projects:
        _know(workbench, None)
        return None
    _say_if_unknown(projects)
    st.html(_LOOK)
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="where"):
        _pick("Project", PROJECT, projects, width=170)
        project = current_project(workbench)
        _know(workbench, project)
        if project is None:
            return None
        progress = overview(workbench, project.id)
        dimensions = {d.dimension.name: d for d in progress.dimensions}
        if dimensions:
            _pick("Dimension", DIMENSION, list(dimensions), width=150)
        chosen = dimensions.get(str(st.session_state.get(DIMENSION)))
        steps = steps_of(progress, chosen)
        _steps(steps, here)
        todo = next_of(progress, chosen)
        if workbench.actor.has(todo.right, project.id):
            _way_on(todo, steps, here)
    _keep()
    return project


def _know(workbench: Workbench, project: Project | None) -> None:
    """Who is there decides what is shown, from here on."""
    name_expert(workbench, project)
    open_screens(workbench.actor, project)


def _steps(steps: tuple[FlowStep, ...], here: str) -> None:
    behind = {screen.name for screen in door_of(here).screens}
    with st.container(horizontal=True, gap="small", key="steps", width="content"):
        for step in steps:
            title = f"**{step.title}**" if step.screen in behind else step.title
            link(step.screen, title, icon=_ICONS[step.state], help_=plain(step.words))


def _way_on(todo: NextStep, steps: tuple[FlowStep, ...], here: str) -> None:
    """One button once the step that is open is done; none where the next thing is done on this very screen."""
    behind = {screen.name for screen in door_of(here).screens}
    step = next((step for step in steps if step.screen in behind), None)
    if here in _OWN_WAY_ON or todo.screen in behind or step is None or step.state is not StepState.DONE:
        return
    if not is_open(todo.screen):
        return
    # Results can be looked at any time; what still waits to be done stands out.
    kind: Literal["primary", "secondary"] = "secondary" if todo.screen == "results" else "primary"
    if st.button(f"Next: {_lower(todo.verb)}", key="way_on", type=kind, help=plain(todo.why)):
        go(todo.screen, todo.parameters)


def _lower(verb: str) -> str:
    return verb[0].lower() + verb[1:]


def _say_if_unknown(projects: list[str]) -> None:
    """An address may be old or mistyped; what is shown instead is not what was asked for."""
    asked = st.query_params.get(PROJECT)
    if asked and asked not in projects and PROJECT not in st.session_state:
        st.toast(
            plain(f"There is no project “{asked}” here; another one is shown."), icon=":material/info:", duration=10
        )


def _pick(label: str, key: str, options: list[str], width: int) -> None:
    """Session first, then the address, then the first option (a widget bound to the address would write labels)."""
    wanted = (st.session_state.get(key), st.query_params.get(key))
    st.session_state[key] = next((option for option in wanted if option in options), options[0])
    st.selectbox(label, options, key=key, label_visibility="collapsed", width=width)


def _keep() -> None:
    """In one go, and only what changed: the browser remembers a screen once more for each time it is told."""
    changed = {key: value for key, value in address().items() if st.query_params.get(key) != value}
    if changed:
        st.query_params.update(changed)
