"""Every prompt the program sends, as this project words it."""

import streamlit as st

from app.services.runtime.prompts import project_prompts
from pages.components.prompts import changes, choice, preview_of, prompt_editor, wordings
from pages.components.shell.current import current_dimension, current_workbench
from pages.components.shell.frame import needs_project

workbench = current_workbench()
project = needs_project(
    workbench,
    "Prompts",
    "What models are told, word for word. A wording of your own counts for this project from the next answer on; every "
    "answer stays linked to the wording it was given.",
)
prompt = choice(project_prompts(workbench, project.id))
left, right = st.columns([3, 2], gap="large")
with left:
    shown = wordings(workbench, project.id, prompt)
    prompt_editor(workbench, project.id, prompt, shown)
with right:
    changes(prompt, shown)
    preview_of(prompt, shown, project.task, current_dimension(workbench, project))
    st.caption(f"Texts are in {project.task.language}; this can be changed on Texts, under “Dimensions and wording”.")
