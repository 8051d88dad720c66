"""From a question that was looked at to the place where it can be changed."""

from collections.abc import Iterable

import streamlit as st

from app.domain.checklist import Question
from app.domain.people import Right
from app.errors import WorkbenchError
from app.services.checklists.checklists import versions_of
from app.services.results.result_texts import Disagreement, disagreements, draft_to_edit
from app.services.results.results import DimensionResult
from app.services.runtime.use_case import may
from app.services.runtime.workbench import Workbench
from pages.components.shell.browser.page_scripts import want_focus
from pages.components.shell.checklists.build_words import WayBack, remember_way
from pages.components.shell.checklists.publishing import VERSION, show_version
from pages.components.shell.checklists.question_editor import EDITOR, QUESTION, known_editor, note_opened
from pages.components.shell.navigation.screens import go
from pages.components.shell.words import button_label, show_error

ASKED_AGAIN = 20  # texts, as many as a page of the list holds


def edit_question(
    workbench: Workbench,
    result: DimensionResult,
    question: Question,
    key: str,
    listed: Iterable[Disagreement] | None = None,
) -> None:
    """One click leads to the Checklist screen, where this question is open in a draft and ready to type in.

    `listed` are the texts that the person looks at, furthest from people first; all of the result without. The
    Checklist's own address says what it shows and nothing of this screen.
    """
    if not may(workbench, Right.EDIT, dimension_id=result.dimension.id) or not st.button(
        button_label("Edit this question", question.text),
        key=key,
        icon=":material/edit:",
        type="tertiary",
        help="In the newest draft that holds it; one is started if there is none.",
    ):
        return
    dimension_id = result.dimension.id
    try:
        draft, there = draft_to_edit(workbench, dimension_id, question)
    except WorkbenchError as error:
        show_error(error)
        return
    found = disagreements(result.compared) if listed is None else listed
    texts = tuple(each.row.text for each in found)[:ASKED_AGAIN]
    remember_way(WayBack(dimension_id, result.run.id, texts, st.query_params.to_dict()))
    show_version(draft.version)
    note_opened(there)
    want_focus(there.id)
    address = {QUESTION: str(there.id)}
    if draft.version != versions_of(workbench, dimension_id)[0].version:
        address[VERSION] = str(draft.version)
    if name := known_editor():
        address[EDITOR] = name
    go("checklist", address)
