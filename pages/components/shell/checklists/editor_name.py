"""Name of whoever edits, for the history of a draft: two people who edit it know of each other."""

import streamlit as st

from pages.components.shell.browser.kept_typing import saved_typing
from pages.components.shell.expert import current_expert, signed_in_as
from pages.components.shell.words import plain

EDITOR = "editor"


def known_editor() -> str:
    """Whoever has signed in, else the name given on the Checklist screen or while thinking aloud; "" for nobody."""
    return signed_in_as() or str(st.session_state.get(EDITOR) or st.query_params.get(EDITOR, "") or current_expert())


def current_editor() -> str:
    """As known_editor, kept in session and address."""
    if (name := known_editor()) and not signed_in_as():
        st.session_state[EDITOR] = st.query_params[EDITOR] = name
    return name


def editor_name(name: str) -> None:
    """Says under which name edits are kept, and lets it be changed."""
    if signed_in_as():
        st.caption(f"You edit as {plain(name)}")
        return
    label = f"You edit as {plain(name)}" if name else "You edit without a name"
    with st.popover(label, type="tertiary", icon=":material/person_edit:", key="editor_popover"):
        st.caption("Edits stand in the draft's history under this name: whoever edits with you sees who changed what.")
        with st.form("editor_form", border=False):
            typed = st.text_input("Your name", name, key="editor_typed")
            if st.form_submit_button("Use this name", key="editor_submit"):
                st.session_state[EDITOR] = typed.strip()
                saved_typing("editor_typed")
                st.query_params.pop(EDITOR, None)
                st.rerun()
