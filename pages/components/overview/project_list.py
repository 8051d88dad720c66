"""The projects, one row each: open one, or delete it once asked twice."""

from collections.abc import Sequence
from math import ceil

import streamlit as st

from app.domain.people import Right
from app.domain.project import Project, Task
from app.errors import WorkbenchError
from app.services.background.jobs import is_active
from app.services.data.locked_split import state_of
from app.services.data.projects import (
    Overview,
    create_from_preset,
    create_project,
    delete_project,
    list_projects,
    overview,
    preset_dimensions,
    preset_names,
    progress_words,
)
from app.services.demo import DEMO_JOB, DEMO_PROJECT, begin_demo
from app.services.runtime.use_case import may
from app.services.runtime.workbench import Workbench
from pages.components.shell import words
from pages.components.shell.browser.page_scripts import saved_typing
from pages.components.shell.current import choose, was_pressed
from pages.components.shell.navigation.screens import go
from pages.components.shell.tables import column_names, named_value
from pages.components.shell.upload_field import upload_field
from pages.components.shell.words import button_label, plain, show_error


@st.dialog("Take this project along")
def take_along(workbench: Workbench, project: Project) -> None:
    from app.services.data.project_transfer import project_bytes, transfer_name  # noqa: PLC0415 - Overview opens fast

    st.markdown(
        f"**{plain(project.name)}** as one file, to go on with on another computer: texts (those of a locked test "
        "split too), ratings, attributes, checklists with their history, runs, scores, recordings, and each reply "
        "that was paid for. It holds no keys."
    )
    st.download_button(
        "Download the project",
        lambda: project_bytes(workbench, project.name),
        transfer_name(project.name),
        "application/zip",
        key="download_project",
        type="primary",
        icon=":material/download:",
        on_click="ignore",
        help="Large projects take a while to pack.",
    )
    st.caption("On the other computer it comes in on Overview, under “A project from a file”.")


def bring_in(workbench: Workbench) -> None:
    """The project becomes the current one; nothing that is here changes."""
    from app.services.data.project_transfer import import_uploaded_project  # noqa: PLC0415 - Overview opens fast

    with st.form("bring_in_form", border=False):
        file = upload_field(workbench, "A file that “Export project” wrote", ["zip"], "project_file")
        name = st.text_input("Name here", placeholder="its own", key="project_file_name")
        wanted = was_pressed("Bring the project in", "bring_in", form=True)
    if not wanted:
        return
    if file is None:
        st.error("Choose a file first.")
        return
    try:
        with st.spinner("Bringing the project in"):
            done = import_uploaded_project(workbench, file.getvalue(), name)
    except WorkbenchError as error:
        show_error(error)
        return
    saved_typing("project_file_name")
    choose(done.project)
    st.rerun()


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
        why = "This project is open." if is_current else None
        if was_pressed(opening, key=f"open_{project.id}", disabled=is_current, help=why):
            choose(project.name)
            st.rerun()
        if not may(workbench, Right.FACILITATE, project_id=project.id):
            return
        if was_pressed(button_label("Export project", project.name), key=f"take_{project.id}", type="tertiary"):
            take_along(workbench, project)
        if was_pressed(button_label("Delete", project.name), key=f"delete_{project.id}", type="tertiary"):
            _confirm(workbench, project)


@st.dialog("Delete this project?")
def _confirm(workbench: Workbench, project: Project) -> None:
    from app.services.results.archive import archive_bytes, archive_name  # noqa: PLC0415 - Overview opens fast

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
        if was_pressed("Delete for good", key="delete_for_good"):
            try:
                delete_project(workbench, project.name)
            except WorkbenchError as error:
                show_error(error)
                return
            st.rerun()
        if was_pressed("Keep the project", key="keep_it"):
            st.rerun()


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
        create = was_pressed("Create the project", "create_project", form=True)
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
    go("texts")


def _described(preset: str) -> str:
    return preset if preset == BLANK else f"{preset}: {', '.join(preset_dimensions(preset))}"


_STARTED = "demo_started"


def demo(workbench: Workbench, primary: bool) -> None:
    """What the demo is and the button that runs it; nothing once it has run to its end."""
    if _finished(workbench):
        return
    st.markdown(
        "The demo is a finished project on made-up news summaries: attributes, checklists, answers, decisions and "
        "results. Its experts, LLMs and raters are simulated, and its judge is a set of fixed text rules, not an LLM. "
        "It needs no key and sends nothing anywhere."
    )
    running = is_active(workbench, DEMO_JOB)
    if was_pressed("Try the demo", key="try_demo", type="primary" if primary else "secondary", disabled=running):
        st.session_state[_STARTED] = True
        begin_demo(workbench)
        st.rerun()


def enter_finished_demo(workbench: Workbench) -> None:
    """Make the demo the current project where this session asked for it and it has ended."""
    if st.session_state.get(_STARTED) and not is_active(workbench, DEMO_JOB):
        del st.session_state[_STARTED]
        if any(project.name == DEMO_PROJECT for project in list_projects(workbench)):
            choose(DEMO_PROJECT)
            st.rerun()


def _finished(workbench: Workbench) -> bool:
    found = next((p for p in list_projects(workbench) if p.name == DEMO_PROJECT), None)
    if found is None:
        return False
    dimensions = overview(workbench, found.id).dimensions
    return bool(dimensions) and all(d.run is not None and d.run.done == d.run.all for d in dimensions)
