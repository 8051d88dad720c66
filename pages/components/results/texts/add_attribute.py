"""A text that shows what the checklist misses: say it there and then, and it becomes an attribute."""

import streamlit as st

from app.domain.attribute import ContributorKind
from app.domain.people import Right
from app.domain.project import Dimension
from app.errors import InputError, WorkbenchError
from app.services.attributes.attributes import add_attributes
from app.services.runtime.use_case import may
from app.services.runtime.workbench import Workbench
from pages.components.shell.browser.page_scripts import saved_typing
from pages.components.shell.expert import own_name, signed_in_as
from pages.components.shell.words import plain, show_error

_ADDED = "attribute_added"
_PROBLEM = "attribute_problem"


def add_attribute(workbench: Workbench, dimension: Dimension, text_id: int) -> None:
    """It is kept under the person's name, with this text as what prompted it; only for those who run the project."""
    if not may(workbench, Right.FACILITATE, dimension_id=dimension.id):
        return
    with st.popover("Add an attribute", icon=":material/add:", key=f"add_attribute_{text_id}"):
        st.markdown(f"What should one look for in **{plain(dimension.name)}** that this text shows?")
        with st.form(f"attribute_form_{text_id}", border=False):
            st.text_area("Attribute", key=_words(text_id))
            own_name(_name(text_id))
            st.form_submit_button(
                "Add", key=f"attribute_save_{text_id}", on_click=_save, args=(workbench, dimension, text_id)
            )
    if problem := st.session_state.pop(_PROBLEM, None):
        show_error(problem)
    if st.session_state.pop(_ADDED, False):
        st.success("Added to the attributes, with this text noted. The next build can take it in.")


def _save(workbench: Workbench, dimension: Dimension, text_id: int) -> None:
    """Before the form is drawn again: what couldn't be kept stays typed."""
    words = str(st.session_state[_words(text_id)])
    name = signed_in_as() or str(st.session_state[_name(text_id)]).strip()
    try:
        if not name:
            raise InputError("Nobody is named.", "Say who you are: it stays with the attribute.")
        add_attributes(workbench, dimension.id, name, ContributorKind.HUMAN, [words], prompted_by=text_id)
    except WorkbenchError as error:
        st.session_state[_PROBLEM] = error
        return
    saved_typing(_words(text_id), _name(text_id))
    st.session_state[_words(text_id)] = ""
    st.session_state[_ADDED] = True


def _words(text_id: int) -> str:
    return f"attribute_words_{text_id}"


def _name(text_id: int) -> str:
    return f"attribute_by_{text_id}"
