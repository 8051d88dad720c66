"""A whole project as one file: taken along to another computer, and brought in from one."""

import streamlit as st

from app.domain.project import Project
from app.errors import WorkbenchError
from app.services.runtime.workbench import Workbench
from pages.components.shell.browser.page_scripts import saved_typing
from pages.components.shell.current import choose
from pages.components.shell.upload_field import upload_field
from pages.components.shell.words import plain, show_error


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
        file = upload_field(workbench, "A file that “Take along” wrote", ["zip"], "project_file")
        name = st.text_input("Name here", placeholder="its own", key="project_file_name")
        wanted = st.form_submit_button("Bring the project in", key="bring_in")
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
