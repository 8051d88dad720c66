"""The questions of a checklist, by component; one at a time is opened for editing."""

from collections import Counter
from collections.abc import Sequence
from functools import partial

import streamlit as st

from app.domain.attribute import Attribute
from app.domain.checklist import Checklist, ChecklistStatus, Question, QuestionKind, QuestionOrigin
from app.errors import WorkbenchError
from app.services.checklists import ChecklistView, add_question, edit_question, enable_question, hints_of
from app.services.workbench import Workbench
from pages.components.attribute_pool import said_by
from pages.components.conditions import kind_word, number
from pages.components.words import plain, show_error

OPENED = "opened_question"
ORIGINS = {
    QuestionOrigin.GENERATED: "generated",
    QuestionOrigin.EDITED: "edited",
    QuestionOrigin.ADDED: "added by hand",
}
WITHOUT_COMPONENT = "Without a component"


def questions(workbench: Workbench, view: ChecklistView) -> None:
    draft = view.checklist.status is ChecklistStatus.DRAFT
    hints = hints_of(workbench, view) if draft else {}
    for component, key_question, listed in _by_component(view.checklist):
        st.markdown(f"##### {plain(component)}")
        if key_question:
            st.caption(f"Key question: {plain(key_question)}")
        for question in listed:
            said = [hint.message for hint in hints.get(question.id, [])]
            _row(workbench, question, view.attributes, said, draft)


def _by_component(checklist: Checklist) -> list[tuple[str, str, list[Question]]]:
    """(component, its key question, its sub-questions), in the checklist's order; empty components left out."""
    keys = {q.component: q.text for q in checklist.questions if q.kind is QuestionKind.KEY}
    listed: dict[str, list[Question]] = {component.name: [] for component in checklist.components}
    for question in checklist.questions:
        if question.kind is QuestionKind.SUB:
            listed.setdefault(question.component, []).append(question)
    return [(name or WITHOUT_COMPONENT, keys.get(name, ""), found) for name, found in listed.items() if found]


def _row(
    workbench: Workbench, question: Question, attributes: dict[int, Attribute], hints: Sequence[str], draft: bool
) -> None:
    opened = st.session_state.get(OPENED) == question.id
    switch, words, action = st.columns([1, 10, 2])
    if draft:
        with switch:
            _switch(workbench, question)
    words.markdown(_worded(question, attributes, hints))
    verb = "Close" if opened else "Edit" if draft else "Why?"
    if action.button(verb, key=f"open_{question.id}", type="tertiary"):
        st.session_state[OPENED] = None if opened else question.id
        st.rerun()
    if opened:
        with st.container(border=True, key=f"opened_{question.id}"):
            _opened(workbench, question, attributes, draft)


def _worded(question: Question, attributes: dict[int, Attribute], hints: Sequence[str]) -> str:
    """The question, and in small letters where it comes from and what could be better: one element, so that rows stay
    close together and many stay fast."""
    text = plain(question.text)
    state = "" if question.enabled else "switched off · "
    origin = f"{state}{ORIGINS[question.origin]}{_sources(question, attributes)}"
    remarks = [f":small[:gray[:material/lightbulb: {plain(hint)}]]" for hint in hints]
    return "  \n".join([text if question.enabled else f":gray[{text}]", f":small[:gray[{origin}]]", *remarks])


def _switch(workbench: Workbench, question: Question) -> None:
    """Shows what the database says, whatever was clicked elsewhere meanwhile."""
    key = f"enabled_{question.id}"
    st.session_state[key] = question.enabled
    st.toggle(
        "Ask this question",
        key=key,
        label_visibility="collapsed",
        on_change=partial(_switched, workbench, question.id),
    )


def _switched(workbench: Workbench, question_id: int) -> None:
    try:
        enable_question(workbench, question_id, st.session_state[f"enabled_{question_id}"])
    except WorkbenchError as error:
        st.toast(str(error))


def _sources(question: Question, attributes: dict[int, Attribute]) -> str:
    """How many attributes are behind it and whose, for example "from 4 attributes (3 by people, 1 by LLMs)"."""
    behind = [attributes[id_] for id_ in question.attributes if id_ in attributes]
    if not behind:
        return ""
    kinds = Counter(kind_word(a.kind, a.contributor) for a in behind)
    names = {"person": "by people", "LLM": "by LLMs", "rules": "by rules, not an LLM"}
    whose = ", ".join(f"{kinds[kind]} {said}" for kind, said in names.items() if kinds[kind])
    return f" · from {number(len(behind), 'attribute')} ({whose})"


def _opened(workbench: Workbench, question: Question, attributes: dict[int, Attribute], draft: bool) -> None:
    if draft:
        _edit_form(workbench, question)
    if question.original and question.original != question.text:
        st.caption("First wording")
        st.markdown(plain(question.original))
    if question.reason:
        st.caption(plain(f"Reason: {question.reason}"))
    st.caption("Why this question: the attributes behind it")
    behind = [attributes[id_] for id_ in question.attributes if id_ in attributes]
    if behind:
        st.markdown("\n".join(f"- {plain(a.text)} :gray[{said_by(a)}]" for a in behind))
    else:
        st.markdown("None: it was added by hand." if question.origin is QuestionOrigin.ADDED else "None on record.")


def _edit_form(workbench: Workbench, question: Question) -> None:
    with st.form(f"edit_question_{question.id}", border=False):
        text = st.text_area("Wording", question.text, height=80, key=f"question_text_{question.id}")
        if st.form_submit_button("Save", key=f"save_question_{question.id}"):
            try:
                edit_question(workbench, question.id, text)
            except WorkbenchError as error:
                show_error(error)
            else:
                st.session_state[OPENED] = None
                st.rerun()


def add_form(workbench: Workbench, checklist: Checklist) -> None:
    """A question in a person's own words, under one of the components or none."""
    with (
        st.expander("Add a question", key="add_question"),
        st.form(f"add_question_{checklist.id}", border=False, clear_on_submit=True),
    ):
        text = st.text_input("Question", placeholder="Does the text …?", key="new_question")
        names = [*(component.name for component in checklist.components), ""]
        component = st.selectbox(
            "Component", names, format_func=lambda name: name or WITHOUT_COMPONENT, key="new_question_component"
        )
        if st.form_submit_button("Add question", key="add_question_submit"):
            try:
                add_question(workbench, checklist.id, text, component)
            except WorkbenchError as error:
                show_error(error)
            else:
                st.rerun()
