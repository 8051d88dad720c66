"""A file to import: which one, read as what, into which project."""

import streamlit as st

from app.domain.project import Project
from app.errors import WorkbenchError
from app.services.data.projects import list_projects
from app.services.data.uploads import SUFFIXES, UPLOAD_FORMATS, Upload, UploadPreview, preview_upload, start_import
from app.services.runtime.workbench import Workbench
from pages.components.data.column_mapping import ColumnChoice, column_choice
from pages.components.data.import_watch import IMPORTING
from pages.components.shell.words import plain, show_error

INTO_NEW = "a new project"
NAMED = "auto finds out by itself. The named ones are published datasets that are read as they were published."
_PREVIEW = "upload_preview"


def import_form(workbench: Workbench, project: Project | None) -> None:
    """The import starts in the background; the screen shows how far it is and what came in."""
    left, right = st.columns([3, 2], gap="large")
    with left:
        file = st.file_uploader(
            "A file with texts and ratings", type=list(SUFFIXES), key="import_file", help="CSV, TSV, JSON or Parquet."
        )
    with right:
        format_name = st.selectbox("Format", UPLOAD_FORMATS, key="import_format", help=NAMED)
        target = _target(workbench, project)
    if file is None:
        st.caption("One row a text: the text, what it was written from, who wrote it, and one column a human rating.")
        return
    upload = Upload(file.name, file.getvalue())
    try:
        preview = _preview(file.file_id, upload, format_name)
    except WorkbenchError as error:
        show_error(error)
        return
    choice = ColumnChoice()
    if preview.guess is None:
        st.markdown(f"This is a file of the format **{plain(preview.format)}**, so there is nothing to map.")
    else:
        choice = column_choice(file.file_id, preview, preview.guess)
    missing = choice.missing if target else "The new project needs a name of its own."
    if missing:
        st.caption(f":material/info: {missing}")
    into = plain(target) or "the project"
    if st.button(f"Import into {into}", key="start_import", type="primary", disabled=bool(missing)):
        _start(workbench, upload, target, format_name, choice)


def _target(workbench: Workbench, project: Project | None) -> str:
    """The project's name; "" until a new one has got its own that is still free."""
    if project is not None:
        into = st.radio(
            "Import into", [project.name, INTO_NEW], format_func=plain, key=f"import_into_{project.id}", horizontal=True
        )
        if into == project.name:
            return project.name
    name = st.text_input("Name of the new project", key="import_new_project", placeholder="for example Essays")
    if any(other.name == name.strip() for other in list_projects(workbench)):
        st.error(f"There is already a project “{plain(name)}”. Choose another name, or open it on Home.")
        return ""
    return name.strip()


def _preview(file_id: str, upload: Upload, format_name: str) -> UploadPreview:
    """Read once per file and format, not at every click."""
    known = st.session_state.get(_PREVIEW)
    if known is None or known[:2] != (file_id, format_name):
        known = (file_id, format_name, preview_upload(upload, format_name))
        st.session_state[_PREVIEW] = known
    preview: UploadPreview = known[2]
    return preview


def _start(workbench: Workbench, upload: Upload, target: str, format_name: str, choice: ColumnChoice) -> None:
    try:
        start_import(workbench, upload, target, format_name, choice.mapped)
    except WorkbenchError as error:
        show_error(error)
        return
    st.session_state[IMPORTING] = target
    st.rerun()
