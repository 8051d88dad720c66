"""An expert's own considerations on a dimension: written one at a time, each saved at once."""

from collections.abc import Callable, Sequence
from math import ceil

import streamlit as st

from app.domain.attribute import Attribute, AttributeStatus, ContributorKind
from app.domain.project import Project
from app.domain.task import Dimension
from app.errors import WorkbenchError
from app.services.attributes import (
    add_attributes,
    attributes_of,
    edit_attribute,
    exclude_attribute,
    restore_attribute,
)
from app.services.workbench import Workbench
from pages.components.conditions import number
from pages.components.words import show_error

REMOVED = "removed by its author"
PAGE_SIZE = 6
_EDITING = "own_editing"
_UNSAVED = "own_unsaved"


def own_attributes(workbench: Workbench, project: Project, dimension: Dimension, name: str) -> None:
    """The line to write on, and below it what this person has written; what others wrote is not shown."""
    _line(workbench, dimension, name)
    own = [
        a
        for a in attributes_of(workbench, project.id, dimension.id)
        if a.contributor == name and a.kind is ContributorKind.HUMAN
    ]
    kept = [a for a in own if a.status is AttributeStatus.ACTIVE]
    st.caption(f"{number(len(kept), 'consideration')} by you. What others wrote stays hidden here.")
    pages = max(1, ceil(len(kept) / PAGE_SIZE))
    rows = st.container(gap="small", key="own_rows")
    page = st.pagination(pages, key=f"own_page_{dimension.id}", max_visible_pages=5) if pages > 1 else 1
    with rows:
        newest_first = kept[::-1]
        for attribute in newest_first[(page - 1) * PAGE_SIZE : page * PAGE_SIZE]:
            _row(workbench, attribute)
    _removed(workbench, [a for a in own if a.status is AttributeStatus.EXCLUDED and a.reason == REMOVED])


def _line(workbench: Workbench, dimension: Dimension, name: str) -> None:
    with st.form("say_form", clear_on_submit=True, border=False):
        text = st.text_input(
            "What do you look for?",
            placeholder="one general point",
            help="A point that holds for every text, not one about these samples. Enter saves it.",
            key=f"say_{dimension.id}",
        )
        said = st.form_submit_button("Add", key="say_add", type="primary")
    if said and text.strip():
        st.session_state.pop(_UNSAVED, None)
        try:
            add_attributes(workbench, dimension.id, name, ContributorKind.HUMAN, [text])
        except WorkbenchError as error:
            st.session_state[_UNSAVED] = (str(error), text)
    elif said:
        st.caption("There is nothing on the line yet.")
    if _UNSAVED in st.session_state:
        message, words = st.session_state[_UNSAVED]
        st.error(message)
        st.caption("This is not saved yet; copy it back once that is solved:")
        st.text(words)


def _row(workbench: Workbench, attribute: Attribute) -> None:
    if st.session_state.get(_EDITING) == attribute.id:
        _editor(workbench, attribute)
        return
    words, actions = st.columns([4, 1], vertical_alignment="top", gap="small")
    words.text(attribute.text, width="stretch")
    with actions.container(horizontal=True, horizontal_alignment="right", gap="xsmall"):
        if st.button("", icon=":material/edit:", key=f"edit_{attribute.id}", type="tertiary", help="Edit"):
            st.session_state[_EDITING] = attribute.id
            st.rerun()
        if st.button("", icon=":material/delete:", key=f"remove_{attribute.id}", type="tertiary", help="Remove"):
            _do(lambda: exclude_attribute(workbench, attribute.id, REMOVED))


def _editor(workbench: Workbench, attribute: Attribute) -> None:
    with st.form(f"edit_form_{attribute.id}", border=False):
        text = st.text_area("Your wording", attribute.text, key=f"edit_text_{attribute.id}")
        with st.container(horizontal=True):
            save = st.form_submit_button("Save", key=f"edit_save_{attribute.id}")
            cancel = st.form_submit_button("Cancel", key=f"edit_cancel_{attribute.id}", type="tertiary")
    if save:
        _do(lambda: edit_attribute(workbench, attribute.id, text))
    if cancel:
        del st.session_state[_EDITING]
        st.rerun()


def _removed(workbench: Workbench, removed: Sequence[Attribute]) -> None:
    """Nothing is lost: each can be put back, the newest first."""
    if not removed:
        return
    with st.expander(f"Removed by you ({len(removed)})", key="own_removed"):
        for attribute in removed[::-1][:PAGE_SIZE]:
            words, action = st.columns([4, 1])
            words.text(attribute.text, width="stretch")
            if action.button("Undo", key=f"undo_{attribute.id}", type="tertiary"):
                _do(lambda chosen=attribute.id: restore_attribute(workbench, chosen))  # type: ignore[misc]


def _do(change: Callable[[], None]) -> None:
    try:
        change()
    except WorkbenchError as error:
        show_error(error)
        return
    st.session_state.pop(_EDITING, None)
    st.rerun()
