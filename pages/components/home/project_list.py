"""The projects, one row each: open one, or delete it once asked twice."""

from collections.abc import Sequence
from math import ceil

import streamlit as st

from app.domain.people import Right
from app.domain.project import Project
from app.errors import WorkbenchError
from app.services.data.locked_split import state_of
from app.services.data.projects import Overview, delete_project, overview, progress_words
from app.services.runtime.use_case import may
from app.services.runtime.workbench import Workbench
from pages.components.home.project_file import take_along
from pages.components.shell import words
from pages.components.shell.current import choose
from pages.components.shell.tables import column_names, named_value
from pages.components.shell.words import button_label, plain, show_error

PAGE_SIZE = 10
WIDTHS = (4, 2, 2, 4, 2, 5)
_NAMES = ("Name", "Texts", "Dimensions", "Progress", "Created", "")


def project_list(workbench: Workbench, projects: Sequence[Project], current: Overview) -> None:
    """Newest first, a page at a time."""
    number = 1
    pages = ceil(len(projects) / PAGE_SIZE)
    with st.container(key="projects", gap="small"):
        column_names("projects", WIDTHS, _NAMES)
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
    values = (
        f"{progress.texts:,}",
        str(len(progress.dimensions)),
        progress_words(progress),
        words.said(project.created_at, words.DAY),
    )
    for column, title, value in zip((texts, dimensions, far, created), _NAMES[1:], values, strict=False):
        column.markdown(named_value(title, value))
    with actions.container(horizontal=True, horizontal_alignment="right", gap="xsmall"):
        opening = button_label("Open", project.name)
        if is_current:
            st.button(opening, key=f"open_{project.id}", disabled=True, help="This project is open.")
        elif st.button(opening, key=f"open_{project.id}"):
            choose(project.name)
            st.rerun()
        if not may(workbench, Right.FACILITATE, project_id=project.id):
            return
        if st.button(button_label("Take along", project.name), key=f"take_{project.id}", type="tertiary"):
            take_along(workbench, project)
        if st.button(button_label("Delete", project.name), key=f"delete_{project.id}", type="tertiary"):
            _confirm(workbench, project)


@st.dialog("Delete this project?")
def _confirm(workbench: Workbench, project: Project) -> None:
    from app.services.results.archive.project_archive import archive_bytes, archive_name  # noqa: PLC0415 - Overview opens fast

    st.markdown(
        f"**{plain(project.name)}** goes with its texts, ratings, attributes, checklists and scores. "
        "This can't be undone."
    )
    st.markdown("You can keep a copy: one ZIP file with all of these as tables and documents.")
    locked = state_of(workbench, project.id)
    if locked:
        st.caption(
            f"The {locked.texts:,} texts of the locked test split stay out of it. To keep them too, open the split on "
            "Texts first."
        )
    st.download_button(
        "Download a copy first",
        lambda: archive_bytes(workbench, project.id),
        archive_name(project.name),
        "application/zip",
        key="download_archive",
        type="primary",
        icon=":material/download:",
        on_click="ignore",
        help="The file opens on any computer. Large projects take a while to pack.",
    )
    with st.container(horizontal=True):
        if st.button("Delete for good", key="delete_for_good"):
            try:
                delete_project(workbench, project.name)
            except WorkbenchError as error:
                show_error(error)
                return
            st.rerun()
        if st.button("Keep the project", key="keep_it"):
            st.rerun()
