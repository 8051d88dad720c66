"""For whoever runs the project: draw the texts that experts answer on, and see how far the experts are."""

import pandas as pd
import streamlit as st

from app.domain.checklist import Checklist
from app.domain.expert_answer import AnswerDraw
from app.services.checklists.assignments import overlap_of
from app.services.checklists.expert_answers import expert_answers
from app.services.checklists.sheet_progress import progress
from app.services.runtime.workbench import Workbench
from pages.components.answer.plan import AGAIN, MORE, plan_form
from pages.components.shell import local_time
from pages.components.shell.navigation.screens import go
from pages.components.shell.words import number

_ASK = "Ask your experts to open this screen and give their name."


def expert_progress(workbench: Workbench, checklist: Checklist, draw: AnswerDraw) -> None:
    """What was drawn, and how far each expert is; what they answered is for Results."""
    st.subheader(f"Version {checklist.version}", anchor=False)
    st.caption(f"{number(len(draw.texts), 'text')}, {number(len(checklist.asked), 'question')} each. {_waves(draw)}")
    if shared := overlap_of(workbench, checklist.id):
        st.caption(f"Each text goes to {number(shared, 'expert')}; whose they are stands on Overview, below “People”.")
    found = expert_answers(workbench, checklist.id)
    if carried := str(found.carried):
        st.markdown(carried)
    sheets = progress(found)
    if not sheets:
        signed_in = workbench.actor.person is not None
        todo = "Your experts find them under My work." if signed_in else _ASK
        st.markdown(f"Nobody has answered yet. {todo}")
        if st.session_state.get(AGAIN) == checklist.id:
            plan_form(workbench, checklist)
        elif st.button("Draw other texts", key=f"draw_again_{checklist.id}", type="tertiary"):
            st.session_state[AGAIN] = checklist.id
            st.rerun()
        return
    frame = pd.DataFrame(
        [
            {
                "Expert": one.expert,
                "Texts finished": one.texts / max(one.all, 1),
                "Answers": one.answers,
                "Skipped": one.skipped,
                **({"Does not apply": one.does_not_apply} if any(q.may_not_apply for q in checklist.asked) else {}),
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
    if st.session_state.get(MORE) == checklist.id:
        plan_form(workbench, checklist, draw)
    elif st.button(
        "Give everybody more texts",
        key=f"draw_more_{checklist.id}",
        type="tertiary",
        help="After the texts they have. What they answered stays.",
    ):
        st.session_state[MORE] = checklist.id
        st.rerun()
    if st.button("See who agrees on which question", key=f"to_results_{checklist.id}", type="tertiary"):
        go("results", {"view": "questions"})


def _waves(draw: AnswerDraw) -> str:
    """When the texts were drawn, and by what."""
    how = "by chance, spread over the human scores" if draw.stratified else "by chance, since no text is rated"
    return " ".join(
        f"{number(len(wave.texts), 'text')} drawn on {local_time.said(wave.drawn_at, local_time.DAY)} with seed "
        f"{wave.seed}, {how if wave.design == 'chance' else 'rather where the judge is least sure'}."
        for wave in draw.waves
    )
