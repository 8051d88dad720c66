"""Project and dimension that the screens are about, and the workbench of this browser session."""

from dataclasses import replace
from typing import Any

import streamlit as st

from app.domain.project import Dimension, Project
from app.errors import NotFoundError
from app.services.data.projects import dimensions_named, get_project
from app.services.people.ways_in import who_asks
from app.services.runtime.workbench import Workbench, open_workbench

_KEYS = "typed_keys"


def typed_keys() -> dict[str, str]:
    """Provider -> key."""
    keys: dict[str, str] = st.session_state.get(_KEYS, {})
    return keys


def keep_key(provider: str, key: str) -> None:
    st.session_state[_KEYS] = {**typed_keys(), provider: key.strip()}


def forget_key(provider: str) -> None:
    st.session_state[_KEYS] = {name: key for name, key in typed_keys().items() if name != provider}


PROJECT = "project"
DIMENSION = "dimension"
_CHOICE = "chosen_project_and_dimension"


def current_workbench() -> Workbench:
    """The workbench with the keys of the environment and those typed for this browser session, for whose browser it
    is."""
    found = open_workbench(typed_keys(), any_path=False)
    return replace(found, actor=who_asks(found, st.context.cookies, st.context.headers))


def still_there(workbench: Workbench) -> None:
    """In a part of a screen that is drawn alone: draw the whole again for a person who was signed out."""
    if current_workbench().actor != workbench.actor:
        st.rerun()


def choose(project: str, dimension: str | None = None) -> None:
    """Make this the current project from the next rerun on (the widgets of this run exist already)."""
    st.session_state[_CHOICE] = (project, dimension)


def take_choice() -> None:
    """Carry out a choice made in the run before, while the widgets don't exist yet."""
    choice = st.session_state.pop(_CHOICE, None)
    if choice is not None:
        st.session_state[PROJECT] = choice[0]
        if choice[1] is not None:
            st.session_state[DIMENSION] = choice[1]


def current_project(workbench: Workbench) -> Project | None:
    name = st.session_state.get(PROJECT)
    if not name:
        return None
    try:
        return get_project(workbench, name)
    except NotFoundError:
        return None


def current_dimension(workbench: Workbench, project: Project) -> Dimension | None:
    dimensions = dimensions_named(workbench, project.name, "all")
    name = st.session_state.get(DIMENSION)
    return next((d for d in dimensions if d.name == name), dimensions[0] if dimensions else None)


_PRESS, _SCREEN = "press", "screen"


def was_pressed(label: str, key: str, *, form: bool = False, **options: Any) -> bool:
    """Draw a button and return whether it was pressed, as `st.button` does; `form`: the button that sends a form.

    Streamlit drops a press when another message of the browser interrupts the drawing before it comes to the button.
    This press waits for the next drawing of the button, as long as screen, project and dimension stay the same.
    """
    draw = st.form_submit_button if form else st.button
    draw(label, key=key, on_click=_keep_press, args=[key], **options)
    if st.session_state.get(_PRESS) != _press(key):
        return False
    del st.session_state[_PRESS]
    return not options.get("disabled")


def _keep_press(key: str) -> None:
    st.session_state[_PRESS] = _press(key)


def _press(key: str) -> tuple[str, ...]:
    return (key, *(str(st.session_state.get(place)) for place in (_SCREEN, PROJECT, DIMENSION)))


def take_press(here: str) -> None:
    """Forget a press on another screen than `here`, which is about to be drawn."""
    st.session_state[_SCREEN] = here
    press = st.session_state.get(_PRESS)
    if press and press[1] != here:
        del st.session_state[_PRESS]
