"""The head of every screen, and what it says where there is nothing to show."""

from collections.abc import Mapping

import streamlit as st

from app.domain.project import Project
from app.domain.task import Dimension
from app.services.runtime.workbench import Workbench
from pages.components.shell.current import current_dimension, current_project
from pages.components.shell.navigation.screens import go, is_open


def header(title: str, purpose: str, project: Project | None = None) -> None:
    """The same on each screen: what it is called, and what it is for in one line."""
    st.title(title, anchor=False)
    st.markdown(purpose)
    if project is not None and project.notice:
        st.info(project.notice, icon=":material/info:")


def needs_project(workbench: Workbench, title: str, purpose: str) -> Project:
    """The header of a screen about a project; without a project it says what to do and ends the screen."""
    project = current_project(workbench)
    if project is None:
        header(title, purpose)
        todo = "Import a file on Texts, which makes one, or try the demo on Overview."
        empty("There is no project yet.", todo, "data", "Go to Texts")
        st.stop()
    header(title, purpose, project)
    return project


def needs_dimension(workbench: Workbench, title: str, purpose: str) -> tuple[Project, Dimension]:
    """The header of a screen about one dimension."""
    project = needs_project(workbench, title, purpose)
    dimension = current_dimension(workbench, project)
    if dimension is None:
        todo = "Say what quality the texts are judged on."
        section = {"section": "Dimensions and wording"}
        empty("This project has no dimension yet.", todo, "data", "Add a dimension", section)
        st.stop()
        raise AssertionError("stop ends the screen")
    return project, dimension


def empty(what: str, todo: str, target: str, button: str, parameters: Mapping[str, str] | None = None) -> None:
    """An empty screen says what to do next, and one button leads there."""
    st.markdown(f"**{what}** {todo}")
    if is_open(target) and st.button(button, key=f"empty_to_{target}", type="primary"):
        go(target, parameters)
