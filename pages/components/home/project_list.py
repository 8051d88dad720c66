"""The projects, one row each: open one, or delete it once asked twice."""

from collections.abc import Sequence
from math import ceil

import streamlit as st

from app.domain.project import Project
from app.errors import WorkbenchError
from app.services.data.projects import Overview, delete_project, overview, progress_words
from app.services.runtime.workbench import Workbench
from pages.components.shell import local_time
from pages.components.shell.current import choose
from pages.components.shell.words import plain, show_error

PAGE_SIZE = 10
WIDTHS = (4, 2, 2, 4, 3, 3)


def project_list(workbench: Workbench, projects: Sequence[Project], current: Overview) -> None:
    """Newest first, a page at a time."""
    number = 1
    pages = ceil(len(projects) / PAGE_SIZE)
    with st.container(key="projects", gap="small"):
        for column, title in zip(
            st.columns(WIDTHS), ("Name", "Texts", "Dimensions", "How far", "Created", ""), strict=True
        ):
            column.caption(title)
        rows = st.container(gap="xsmall")
        if pages > 1:
            number = st.pagination(pages, key="projects_page")
        with rows:
            for project in projects[(number - 1) * PAGE_SIZE : number * PAGE_SIZE]:
                is_current = project.id == current.project.id
                _row(workbench, project, current if is_current else overview(workbench, project.id), is_current)


def _row(workbench: Workbench, project: Project, progress: Overview, is_current: bool) -> None:
    name, texts, dimensions, far, created, actions = st.columns(WIDTHS, vertical_alignment="center")
    name.markdown(f"**{plain(project.name)}**" if is_current else plain(project.name))
    texts.markdown(f"{progress.texts:,}")
    dimensions.markdown(str(len(progress.dimensions)))
    far.markdown(progress_words(progress))
    created.markdown(local_time.said(project.created_at, local_time.DAY))
    with actions.container(horizontal=True, horizontal_alignment="right", gap="xsmall"):
        if is_current:
            st.button("Open", key=f"open_{project.id}", disabled=True, help="This project is open.")
        elif st.button("Open", key=f"open_{project.id}"):
            choose(project.name)
            st.rerun()
        if st.button("Delete", key=f"delete_{project.id}", type="tertiary"):
            _confirm(workbench, project)


@st.dialog("Delete this project?")
def _confirm(workbench: Workbench, project: Project) -> None:
    st.markdown(
        f"**{plain(project.name)}** goes with its texts, ratings, attributes, checklists and scores. "
        "This can't be undone."
    )
    with st.container(horizontal=True):
        if st.button("Delete for good", key="delete_for_good", type="primary"):
            try:
                delete_project(workbench, project.name)
            except WorkbenchError as error:
                show_error(error)
                return
            st.rerun()
        if st.button("Keep it", key="keep_it"):
            st.rerun()
