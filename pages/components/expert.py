"""Who is thinking aloud: asked once a session."""

import streamlit as st

from app.domain.attribute import ContributorKind
from app.domain.project import Project
from app.services.attributes import contributors_of
from app.services.workbench import Workbench
from pages.components.words import plain

_EXPERT = "expert"


def expert(workbench: Workbench, project: Project) -> str:
    """The expert's name, "" until it is given. New names become contributors with their first consideration."""
    name = str(st.session_state.get(_EXPERT, ""))
    if name:
        with st.container(horizontal=True, vertical_alignment="center", key="who"):
            st.markdown(f"You are **{plain(name)}**.", width="content")
            if st.button("Somebody else", key="change_expert", type="tertiary"):
                del st.session_state[_EXPERT]
                st.rerun()
        return name
    st.subheader("Who are you?", anchor=False)
    people = [c.name for c in contributors_of(workbench, project.id) if c.kind is ContributorKind.HUMAN]
    with st.form("expert_form", border=False):
        typed = st.text_input("Your name", key="expert_typed", help="It stays with everything you write.")
        known = None
        if people:
            known = st.selectbox(
                "or one who was here before", people, index=None, placeholder="choose", key="expert_known"
            )
        start = st.form_submit_button("Start", key="expert_start", type="primary")
    if start:
        chosen = typed.strip() or known
        if chosen:
            st.session_state[_EXPERT] = chosen
            st.rerun()
        st.error("Type your name first.")
    return ""
