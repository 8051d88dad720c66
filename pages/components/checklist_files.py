"""A checklist as a file: out in several forms, in from JSON or YAML."""

import re

import streamlit as st

from app.errors import WorkbenchError
from app.services.checklists import EXPORT_FORMATS, ChecklistView, export_file, import_checklist_file
from app.services.workbench import Workbench
from pages.components.checklist_versions import show_next
from pages.components.words import show_error

FORMATS = {
    "json": ("JSON", "application/json"),
    "yaml": ("YAML", "application/yaml"),
    "md": ("Markdown", "text/markdown"),
    "csv": ("CSV", "text/csv"),
}


def export_(view: ChecklistView) -> None:
    """One button for the chosen form; JSON and YAML can be imported again."""
    with st.expander("Export", key="export"):
        chosen = st.segmented_control(
            "Format",
            EXPORT_FORMATS,
            default=EXPORT_FORMATS[0],
            required=True,
            format_func=lambda name: FORMATS[name][0],
            key="export_format",
        )
        name = re.sub(r"[^\w-]+", "_", f"{view.project.name}_{view.dimension.name}")
        st.download_button(
            "Download",
            export_file(view, chosen),
            f"{name}_v{view.checklist.version}.{chosen}",
            FORMATS[chosen][1],
            key="download",
            on_click="ignore",
        )


def import_(workbench: Workbench, dimension_id: int) -> None:
    with st.expander("Import", key="import"), st.form("import_form", border=False):
        file = st.file_uploader("A checklist as JSON or YAML", type=["json", "yaml", "yml"], key="import_file")
        if st.form_submit_button("Import as a new draft", key="import_submit"):
            _import(workbench, dimension_id, file.getvalue() if file else None)


def _import(workbench: Workbench, dimension_id: int, data: bytes | None) -> None:
    if data is None:
        st.error("Choose a file first.")
        return
    try:
        show_next(import_checklist_file(workbench, dimension_id, data))
    except WorkbenchError as error:
        show_error(error)
    else:
        st.rerun()
