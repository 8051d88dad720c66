"""A component above its questions: its name, its key question, and how both are changed."""

from collections.abc import Callable, Sequence
from functools import partial

import streamlit as st

from app.domain.checklist import Checklist, Component, QuestionKind
from app.errors import WorkbenchError
from app.services.checklists.draft_edits import (
    Heading,
    add_component,
    edit_component,
    move_component,
    remove_component,
)
from app.services.runtime.workbench import Workbench
from pages.components.shell.browser.page_scripts import saved_typing
from pages.components.shell.checklists.question_editor import NO_COMPONENT, Editing
from pages.components.shell.words import button_label, plain, show_error

_OPENED = "opened_component"
_SEEN = "seen_component"
_PROBLEM = "component_problem"


def component_heading(editing: Editing, component: Component | None) -> None:
    if component is None:
        st.markdown(f"##### {NO_COMPONENT}")
        return
    heading = Heading.of(editing.view.checklist, component)
    words, actions = st.columns((10.7, 2.4), vertical_alignment="bottom", gap="small")
    words.markdown(f"##### {plain(heading.name)}")
    if heading.key_question:
        words.caption(f"Key question: {plain(heading.key_question)}")
    if not editing.draft:
        return
    order = [c.id for c in editing.view.checklist.components]
    place = order.index(component.id)
    with actions.container(horizontal=True, horizontal_alignment="right", gap="xsmall"):
        _move(editing, component, -1, "up", place > 0)
        _move(editing, component, 1, "down", place < len(order) - 1)
        is_open = st.session_state.get(_OPENED) == component.id
        label = button_label("Close" if is_open else "Edit", f"the component {component.name}")
        args = [None] if is_open else [component.id, heading]
        st.button(label, key=f"open_component_{component.id}", type="tertiary", on_click=_open, args=args)
    if is_open:
        with st.container(border=True, key=f"opened_component_{component.id}"):
            _editor(editing, component, heading)


def _open(component_id: int | None, seen: Heading | None = None) -> None:
    """What it says when it is opened is what the person has seen, whatever others do to it meanwhile."""
    st.session_state[_OPENED], st.session_state[_SEEN] = component_id, seen


def _move(editing: Editing, component: Component, by: int, way: str, possible: bool) -> None:
    move = partial(move_component, editing.workbench, editing.view.checklist.id, component.id, by, editing.who)
    st.button(
        button_label("", f"Move the component {component.name} {way}"),
        icon=f":material/arrow_{way}ward:",
        key=f"component_{way}_{component.id}",
        type="tertiary",
        help=f"Move the component {way}, with its questions",
        disabled=not possible,
        on_click=_do,
        args=[move],
    )


def _do(action: Callable[[], object], typed: Sequence[str] = ()) -> None:
    """typed: the keys of the fields that it saves."""
    try:
        action()
    except WorkbenchError as error:
        st.session_state[_PROBLEM] = error
    else:
        saved_typing(*typed)
        st.session_state[_OPENED] = None


def _editor(editing: Editing, component: Component, heading: Heading) -> None:
    if problem := st.session_state.pop(_PROBLEM, None):
        show_error(problem)
    key, checklist, seen = component.id, editing.view.checklist, st.session_state[_SEEN]
    with st.form(f"edit_component_{key}", border=False):
        st.text_input("Name", seen.name, key=f"component_name_{key}")
        st.text_input("What it means", seen.description, key=f"component_description_{key}")
        st.text_input(
            "Key question",
            seen.key_question,
            key=f"component_key_question_{key}",
            help="It says what the component is about. The judge is asked the questions below it, not this one.",
        )
        st.form_submit_button("Save component", key=f"save_component_{key}", on_click=_save, args=[editing, key, seen])
    if not any(q.component == component.name and q.kind is QuestionKind.SUB for q in checklist.questions):
        remove = partial(remove_component, editing.workbench, checklist.id, key, editing.who)
        st.button("Remove component", key=f"remove_component_{key}", type="tertiary", on_click=_do, args=[remove])


def _save(editing: Editing, component_id: int, seen: Heading) -> None:
    name, description, question = (
        str(st.session_state[f"component_{field}_{component_id}"]) for field in ("name", "description", "key_question")
    )
    new = Heading(name, description, question)
    edit = partial(edit_component, editing.workbench, editing.view.checklist.id, component_id, seen, new, editing.who)
    _do(edit, [f"component_{field}_{component_id}" for field in ("name", "description", "key_question")])


def add_component_form(workbench: Workbench, checklist: Checklist, who: str) -> None:
    with st.expander("Add a component", key="add_component"):
        with st.form(f"add_component_{checklist.id}", border=False):
            st.text_input("Name", key="new_component")
            st.text_input("Key question", placeholder="optional", key="new_component_key_question")
            st.form_submit_button(
                "Add component", key="add_component_submit", on_click=_add, args=[workbench, checklist.id, who]
            )
        if problem := st.session_state.pop(_NOT_ADDED, None):
            show_error(problem)


_NOT_ADDED = "new_component_problem"


def _add(workbench: Workbench, checklist_id: int, who: str) -> None:
    """The fields are emptied only once their words are kept."""
    fields = ("new_component", "new_component_key_question")
    name, question = (str(st.session_state[field]) for field in fields)
    try:
        add_component(workbench, checklist_id, Heading(name, key_question=question), who)
    except WorkbenchError as error:
        st.session_state[_NOT_ADDED] = error
    else:
        saved_typing(*fields)
        st.session_state.update(dict.fromkeys(fields, ""))
