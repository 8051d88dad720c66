"""Answer: experts answer a published checklist, blind to the judge and to each other; its owner draws the texts."""

import streamlit as st

from app.services.checklists.answer_draws import answerable
from app.services.checklists.expert_answers import own_sheet
from app.services.think_aloud.independence import is_thinking_aloud
from pages.components.answer.sheet import answer_file, expert_progress, plan_form, sheet
from pages.components.shell.blinding import open_attributes
from pages.components.shell.current import current_expert, current_workbench, expert
from pages.components.shell.frame import empty, needs_dimension, nothing_yet
from pages.components.shell.labels import plain

workbench = current_workbench()
ABOUT = (
    "You answer the checklist about the texts that were drawn for you, without seeing what the judge or others say."
    if current_expert()
    else "Experts answer the checklist too, on the same texts, without seeing what the judge or others say. Results "
    "then shows on which questions they agree."
)
project, dimension = needs_dimension(workbench, "Answer", ABOUT)
if is_thinking_aloud(workbench, dimension.id, current_expert()):
    # An expert who thinks aloud finishes that first: the questions would lead them. One who only answers needn't.
    open_attributes(workbench, project, dimension, "the checklist")
if current_expert():
    mine = own_sheet(workbench, dimension.id, expert(workbench, project))
    if mine is None:
        # On one's own computer the person at it may be both: without a name they run the project.
        where = "them here, without giving a name." if workbench.actor.person is None else "them for you."
        nothing_yet("answer", f"**No texts are drawn yet.** The project's facilitator draws {where}")
    elif not mine.texts:
        st.markdown(f"**No text of {plain(dimension.name)} is yours to answer.** What is yours stands on Overview.")
    else:
        sheet(workbench, project, dimension, mine)
    st.stop()

versions = answerable(workbench, dimension.id)
if not versions:
    empty("No version of the checklist is published yet.", "Publish one first.", "checklist", "Go to Checklist")
    st.stop()
if workbench.actor.person is None:
    expert(workbench, project)
with st.container(width=620):
    newest, texts_of_newest = versions[0]
    if texts_of_newest is None:
        plan_form(workbench, newest)
    for checklist, draw in versions:
        if draw:
            expert_progress(workbench, checklist, draw)
answer_file(workbench, [checklist for checklist, _ in versions])
