"""Facilitators choose which texts experts answer next, and see how much narrower the intervals would become."""

import streamlit as st

from app.domain.checklist import Checklist
from app.domain.expert_answer import AnswerDraw, WishedWave
from app.errors import WorkbenchError
from app.services.checklists.answer_plans import draw_planned
from app.services.checklists.assignments import overlap_of
from app.services.checklists.expert_answers import answered_version, draw_same_texts, drawable
from app.services.results.answering.answer_forecast import planned_answers
from app.services.runtime.workbench import Workbench
from pages.components.shell.words import number, show_error

USUAL, USUAL_MORE = 20, 60
AGAIN, MORE = "draw_again", "draw_more"
"""Where the session keeps for which version other, or more, texts are being drawn."""
_NONE = "No text is left to draw: all are locked, or were read as samples."
_NONE_MORE = "All texts that can be drawn are drawn."


def plan_form(workbench: Workbench, checklist: Checklist, draw: AnswerDraw | None = None) -> None:
    """The first texts of a version, or, with its `draw`, more after those; looked at first or drawn at once."""
    st.subheader(f"{'More' if draw else 'Draw'} texts for version {checklist.version}", anchor=False)
    if draw is None:
        _same_texts(workbench, checklist)
    there = drawable(workbench, checklist.id) - (len(draw.texts) if draw else 0)
    if there < 1:
        st.markdown(_NONE_MORE if draw else _NONE)
        return
    shared = overlap_of(workbench, checklist.id)
    whose = f"Each text goes to {number(shared, 'expert')}" if shared else "Every expert gets the same texts"
    st.caption(
        f"For whoever runs the project. {whose}, in an order of their own. "
        f"{number(there, 'text')} can be drawn; samples and locked texts are left out. "
        "Texts with ratings are drawn so that low and high ones keep their share."
    )
    key = f"{'more' if draw else 'draw'}_{{}}_{checklist.id}"
    shown = f"planned_{key}"
    # Drawing can't be taken back once somebody has answered: Enter in a field is not meant so.
    with st.form(key.format("form"), border=False, enter_to_submit=False):
        wished = _choices(key, there, USUAL_MORE if draw else USUAL, anew=draw is None)
        with st.container(horizontal=True):
            drawn = st.form_submit_button("Draw the texts", key=key.format("submit"))
            looked = st.form_submit_button("What would that bring?", key=key.format("look"))
    try:
        if drawn:
            draw_planned(workbench, checklist.id, wished)
            for opened in (shown, AGAIN, MORE):
                st.session_state.pop(opened, None)
            st.rerun()
        if looked:
            st.session_state[shown] = planned_answers(workbench, checklist.id, wished)
    except WorkbenchError as error:
        show_error(error)
    if shown in st.session_state:
        for sentence in st.session_state[shown].forecast.said:
            st.markdown(sentence)


def _same_texts(workbench: Workbench, checklist: Checklist) -> None:
    """Offer the texts of an earlier version, whose answers to unchanged questions then count."""
    earlier = answered_version(workbench, checklist.id)
    if earlier is None:
        return
    st.markdown(
        f"Experts answered version {earlier}. On the same texts their answers to unchanged questions count again."
    )
    if st.button(f"Use version {earlier}'s texts", key=f"draw_same_{checklist.id}"):
        try:
            draw_same_texts(workbench, checklist.id)
        except WorkbenchError as error:
            show_error(error)
        else:
            st.rerun()


def _choices(key: str, there: int, usual: int, anew: bool) -> WishedWave:
    many, seeds = st.columns(2, width=400)
    texts = many.number_input("Texts", 1, there, min(usual, there), key=key.format("texts"))
    seed = seeds.number_input(
        "Seed", 0, 2**31 - 1, 1, key=key.format("seed"), help="The same seed draws the same texts again."
    )
    return WishedWave(int(texts), int(seed), anew)
