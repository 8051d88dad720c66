"""Asking of models in the background."""

from collections.abc import Sequence

import streamlit as st

from app.domain.project import Project
from app.domain.task import Dimension
from app.errors import WorkbenchError
from app.services.background.jobs import is_active
from app.services.runtime.workbench import Workbench
from app.services.think_aloud.think_aloud_jobs import begin_think_aloud, think_aloud_job_key
from pages.components.shell.words import number, show_error


def ask_button(
    workbench: Workbench, project: Project, dimensions: Sequence[Dimension], models: Sequence[str], batch: str
) -> None:
    running = is_active(workbench, think_aloud_job_key(project.id, dimensions))
    if st.button(f"Ask {number(len(models), 'model')}", key="ask", type="primary", disabled=running or not models):
        try:
            begin_think_aloud(workbench, project, dimensions, models, batch)
        except WorkbenchError as error:
            show_error(error)
            return
        st.rerun()
