"""What is ready to do: a row a dimension, with how far it is and the button to go on."""

from typing import Literal

import streamlit as st

from app.domain.checklist import ChecklistStatus
from app.services.data.projects import DimensionProgress, Overview, scored_texts
from app.services.data.steps import StepState, next_of, steps_of
from app.services.runtime.workbench import Workbench
from pages.components.shell.current import DIMENSION, choose
from pages.components.shell.navigation.screens import go, is_open
from pages.components.shell.tables import column_names, named_value
from pages.components.shell.words import button_label, plain

WIDTHS = (4, 2, 2, 3, 3, 4)
_ICONS = {
    StepState.DONE: ":green[:material/check_circle:]",
    StepState.READY: ":material/radio_button_unchecked:",
    StepState.BLOCKED: ":gray[:material/lock:]",
}
# The last step is a look at what the one before it made.
_SHOWN = ("Texts", "Ideas", "Checklist", "Scores")


def ready(workbench: Workbench, progress: Overview) -> None:
    """Nothing is ready for a project without texts or dimensions but the one thing its button says."""
    if not progress.texts or not progress.dimensions:
        todo = next_of(progress, None)
        st.markdown(plain(todo.why))
        if st.button(todo.verb, key="go_on", type="primary"):
            go(todo.screen, todo.parameters)
        return
    with st.container(key="ready", gap="xsmall"):
        column_names("ready", WIDTHS, ("Dimension", *_SHOWN, "Ready to do"))
        for dimension in progress.dimensions:
            _row(workbench, progress, dimension)


def _row(workbench: Workbench, progress: Overview, dimension: DimensionProgress) -> None:
    name, *places, action = st.columns(WIDTHS, vertical_alignment="center")
    name.markdown(f"**{plain(dimension.dimension.name)}**")
    for place, step in zip(places, steps_of(progress, dimension), strict=False):
        shown = f"{_ICONS[step.state]} {_short(workbench, progress, dimension, step.title)}"
        place.markdown(named_value(step.title, shown))
    todo = next_of(progress, dimension)
    if not (is_open(todo.screen) and workbench.actor.has(todo.right, progress.project.id)):
        return
    here = dimension.dimension.name == st.session_state.get(DIMENSION)
    kind: Literal["primary", "secondary"] = "primary" if here else "secondary"
    key = f"go_on_{dimension.dimension.id}"
    label = button_label(todo.verb, f"on {dimension.dimension.name}")
    if action.button(label, key=key, type=kind, width="stretch", help=plain(todo.why)):
        choose(progress.project.name, dimension.dimension.name)
        go(todo.screen, {DIMENSION: dimension.dimension.name, **todo.parameters})


def _short(workbench: Workbench, progress: Overview, dimension: DimensionProgress, title: str) -> str:
    """What there is of a step, in as few words as a table holds."""
    if title == "Texts":
        return f"{progress.texts:,}"
    if title == "Ideas":
        return f"{dimension.attributes:,}" if dimension.attributes else "none"
    if title == "Checklist":
        newest = dimension.checklist
        draft = " (draft)" if newest and newest.status is ChecklistStatus.DRAFT else ""
        return f"version {newest.version}{draft}" if newest else "none"
    if dimension.unscored_version is not None:
        return dimension.scored_words
    if dimension.run is None:
        return "none"
    done, planned = scored_texts(workbench, progress.project.id, dimension.run.id, dimension.dimension.id)
    return f"{done:,} of {planned:,}"
