"""Blinding: others' attributes, and all that is made from them, are hidden from an expert who isn't done."""

from collections.abc import Sequence

import streamlit as st

from app.domain.attribute import Attribute
from app.domain.project import Dimension, Project
from app.services.checklists.expert_answers import unfinished_sheet
from app.services.runtime.workbench import Workbench
from app.services.think_aloud.independence import own_attributes_of, visible_attributes
from pages.components.shell.current import current_expert, forget_expert, was_pressed
from pages.components.shell.labels import number, plain
from pages.components.shell.navigation.screens import go

OTHERS = "what others wrote"


def open_attributes(
    workbench: Workbench, project: Project, dimension: Dimension, what: str = OTHERS
) -> list[Attribute]:
    """Return all attributes for facilitators and for experts who are done; for others say why not, and end the screen.

    what: the part of the screen that would show others' attributes, as named in a sentence.
    """
    expert = current_expert()
    found, everything = visible_attributes(workbench, project.id, dimension.id, expert)
    if everything:
        return found
    own = len(own_attributes_of(workbench, project.id, dimension.id, expert))
    made_of = "" if what == OTHERS else ": it is made of what others wrote"
    st.markdown(
        f"**{plain(expert)}, {what} on {plain(dimension.name)} is still hidden from you{made_of},** so that it "
        f"doesn't lead you. You have written {own}. Say that you are done on Think aloud, then it opens here."
    )
    _ways_out(workbench, expert, "think_aloud", "Think aloud")
    st.stop()
    raise AssertionError("stop ends the screen")


def open_dimensions(
    workbench: Workbench, project: Project, dimensions: Sequence[Dimension], what: str
) -> list[Dimension]:
    """Return the dimensions on which the person may see everything, and name the others. Without any, stop."""
    expert = current_expert()
    hidden = [d for d in dimensions if not visible_attributes(workbench, project.id, d.id, expert)[1]]
    if hidden and len(hidden) == len(dimensions):
        open_attributes(workbench, project, hidden[0], what)
    if hidden:
        names = ", ".join(dimension.name for dimension in hidden)
        st.caption(
            f"Still hidden from you, {plain(expert)}, until you say on Think aloud that you are done: {plain(names)}."
        )
    return [dimension for dimension in dimensions if dimension not in hidden]


def all_open(workbench: Workbench, project: Project, dimension: Dimension) -> bool:
    """Return whether nothing on the dimension is hidden from the person, neither attributes nor answers."""
    expert = current_expert()
    if not expert:
        return True
    everything = visible_attributes(workbench, project.id, dimension.id, expert)[1]
    return everything and unfinished_sheet(workbench, dimension.id, expert) is None


def open_answers(workbench: Workbench, dimension: Dimension) -> None:
    """End the screen for experts who haven't answered all texts drawn for them, so that neither the judge's answers nor
    anybody else's influence them."""
    expert = current_expert()
    sheet = unfinished_sheet(workbench, dimension.id, expert) if expert else None
    if sheet is None:
        return
    st.markdown(
        f"**{plain(expert)}, what the judge and others answered on {plain(dimension.name)} is still hidden from you,** "
        f"so that it doesn't lead you. You have finished {sheet.done} of {number(len(sheet.texts), 'text')}."
    )
    _ways_out(workbench, expert, "answer", "Answer")
    st.stop()


def _ways_out(workbench: Workbench, expert: str, target: str, button: str) -> None:
    with st.container(horizontal=True):
        if was_pressed(button, key=f"hidden_to_{target}", type="primary"):
            go(target)
        if workbench.actor.person is not None:
            return
        st.button(
            f"I am not {plain(expert)}",
            key="hidden_not_me",
            type="tertiary",
            on_click=forget_expert,
            help="For the project's facilitator: the screens then show everything.",
        )
