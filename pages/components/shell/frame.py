"""The frame of every screen: header, notices, empty states."""

import gc
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app.domain.project import Dimension, Project
from app.services.runtime.judges import load_rules
from app.services.runtime.workbench import Workbench
from pages.components.shell.current import current_dimension, current_project, was_pressed
from pages.components.shell.labels import plain
from pages.components.shell.navigation.screens import go, is_open


def header(title: str, purpose: str, project: Project | None = None) -> None:
    """Draw the screen's title and its purpose in one line."""
    st.title(title, anchor=False)
    st.markdown(purpose)
    if project is not None and project.notice:
        closed = f"notice_closed_{project.id}"
        if st.session_state.get(closed):
            return
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key="notice"):
            st.markdown(f":material/info: {plain(project.notice)}", width="content")
            if was_pressed("Hide notice", key="close_notice", type="tertiary", icon=":material/close:"):
                st.session_state[closed] = True
                st.rerun()


def needs_project(workbench: Workbench, title: str, purpose: str) -> Project:
    """Draw the header of a screen about a project and return the project; without one, say what to do and end the
    screen."""
    project = current_project(workbench)
    if project is None:
        header(title, purpose)
        todo = "Import a file on Texts, which makes one, or try the demo on Overview."
        empty("There is no project yet.", todo, "texts", "Go to Texts")
        st.stop()
    header(title, purpose, project)
    return project


def needs_dimension(workbench: Workbench, title: str, purpose: str) -> tuple[Project, Dimension]:
    """Draw the header of a screen about a dimension; return project and dimension."""
    project = needs_project(workbench, title, purpose)
    dimension = current_dimension(workbench, project)
    if dimension is None:
        todo = "Say what quality the texts are judged on."
        section = {"section": "Dimensions and wording"}
        empty("This project has no dimension yet.", todo, "texts", "Add a dimension", section)
        st.stop()
        raise AssertionError("stop ends the screen")
    return project, dimension


def empty(what: str, todo: str, target: str, button: str, parameters: Mapping[str, str] | None = None) -> None:
    """Draw an empty screen: what to do next, and a button that leads there."""
    with st.container(key=f"empty_state_{target}"):
        st.markdown(f"**{what}** {todo}")
        if is_open(target) and was_pressed(button, key=f"empty_to_{target}", type="primary"):
            go(target, parameters)


def nothing_yet(part: str, words: str) -> None:
    """Draw words, as Markdown, in a part of a screen that has nothing to show yet."""
    with st.container(key=f"empty_state_{part}"):
        st.markdown(words)


def scrolling_column(key: str) -> DeltaGenerator:
    """Return a container for a column; it scrolls by itself if it is taller than the window.

    The wrapper moves: the container fills it from edge to edge.
    """
    place = st.container(key=key)
    st.html(
        "<style>"
        f"[data-testid='stLayoutWrapper']:has(> .st-key-{key}) {{ position: sticky; top: 4.5rem; }}"
        f".st-key-{key} {{ max-height: calc(100vh - 6rem); overflow-y: auto; padding: 0 2px; }}"
        "</style>"
    )
    return place


_RULES = Path(__file__).with_name("style.css").read_text(encoding="utf-8")


def apply() -> None:
    # Dialogs and popovers lie outside what Streamlit tells its theme to, and light-dark() would take them for light.
    st.html(f"<style>{_RULES}body {{ color-scheme: {st.context.theme.type or 'light'}; }}</style>")


PACKAGE = "pages.components"


def load_screens() -> None:
    gc.disable()  # what is being loaded stays, and was looked through for garbage in a quarter of the start's time
    try:
        for module in walk_packages(import_module(PACKAGE).__path__, f"{PACKAGE}."):
            import_module(module.name)
        load_rules()  # imported when first opened, as judges of vendors are, but screens open it to say what it can do
        gc.collect()
        # Streamlit collects garbage after each redraw. Without what stays anyway that takes .17 s less.
        gc.freeze()
    finally:
        gc.enable()
