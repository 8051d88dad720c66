"""For whoever runs the project: draw the texts that experts answer on, and see how far the experts are."""

import pandas as pd
import streamlit as st

from app.domain.checklist import Checklist
from app.domain.expert_answer import AnswerDraw
from app.errors import WorkbenchError
from app.services.checklists.expert_answers import draw_texts, drawable, expert_answers, progress
from app.services.runtime.workbench import Workbench
from pages.components.shell import local_time
from pages.components.shell.navigation.screens import go
from pages.components.shell.words import number, show_error

USUAL = 20
_AGAIN = "draw_again"


def draw_form(workbench: Workbench, checklist: Checklist) -> None:
    """How many texts, and the seed that draws them."""
    st.subheader(f"Draw texts for version {checklist.version}", anchor=False)
    there = drawable(workbench, checklist.id)
    if not there:
        st.markdown("No text is left to draw: all are locked, or were read as samples.")
        return
    st.caption(
        f"For whoever runs the project. Every expert gets the same texts, in an order of their own. "
        f"{number(there, 'text')} can be drawn; samples and locked texts are left out. "
        "Texts with ratings are drawn so that low and high ones keep their share."
    )
    with st.form(f"draw_form_{checklist.id}", border=False):
        many, seed = st.columns(2, width=400)
        texts = many.number_input("Texts", 1, there, min(USUAL, there), key=f"draw_texts_{checklist.id}")
        chosen = seed.number_input(
            "Seed", 0, 2**31 - 1, 1, key=f"draw_seed_{checklist.id}", help="The same seed draws the same texts again."
        )
        if st.form_submit_button("Draw the texts", key=f"draw_submit_{checklist.id}"):
            try:
                draw_texts(workbench, checklist.id, int(texts), int(chosen))
            except WorkbenchError as error:
                show_error(error)
            else:
                st.session_state.pop(_AGAIN, None)
                st.rerun()


def expert_progress(workbench: Workbench, checklist: Checklist, draw: AnswerDraw) -> None:
    """What was drawn, and how far each expert is; what they answered is for Results."""
    st.subheader(f"Version {checklist.version}", anchor=False)
    how = "by chance, spread over the human scores" if draw.stratified else "by chance, since no text is rated"
    st.caption(
        f"{number(len(draw.texts), 'text')} drawn on {local_time.said(draw.drawn_at, local_time.DAY)} "
        f"with seed {draw.seed}, {how}; "
        f"{number(len(checklist.asked), 'question')} each."
    )
    sheets = progress(expert_answers(workbench, checklist.id))
    if not sheets:
        st.markdown("Nobody has answered yet. Ask your experts to open this screen and give their name.")
        if st.session_state.get(_AGAIN) == checklist.id:
            draw_form(workbench, checklist)
        elif st.button("Draw other texts", key=f"draw_again_{checklist.id}", type="tertiary"):
            st.session_state[_AGAIN] = checklist.id
            st.rerun()
        return
    frame = pd.DataFrame(
        [
            {
                "Expert": one.expert,
                "Texts finished": one.texts / len(draw.texts),
                "Answers": one.answers,
                "Skipped": one.skipped,
                "Notes": one.notes,
            }
            for one in sheets
        ]
    )
    st.dataframe(
        frame,
        placeholder="–",
        hide_index=True,
        width="content",
        key=f"answer_progress_{checklist.id}",
        column_config={"Texts finished": st.column_config.ProgressColumn(format="percent", min_value=0, max_value=1)},
    )
    if st.button("See who agrees on which question", key=f"to_results_{checklist.id}", type="tertiary"):
        go("results", {"view": "questions"})
