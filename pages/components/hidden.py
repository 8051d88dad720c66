"""What others wrote stays hidden from an expert who is still at it."""

import streamlit as st

from app.domain.attribute import Attribute
from app.domain.project import Project
from app.domain.task import Dimension
from app.services.independence import said_by, visible_attributes
from app.services.workbench import Workbench
from pages.components.expert import current_expert
from pages.components.shell import page
from pages.components.words import plain


def open_attributes(workbench: Workbench, project: Project, dimension: Dimension) -> list[Attribute]:
    """All attributes for the owner and for experts who are done; for others the screen says why not, and ends."""
    expert = current_expert()
    found, everything = visible_attributes(workbench, project.id, dimension.id, expert)
    if everything:
        return found
    own = len(said_by(workbench, project.id, dimension.id, expert))
    st.markdown(
        f"**{plain(expert)}, what others wrote on {plain(dimension.name)} is still hidden from you,** so that it "
        f"doesn't lead you. You have written {own}. Say that you are done on Think aloud, then it opens here."
    )
    with st.container(horizontal=True):
        if st.button("Think aloud", key="hidden_to_think_aloud", type="primary"):
            st.switch_page(page("think_aloud"))
    st.stop()
    raise AssertionError("stop ends the screen")
