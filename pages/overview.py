"""Overview: what is ready to do in this project, and the other projects."""

import streamlit as st

from app.domain.roles_and_rights import Right, Role
from app.services.data.projects import list_projects, overview
from app.services.demo import DEMO_JOB
from app.services.runtime.workbench import may
from pages.components.overview import (
    bring_in,
    demo,
    enter_finished_demo,
    my_work,
    new_project,
    progress_table,
    project_list,
    ready,
)
from pages.components.shell.background import watch
from pages.components.shell.current import current_expert, current_project, current_workbench, role_in
from pages.components.shell.frame import header
from pages.components.shell.labels import plain
from pages.components.shell.navigation.screens import MY_WORK, link

PURPOSE = (
    "People and language models (LLMs) say what makes a text good. From that a checklist is made, a judge answers it "
    "for every text, and you see how far the scores agree with people."
)

workbench = current_workbench()
enter_finished_demo(workbench)
project = current_project(workbench)
if project is not None and role_in(workbench, project) is Role.EXPERT:
    header(MY_WORK, "What is yours to do in this project, and how far you are.", project)
    my_work(workbench, project, current_expert())
    st.stop()
header("Overview", PURPOSE, project)
watch(workbench, DEMO_JOB)

serves, begins = may(workbench, Right.SERVE), may(workbench, Right.BEGIN)
if project is None and not begins:
    st.markdown("**You have no part in any project yet.** Open the link that you were sent, or ask for one.")
    st.stop()
if project is None:
    left, right = st.columns(2, gap="large")
    if serves:
        with left:
            st.subheader("See it on demo data", anchor=False)
            demo(workbench, primary=True)
    with right:
        st.subheader("Start with your own texts", anchor=False)
        new_project(workbench)
        if serves:
            with st.expander("A project from a file", key="from_file"):
                bring_in(workbench)
    st.stop()

progress = overview(workbench, project.id)
st.subheader(plain(project.name), anchor=False)
ready(workbench, progress)
if any(dimension.attributes for dimension in progress.dimensions):
    link("compare", "Compare people and LLMs: who noticed what, and each one's topics", icon=":material/scatter_plot:")
link("people", "People: how far experts are, who did what")
with st.expander("All figures", key="figures"):
    progress_table(progress)
if not begins:
    st.stop()
st.subheader("Projects", anchor=False)
project_list(workbench, list_projects(workbench), progress)

st.space("small")
left, right = st.columns(2, gap="large")
with left:
    with st.expander("New project", key="new_project"):
        new_project(workbench)
    if serves:
        with st.expander("A project from a file", key="from_file"):
            bring_in(workbench)
if serves:
    with right:
        demo(workbench, primary=False)
