"""From attributes to a draft checklist, stage by stage."""

import streamlit as st

from app.domain.attribute import AttributeStatus
from app.domain.build import Stage
from app.services.building.build import build_job_key
from app.services.building.build_state import builds_of, versions_built_whole, view_build
from pages.components.how_it_was_made.options import (
    EDITED_HERE,
    NEW_BUILD,
    chosen_build,
    close_when_started,
    history,
    new_build,
    older_builds,
    shown_build,
)
from pages.components.how_it_was_made.stepper import stepper
from pages.components.shell.background import watch
from pages.components.shell.blinding import open_attributes
from pages.components.shell.browser.page_scripts import unsaved_typing
from pages.components.shell.checklists.publishing import PURPOSES, TITLES
from pages.components.shell.current import current_workbench
from pages.components.shell.frame import empty, needs_dimension
from pages.components.shell.labels import show_saved_error
from pages.components.shell.navigation.screens import link
from pages.components.shell.runs.run_words import llms_word

workbench = current_workbench()
project, dimension = needs_dimension(
    workbench,
    "How it was made",
    "Turn the attributes into a checklist of yes/no questions, in five stages. Change what each stage made, then go "
    "on; nothing is overwritten.",
)
attributes = open_attributes(workbench, project, dimension, "how the checklist is built")
builds = builds_of(workbench, dimension.id)
if not builds and not any(attribute.status is AttributeStatus.ACTIVE for attribute in attributes):
    empty("There are no attributes in use yet.", "Say first what to look for.", "think_aloud", "Think aloud")
    st.stop()

running = [watch(workbench, build_job_key(project.id, scope)) for scope in (dimension.id, 0)]
busy = any(running)
show_saved_error("build_problem")
if made := st.session_state.pop("made_version", ""):
    with st.container(horizontal=True, vertical_alignment="center"):
        st.success(made, icon=":material/check_circle:")
        link("checklist", "Open the checklist")
chosen = chosen_build(builds)
if chosen is None:
    left, right = st.columns([1, 2], gap="large")
    with left:
        new_build(workbench, project, dimension, attributes, busy)
    with right:
        older_builds(versions_built_whole(workbench, dimension.id))
        for position, stage in enumerate(Stage, start=1):
            st.markdown(f"{position}\\. **{TITLES[stage]}.** {PURPOSES[stage]}")
    st.stop()
which, more = st.columns([3, 2], gap="large", vertical_alignment="bottom")
with which:
    build_id = shown_build(builds, llms_word(attributes))
with more, st.container(horizontal=True, horizontal_alignment="right"):
    with st.popover("History", icon=":material/history:", key="build_history"):
        history(workbench, build_id)
    with st.popover("Start a new build", icon=":material/add:", key=NEW_BUILD):
        new_build(workbench, project, dimension, attributes, busy)
close_when_started()
unsaved_typing(*EDITED_HERE)
stepper(workbench, view_build(workbench, build_id), busy)
