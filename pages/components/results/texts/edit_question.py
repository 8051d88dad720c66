"""From a question that was looked at to the place where it can be changed."""

import streamlit as st

from app.domain.checklist import Question
from app.errors import WorkbenchError
from app.services.checklists.checklists import versions_of
from app.services.results.result_texts import draft_to_edit
from app.services.runtime.workbench import Workbench
from pages.components.shell.checklists.checklist_versions import VERSION, show_version
from pages.components.shell.checklists.editor_name import EDITOR, known_editor
from pages.components.shell.checklists.question_editor import QUESTION, note_opened
from pages.components.shell.navigation.screens import go
from pages.components.shell.words import show_error


def edit_question(workbench: Workbench, dimension_id: int, question: Question, key: str) -> None:
    """One click leads to the Checklist screen, where this question is open in a draft.

    The address keeps what this screen shows: the browser's way back leads through it. What the Checklist screen would
    add to the address is there already, since each change of it is one more step back.
    """
    if not st.button("Edit this question", key=key, icon=":material/edit:", type="tertiary"):
        return
    try:
        draft, there = draft_to_edit(workbench, dimension_id, question)
    except WorkbenchError as error:
        show_error(error)
        return
    show_version(draft.version)
    note_opened(there)
    address = st.query_params.to_dict() | {QUESTION: str(there.id)}
    if draft.version != versions_of(workbench, dimension_id)[0].version:
        address[VERSION] = str(draft.version)
    if name := known_editor():
        address[EDITOR] = name
    go("checklist", address)
