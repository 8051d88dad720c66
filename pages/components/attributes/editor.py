"""One attribute: its wording, what was first said, and whether it is in use."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from app.domain.attribute import Attribute, AttributeStatus
from app.domain.task import Dimension
from app.errors import WorkbenchError
from app.services.attributes.attributes import edit_attribute, exclude_attribute, restore_attribute
from app.services.attributes.merges import move
from app.services.runtime.workbench import Workbench
from pages.components.attributes.near_duplicates import pool_place
from pages.components.shell.attribute_pool import said_by
from pages.components.shell.runs.condition_words import STATES
from pages.components.shell.undo import change, remember
from pages.components.shell.words import plain, show_error


def attribute_editor(workbench: Workbench, attribute: Attribute | None, dimensions: Sequence[Dimension]) -> None:
    """`dimensions`: those of the project, among which it can be moved."""
    if attribute is None:
        st.markdown("**Choose an attribute** in the table to correct its wording or to leave it out.")
        return
    place = pool_place(next(d.id for d in dimensions if d.name == attribute.dimension))
    st.markdown(f"**{said_by(attribute)}**, round {attribute.round}, {STATES[attribute.status]}")
    _wording(workbench, attribute, place)
    if attribute.status is AttributeStatus.ACTIVE:
        _exclusion(workbench, attribute, place)
        _move(workbench, attribute, dimensions)
    else:
        _restoration(workbench, attribute)
    if attribute.original_dimension:
        st.caption(f"First said about {plain(attribute.original_dimension)}, and moved here.")


def _wording(workbench: Workbench, attribute: Attribute, place: str) -> None:
    with st.form(f"edit_{attribute.id}", border=False):
        text = st.text_area("Wording", attribute.text, height=120, key=f"wording_{attribute.id}")
        if st.form_submit_button("Save wording", type="primary", key=f"save_{attribute.id}"):
            try:
                edit_attribute(workbench, attribute.id, text)
            except WorkbenchError as error:
                show_error(error)
            else:
                remember(place, "edited a wording", partial(edit_attribute, workbench, attribute.id, attribute.text))
                st.rerun()
    if attribute.original and attribute.original != attribute.text:
        st.caption("First said, and kept on record:")
        st.markdown(plain(attribute.original))


def _exclusion(workbench: Workbench, attribute: Attribute, place: str) -> None:
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
                remember(place, "excluded an attribute", partial(restore_attribute, workbench, attribute.id))
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


def _move(workbench: Workbench, attribute: Attribute, dimensions: Sequence[Dimension]) -> None:
    here = next(d for d in dimensions if d.name == attribute.dimension)
    others = [d for d in dimensions if d.id != here.id]
    if not others:
        return
    with st.form(f"move_form_{attribute.id}", border=False):
        st.selectbox(
            "Move it to",
            others,
            format_func=lambda d: d.name,
            index=None,
            placeholder="another dimension",
            key=f"move_to_{attribute.id}",
            help="Where it was first said stays on record.",
        )
        st.form_submit_button("Move", key=f"move_{attribute.id}", on_click=_moved, args=[workbench, attribute, here.id])


def _moved(workbench: Workbench, attribute: Attribute, here: int) -> None:
    target: Dimension | None = st.session_state[f"move_to_{attribute.id}"]
    if target is not None:
        change(
            pool_place(here),
            "moved an attribute",
            partial(move, workbench, attribute, target.id),
            partial(move, workbench, attribute, here),
        )
