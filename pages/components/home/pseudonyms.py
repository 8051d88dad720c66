"""Pseudonyms: another name for somebody, on their request, wherever theirs stands in the project."""

import streamlit as st

from app.domain.project import Project
from app.errors import WorkbenchError
from app.services.pseudonyms import people_named, proposed_pseudonym, replace_name, still_said
from app.services.runtime.workbench import Workbench
from pages.components.shell.browser.page_scripts import saved_typing
from pages.components.shell.words import plain, show_error

_DONE = "pseudonym_done"


def pseudonyms(workbench: Workbench, project: Project) -> None:
    """Nothing where nobody has a name yet."""
    names = people_named(workbench, project.id)
    if not names:
        return
    unfolded = st.expander("Replace a name by a pseudonym", key="pseudonyms", on_change="rerun")
    if not unfolded.open:
        return
    with unfolded:
        for line in st.session_state.pop(_DONE, []):
            st.markdown(plain(line))
        with st.form("pseudonym_form", border=False, clear_on_submit=True):
            name = st.selectbox("Who", names, key="pseudonym_name", index=None, placeholder="choose a name")
            new = st.text_input(
                "What to call them instead", proposed_pseudonym(workbench, project.id), key="pseudonym_new"
            )
            st.caption(
                "It takes the place of the name beside all they wrote and did, and in who did what. This can't be "
                "taken back. Backups and files taken out before keep the name."
            )
            pressed = st.form_submit_button("Replace the name", key="pseudonym_now")
        if pressed and name is None:
            st.error("Choose whose name is to go.")
        elif pressed:
            _replace(workbench, project, str(name), new)


def _replace(workbench: Workbench, project: Project, name: str, new: str) -> None:
    try:
        done = replace_name(workbench, project.id, name, new)
    except WorkbenchError as error:
        show_error(error)
        return
    saved_typing("pseudonym_new")
    st.session_state[_DONE] = [f"{name} is {done.pseudonym} now.", *still_said(done)]
    st.rerun()
