"""A new project: empty, or with the wording and dimensions of a preset."""

import streamlit as st

from app.domain.project import Task
from app.errors import WorkbenchError
from app.services.data.projects import create_from_preset, create_project, preset_dimensions, preset_names
from app.services.runtime.workbench import Workbench
from pages.components.shell.browser.page_scripts import saved_typing
from pages.components.shell.current import choose
from pages.components.shell.navigation.screens import go
from pages.components.shell.words import show_error

BLANK = "blank"


def new_project(workbench: Workbench) -> None:
    """A form; the new project becomes the current one and Data opens, where its texts are imported."""
    with st.form("new_project_form", border=False):
        name = st.text_input("Name of the project", placeholder="for example Summaries 2026", key="new_project_name")
        preset = st.selectbox(
            "Kind of texts",
            [*preset_names(), BLANK],
            format_func=_described,
            key="new_project_preset",
            help="Gives a first wording and rubrics, which you can change. A blank project takes its dimensions from "
            "the file you import.",
        )
        create = st.form_submit_button("Create the project", key="create_project")
    if not create:
        return
    try:
        if preset == BLANK:
            project = create_project(workbench, name, Task())
        else:
            project = create_from_preset(workbench, name, preset)
    except WorkbenchError as error:
        show_error(error)
        return
    saved_typing("new_project_name")
    choose(project.name)
    go("data")


def _described(preset: str) -> str:
    return preset if preset == BLANK else f"{preset}: {', '.join(preset_dimensions(preset))}"
