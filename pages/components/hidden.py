"""What others wrote, and all that is made of it, stays hidden from an expert who is still at it."""

import streamlit as st

from app.domain.attribute import Attribute
from app.domain.project import Project
from app.domain.task import Dimension
from app.services.independence import said_by, visible_attributes
from app.services.workbench import Workbench
from pages.components.expert import current_expert, forget_expert
from pages.components.shell import page
from pages.components.words import plain

OTHERS = "what others wrote"


def open_attributes(
    workbench: Workbench, project: Project, dimension: Dimension, what: str = OTHERS
) -> list[Attribute]:
    """All attributes for the owner and for experts who are done; for others the screen says why not, and ends.

    what: which part of the screen would show others' thoughts, as it is called in a sentence.
    """
    expert = current_expert()
    found, everything = visible_attributes(workbench, project.id, dimension.id, expert)
    if everything:
        return found
    own = len(said_by(workbench, project.id, dimension.id, expert))
    made_of = "" if what == OTHERS else ": it is made of what others wrote"
    st.markdown(
        f"**{plain(expert)}, {what} on {plain(dimension.name)} is still hidden from you{made_of},** so that it "
        f"doesn't lead you. You have written {own}. Say that you are done on Think aloud, then it opens here."
    )
    with st.container(horizontal=True):
        if st.button("Think aloud", key="hidden_to_think_aloud", type="primary"):
            st.switch_page(page("think_aloud"))
        st.button(
            f"I am not {plain(expert)}",
            key="hidden_not_me",
            type="tertiary",
            on_click=forget_expert,
            help="For whoever runs the project: the screens then show everything.",
        )
    st.stop()
    raise AssertionError("stop ends the screen")
