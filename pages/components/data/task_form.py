"""Form of the task: what the texts are called, in prompts and on screens."""

from dataclasses import replace

import streamlit as st

from app.domain.project import Project
from app.errors import WorkbenchError
from app.services.data.projects import save_task
from app.services.runtime.workbench import Workbench
from pages.components.shell.browser.kept_typing import saved_typing
from pages.components.shell.words import show_error

_SAVED = "task_saved"
_FIELDS = ("text_name", "source_name", "writer_name", "description", "language")


def task_form(workbench: Workbench, project: Project) -> None:
    task = project.task
    if st.session_state.pop(_SAVED, False):
        st.success("Saved.", icon=":material/check_circle:")
    with st.form("task_form", border=False):
        edited = replace(
            task,
            text_name=st.text_input(
                "A text is called", task.text_name, key=f"task_text_name_{project.id}", placeholder="summary"
            ).strip(),
            source_name=st.text_input(
                "Its source is called", task.source_name, key=f"task_source_name_{project.id}", placeholder="article"
            ).strip(),
            writer_name=st.text_input(
                "Its writer is called",
                task.writer_name,
                key=f"task_writer_name_{project.id}",
                placeholder="agent, student, system",
            ).strip(),
            description=st.text_area(
                "About the texts",
                task.description,
                key=f"task_description_{project.id}",
                help="A sentence or two for people and models who have not seen these texts before.",
            ).strip(),
            language=st.text_input(
                "Language",
                task.language,
                key=f"task_language_{project.id}",
                help="Of the texts. Models write attributes and questions in it.",
            ).strip(),
        )
        save = st.form_submit_button("Save the wording", key="save_task")
    if save:
        try:
            save_task(workbench, project.id, edited)
        except WorkbenchError as error:
            show_error(error)
            return
        saved_typing(*(f"task_{field}_{project.id}" for field in _FIELDS))
        st.session_state[_SAVED] = True
        st.rerun()
