"""The texts of a project: bring them in, look at them, say what they are judged on."""

import streamlit as st

from app.services.data.projects import dimensions_named, overview, used_dimensions
from pages.components.shell.current import current_dimension, current_project, current_workbench, hold, keep
from pages.components.shell.frame import header, nothing_yet
from pages.components.shell.held_out_split import held_out_split
from pages.components.texts.import_form import import_form, import_report, preferences_form, show_report, watch_import
from pages.components.texts.text_list import add_dimension_form, dimension_form, sample_change, task_form, texts_to_read

TEXTS, IMPORT, JUDGED, SAMPLES, SPLIT = SECTIONS = (
    "Texts",
    "Import",
    "Dimensions and wording",
    "Samples",
    "Test split",
)
PURPOSE = "Bring in texts with the ratings people gave them, look at them, and say what they are judged on."

workbench = current_workbench()
project = current_project(workbench)
header("Texts", PURPOSE, project)
arrived = watch_import(workbench, project)
if project is None:
    st.markdown("**There is no project yet.** The first file you import makes one.")
    import_form(workbench, None)
    st.stop()

choice = f"data_section_{project.id}"


def open_section(name: str) -> None:
    st.session_state[choice] = name


import_report(workbench, project, open_section)
if arrived:
    show_report()
texts = overview(workbench, project.id).texts
first = TEXTS if texts else IMPORT
if arrived or choice not in st.session_state:
    wanted = st.query_params.get("section")
    st.session_state[choice] = wanted if wanted in SECTIONS and not arrived else first
hold(choice, first)
section = st.segmented_control("Section", SECTIONS, required=True, key=choice, label_visibility="collapsed")
keep("section", section or first, first)
if section == IMPORT:
    import_form(workbench, project)
    preferences_form(workbench, project)
elif section == JUDGED:
    current = current_dimension(workbench, project)
    left, right = st.columns([3, 2], gap="large")
    with left:
        st.subheader("Dimensions", anchor=False)
        used = used_dimensions(workbench, project.id)
        for dimension in dimensions_named(workbench, project.name, "all"):
            is_current = current is not None and dimension.id == current.id
            dimension_form(workbench, project, dimension, expanded=is_current, used=dimension.id in used)
        add_dimension_form(workbench, project, expanded=current is None)
    with right:
        st.subheader("Task wording", anchor=False)
        task_form(workbench, project)
elif section == SAMPLES and texts:
    sample_change(workbench, project)
elif section == SPLIT and texts:
    held_out_split(workbench, project)
elif not texts:
    nothing_yet("texts", "**This project has no texts yet.** Choose Import above and bring in a file.")
else:
    texts_to_read(workbench, project)
