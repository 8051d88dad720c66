"""People and LLMs side by side, without names: an expert compares two sets and then learns which is whose."""

import streamlit as st

from app.domain.roles_and_rights import Right
from app.errors import WorkbenchError
from app.services.attributes.attributes import attributes_of
from app.services.attributes.side_by_side import (
    begin_side_by_side,
    can_compare_as_outside_expert,
    side_by_sides_of,
    side_by_sides_seen_by,
)
from app.services.runtime.workbench import may
from pages.components.shell.current import current_workbench, expert, was_pressed
from pages.components.shell.frame import needs_dimension
from pages.components.shell.labels import plain
from pages.components.shell.navigation.screens import go
from pages.components.shell.runs.run_words import llms_word
from pages.components.side_by_side import (
    blind_comparison,
    common_findings,
    outside_expert_button,
    outside_expert_pressed,
)

workbench = current_workbench()
project, dimension = needs_dimension(
    workbench,
    "Side by side",
    "Two sets of attributes, one by people and one by LLMs. Compare them before you know which is which.",
)
name = expert(workbench, project)
if not name:
    common_findings(side_by_sides_of(workbench, dimension.id), dimension)
    st.stop()
try:
    mine = begin_side_by_side(workbench, dimension, name, outside=outside_expert_pressed(dimension, name))
except WorkbenchError as error:
    st.markdown(plain(str(error)))
    if was_pressed("Think aloud", key="side_to_think_aloud", type="primary"):
        go("think_aloud")
    if can_compare_as_outside_expert(workbench, dimension, name):
        outside_expert_button(dimension, name)
    st.stop()
# Somebody from outside, who hasn't thought aloud, sees nothing of what others wrote but the two sets.
open_here = may(workbench, Right.REVIEW, dimension_id=dimension.id)
llms = llms_word(attributes_of(workbench, project.id, dimension.id)) if open_here else "LLMs"
blind_comparison(workbench, dimension, mine, llms)
if seen := side_by_sides_seen_by(workbench, dimension.id, name):
    common_findings(seen, dimension)
