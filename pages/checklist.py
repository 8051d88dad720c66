"""The checklist of one dimension: read, edit, publish, take out and bring in."""

import streamlit as st

from app.domain.checklist import ChecklistStatus
from app.domain.roles_and_rights import Right
from app.services.checklists.checklists import versions_of, view_checklist
from app.services.runtime.workbench import may
from pages.components.checklist.history import change_history, choose_part, export_, import_, print_download, undo_bar
from pages.components.checklist.improvements import tuning_bar
from pages.components.checklist.preview import checklist_trial
from pages.components.checklist.question_proposals import all_comments
from pages.components.checklist.questions import add_forms, question_list
from pages.components.shell.blinding import open_attributes
from pages.components.shell.browser.page_scripts import unsaved_typing
from pages.components.shell.checklists.publishing import EDITED_HERE, choose_version, standing, version_comparison
from pages.components.shell.checklists.question_editor import current_editor, editor_name
from pages.components.shell.current import current_project, current_workbench
from pages.components.shell.frame import empty, needs_dimension, scrolling_column
from pages.components.shell.navigation.screens import link

workbench = current_workbench()
here = current_project(workbench)
ABOUT = "The yes/no questions that a judge answers for every text."
if here is None or may(workbench, Right.FACILITATE, project_id=here.id):
    ABOUT += " They are yours: reword them, switch them off, add your own, then publish."
elif may(workbench, Right.EDIT, project_id=here.id):
    ABOUT += " In a draft you can reword and comment on them; the project's facilitator publishes it."
project, dimension = needs_dimension(workbench, "Checklist", ABOUT)
open_attributes(workbench, project, dimension, "the checklist")
versions = versions_of(workbench, dimension.id)
if not versions:
    empty("There is no checklist yet.", "Build one from the attributes.", "how_it_was_made", "Build the checklist")
    import_(workbench, dimension.id)
    st.stop()

who = current_editor()
part = choose_part()
unsaved_typing(*EDITED_HERE)
if part == "try":
    # The text comes first, also on a phone, where columns stack.
    chosen = st.container(width=480)
    texts, left = st.columns([3, 4], gap="large")
    with texts:
        reading = scrolling_column("try_reading")
    right = st.container()
else:
    left, right = st.columns([5, 2], gap="large")
    with right:
        chosen = right = scrolling_column("checklist_side")
with chosen:
    pinned = st.container()
    version = choose_version(versions, dimension.id)
    view = view_checklist(workbench, dimension.id, version)
    draft = view.checklist.status is ChecklistStatus.DRAFT
    standing(workbench, view)
with right:
    if may(workbench, Right.EDIT, dimension_id=dimension.id):
        editor_name(who)
    link("why_these_questions", "Where the questions come from")
    print_download(workbench, view)
    export_(workbench, view)
    if may(workbench, Right.FACILITATE, dimension_id=dimension.id):
        import_(workbench, dimension.id)
    if draft and part == "questions":
        with pinned:
            undo_bar(workbench, view.checklist, who)
with left:
    tuning_bar(workbench, view)
    if part == "try":
        checklist_trial(workbench, view, reading)
    elif part == "compare":
        version_comparison(versions, view.checklist)
    elif part == "history":
        change_history(workbench, view.checklist, who)
        all_comments(workbench, view.checklist)
    else:
        question_list(workbench, view, who)
        if draft:
            add_forms(workbench, view, who)
