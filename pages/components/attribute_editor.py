"""One attribute: its wording, what was first said, and whether it is in use."""

import streamlit as st

from app.domain.attribute import Attribute, AttributeStatus
from app.errors import WorkbenchError
from app.services.attributes import edit_attribute, exclude_attribute, restore_attribute
from app.services.workbench import Workbench
from pages.components.attribute_pool import said_by
from pages.components.conditions import STATES
from pages.components.words import plain, show_error


def editor(workbench: Workbench, attribute: Attribute | None) -> None:
    if attribute is None:
        st.markdown("**Choose an attribute** in the table to correct its wording or to leave it out.")
        return
    st.markdown(f"**{said_by(attribute)}**, round {attribute.round}, {STATES[attribute.status]}")
    _wording(workbench, attribute)
    if attribute.status is AttributeStatus.ACTIVE:
        _exclusion(workbench, attribute)
    else:
        _restoration(workbench, attribute)


def _wording(workbench: Workbench, attribute: Attribute) -> None:
    with st.form(f"edit_{attribute.id}", border=False):
        text = st.text_area("Wording", attribute.text, height=120, key=f"wording_{attribute.id}")
        if st.form_submit_button("Save wording", type="primary", key=f"save_{attribute.id}"):
            try:
                edit_attribute(workbench, attribute.id, text)
            except WorkbenchError as error:
                show_error(error)
            else:
                st.rerun()
    if attribute.original and attribute.original != attribute.text:
        st.caption("First said, and kept on record:")
        st.markdown(plain(attribute.original))


def _exclusion(workbench: Workbench, attribute: Attribute) -> None:
    with st.form(f"exclude_form_{attribute.id}", border=False):
        reason = st.text_input(
            "Leave it out because",
            placeholder="for example: says the same as another",
            key=f"reason_{attribute.id}",
            help="An excluded attribute feeds no checklist. It stays on record with the reason and can be restored.",
        )
        if st.form_submit_button("Exclude", key=f"exclude_{attribute.id}"):
            if not reason.strip():
                st.error("Say in a few words why it is left out.")
                return
            try:
                exclude_attribute(workbench, attribute.id, reason)
            except WorkbenchError as error:
                show_error(error)
            else:
                st.rerun()


def _restoration(workbench: Workbench, attribute: Attribute) -> None:
    st.markdown(f"Left out: {plain(attribute.reason)}" if attribute.reason else "Left out, no reason given.")
    if st.button("Restore", key=f"restore_{attribute.id}"):
        try:
            restore_attribute(workbench, attribute.id)
        except WorkbenchError as error:
            show_error(error)
        else:
            st.rerun()
