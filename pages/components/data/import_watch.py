"""An import that goes on in the background, and the way into the project it made."""

import streamlit as st

from app.domain.job import JobStatus
from app.domain.project import Project
from app.errors import NotFoundError
from app.services.background.jobs import job_state
from app.services.data.import_jobs import import_key
from app.services.data.projects import get_project
from app.services.runtime.workbench import Workbench
from pages.components.data.kept_upload import forget_upload
from pages.components.shell.background import watch
from pages.components.shell.current import choose

IMPORTING = "importing"


def watch_import(workbench: Workbench, project: Project | None) -> bool:
    """Progress of this session's import, or of one into the current project; at the end its project is opened.

    True where the import into the current project has just brought its texts.
    """
    target = st.session_state.get(IMPORTING, project.name if project else None)
    if target is None:
        return False
    state = job_state(workbench, import_key(target))
    if state is None or not state.active:
        mine = st.session_state.pop(IMPORTING, None) == target
        if mine and state is not None and state.status is JobStatus.DONE:
            forget_upload()
        if (project is None or project.name != target) and _is_there(workbench, target):
            choose(target)
            st.rerun()
    watch(workbench, import_key(target))
    return state is not None and state.status is JobStatus.DONE


def _is_there(workbench: Workbench, name: str) -> bool:
    try:
        get_project(workbench, name)
    except NotFoundError:
        return False
    return True
