"""From a question that was looked at to the place where it can be changed."""

import streamlit as st

from app.domain.checklist import Question
from app.errors import WorkbenchError
from app.services.result_texts import version_to_edit
from app.services.workbench import Workbench
from pages.components.checklist_versions import show_version
from pages.components.question_editor import open_question
from pages.components.shell import page
from pages.components.words import show_error


def edit_question(workbench: Workbench, dimension_id: int, question: Question, key: str) -> None:
    """One click leads to the Checklist screen, at this question."""
    if not st.button("Edit this question", key=key, icon=":material/edit:", type="tertiary"):
        return
    try:
        version, there = version_to_edit(workbench, dimension_id, question)
    except WorkbenchError as error:
        show_error(error)
        return
    show_version(version)
    open_question(there)
    st.switch_page(page("checklist"))
