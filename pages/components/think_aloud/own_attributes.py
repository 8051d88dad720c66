"""An expert's own considerations on a dimension: written one at a time, each saved at once."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from app.domain.attribute import Attribute
from app.domain.project import Project
from app.domain.task import Dimension
from app.domain.think_aloud import Sample
from app.errors import RepeatedError, WorkbenchError
from app.services.runtime.workbench import Workbench
from app.services.think_aloud.independence import (
    add_consideration,
    considerations_of,
    is_done,
    mark_done,
    merged_into,
    not_done,
    own_points,
    remove_consideration,
    removed_by_author,
    standing,
)
from pages.components.shell.browser.kept_typing import saved_typing, show_saved_typing, unsaved_typing
from pages.components.shell.current import choose, still_there
from pages.components.shell.navigation.screens import link
from pages.components.shell.undo import remember, undo_button
from pages.components.shell.words import number, plain, show_error
from pages.components.think_aloud.own_rows import WHOLE, Own, own_rows, sample_name, show_newest
from pages.components.think_aloud.transcript_entry import transcript_entry

# Enter saves here (`kept_typing.js`), so Streamlit's own hint would mislead.
_LOOK = "<style>:is(.st-key-say, .st-key-own_editor) [data-testid='InputInstructions'] { display: none; }</style>"
_UNSAVED = "own_unsaved"
_COMPLAINT = "own_complaint"
_FINISHED = "own_finished"


@st.fragment
def own_attributes(
    workbench: Workbench, project: Project, dimension: Dimension, samples: Sequence[Sample], name: str
) -> None:
    """The line to write on, and below it what this person has written; what others wrote is not shown.

    A fragment: saving a line redraws this column and leaves the samples beside it alone.
    """
    still_there(workbench)
    if st.session_state.pop(_FINISHED, False):
        st.rerun(scope="app")  # the bar above the screen says what comes next
    show_saved_typing()
    unsaved_typing("edit_text_")
    own = Own(workbench, dimension, tuple(samples), project.task.language, name)
    _line(own)
    written = considerations_of(workbench, project.id, dimension.id, name)
    points = own_points(written)
    _done(own, project, points)
    undo_button(own.place)
    removed = [a for a in written if removed_by_author(a)]
    own_rows(own, points, removed, merged_into(workbench, project.id, name, points))
    transcript_entry(workbench, project, dimension, name)


def _line(own: Own) -> None:
    st.html(_LOOK)
    text_key, sample_key = f"say_{own.dimension.id}", f"say_sample_{own.dimension.id}"
    with st.container(key="say"), st.form("say_form", clear_on_submit=True, border=False):
        st.text_area(
            "What do you look for?",
            placeholder="one general point",
            help="A point that holds for every text, not one about these samples. Enter saves it, Shift and Enter "
            "begin a new line.",
            height="content",
            key=text_key,
        )
        with st.container(horizontal=True):
            st.selectbox(
                "Prompted by",
                [sample.text.id for sample in own.samples],
                format_func=partial(sample_name, own.samples),
                index=None,
                placeholder="prompted by a sample? (optional)",
                key=sample_key,
                label_visibility="collapsed",
                filter_mode=None,  # no keyboard on a phone: its scrolling would close the list
            )
            st.form_submit_button("Add", key="say_add", type="primary", on_click=_say, args=[own, text_key, sample_key])
    if complaint := st.session_state.pop(_COMPLAINT, ""):
        st.caption(plain(complaint))
    if _UNSAVED in st.session_state:
        error, words = st.session_state[_UNSAVED]
        show_error(error)
        st.caption("This is not saved yet; copy it back once that is solved:")
        st.text(words)


def _say(own: Own, text_key: str, sample_key: str) -> None:
    text = str(st.session_state[text_key])
    if not text.strip():
        st.session_state[_COMPLAINT] = "There is nothing on the line yet."
        return
    st.session_state.pop(_UNSAVED, None)
    try:
        added = add_consideration(own.workbench, own.dimension.id, own.expert, text, st.session_state.get(sample_key))
    except RepeatedError as error:  # it is kept already
        saved_typing(text_key)
        st.session_state[_COMPLAINT] = str(error)
        return
    except WorkbenchError as error:
        st.session_state[_UNSAVED] = (error, text)
        return
    saved_typing(text_key)
    show_newest(own)
    remember(own.place, "added a point", partial(remove_consideration, own.workbench, added))


def _done(own: Own, project: Project, points: Sequence[Attribute]) -> None:
    said = number(len(standing(points)), "point")
    if is_done(own.workbench, project.id, own.dimension.id, own.expert):
        st.caption(f"{said} by you. You are done here; writing more closes what others wrote again.")
        _go_on(own, project)
        return
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.caption(f"{said} by you. What others wrote stays hidden until you are done.", width="content")
        if points:
            st.button(
                "I am done",
                key="say_done",
                help=f"With {own.dimension.name}. Then you can see what others wrote. {WHOLE}",
                on_click=_finish,
                args=[own],
            )


def _go_on(own: Own, project: Project) -> None:
    """To the next dimension this person isn't done with; what others wrote on this one can be seen now."""
    with st.container(horizontal=True, vertical_alignment="center"):
        waiting = not_done(own.workbench, project.id, own.expert)
        if waiting and st.button(f"Next: {waiting[0].name}", key="next_dimension", type="primary"):
            choose(project.name, waiting[0].name)
            st.rerun(scope="app")
        link("attributes", "See what others wrote")


def _finish(own: Own) -> None:
    try:
        mark_done(own.workbench, own.dimension.id, own.expert)
    except WorkbenchError as error:
        st.session_state[_COMPLAINT] = error.in_full
    else:
        st.session_state[_FINISHED] = True
