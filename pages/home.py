"""Overview: what is ready to do in this project, and the other projects."""

import streamlit as st

from app.services.data.projects import list_projects, overview
from pages.components.home.demo import DEMO_JOB, demo, enter_finished_demo
from pages.components.home.experts_table import experts_table
from pages.components.home.new_project import new_project
from pages.components.home.progress_table import progress_table
from pages.components.home.project_file import bring_in
from pages.components.home.project_list import project_list
from pages.components.home.ready import ready
from pages.components.shell.background import watch
from pages.components.shell.current import current_project, current_workbench
from pages.components.shell.expert import current_expert
from pages.components.shell.frame import header
from pages.components.shell.words import plain

PURPOSE = (
    "People and language models (LLMs) say what makes a text good. From that a checklist is made, a judge answers it "
    "for every text, and you see how far the scores agree with people."
)

workbench = current_workbench()
enter_finished_demo(workbench)
project = current_project(workbench)
header("Overview", PURPOSE, project)
watch(DEMO_JOB)

if project is None:
    left, right = st.columns(2, gap="large")
    with left:
        st.subheader("See it on demo data", anchor=False)
        demo(workbench, primary=True)
    with right:
        st.subheader("Start with your own texts", anchor=False)
        new_project(workbench)
        with st.expander("A project from a file", key="from_file"):
            bring_in(workbench)
    st.stop()

progress = overview(workbench, project.id)
st.subheader(plain(project.name), anchor=False)
ready(progress)
with st.expander("All figures", key="figures"):
    progress_table(progress)
if not current_expert():
    experts_table(workbench, project.id)

st.subheader("Projects", anchor=False)
project_list(workbench, list_projects(workbench), progress)

st.space("small")
left, right = st.columns(2, gap="large")
with left:
    with st.expander("New project", key="new_project"):
        new_project(workbench)
    with st.expander("A project from a file", key="from_file"):
        bring_in(workbench)
with right:
    demo(workbench, primary=False)
