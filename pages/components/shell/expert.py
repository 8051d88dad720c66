"""The expert who thinks aloud: the signed-in person. If nobody signs in, the name is asked once and kept in the session
and in the address, so that a refresh keeps it too."""

from typing import Any

import streamlit as st

from app.domain.attribute import Contributor, ContributorKind
from app.domain.people import Role
from app.domain.project import Project
from app.services.attributes.attributes import contributors_of
from app.services.runtime.workbench import Workbench
from app.services.think_aloud.independence import add_expert, describe_expert
from pages.components.shell.browser.page_scripts import saved_typing
from pages.components.shell.current import was_pressed
from pages.components.shell.words import ShownErrors, plain

EXPERT = "expert"
SIGNED_IN = "signed_in_as"
ROLE = "optional, for example: teacher of English"


def current_expert() -> str:
    """Return the name given in this session; "" for the project's owner, who gives none."""
    return str(st.session_state.get(EXPERT) or st.query_params.get(EXPERT, ""))


def keep_expert(workbench: Workbench) -> None:
    """Take a name in the address into the session, on every screen. Signed-in people have their own."""
    if workbench.actor.person is not None:
        forget_expert()
    elif name := current_expert():
        st.session_state[EXPERT] = name


def name_expert(workbench: Workbench, project: Project | None) -> None:
    """Make a signed-in expert of the project the current expert, on every screen, once the project is known."""
    signed_in = workbench.actor.person is not None
    name = workbench.actor.name_in(project.id) if project else workbench.actor.name
    st.session_state[SIGNED_IN] = name if signed_in else ""
    if project is not None and role_in(workbench, project) is Role.EXPERT:
        st.session_state[EXPERT] = name


def signed_in_as() -> str:
    """Return the person's name in this project; "" if nobody signs in."""
    return str(st.session_state.get(SIGNED_IN, ""))


def own_name(key: str, **look: Any) -> str:
    """Return the name to record with an act: the signed-in person's, else the one typed here."""
    if name := signed_in_as():
        return name
    return str(st.text_input("Your name", value=current_expert(), key=key, **look))


def role_in(workbench: Workbench, project: Project) -> Role:
    """Return the person's role: the server's owner does what facilitators do; a person without membership changes
    nothing."""
    if workbench.actor.owner:
        return Role.FACILITATOR
    membership = workbench.actor.memberships.get(project.id)
    return membership.role if membership else Role.READER


def expert(workbench: Workbench, project: Project) -> str:
    """Ask for the expert's name and return it, "" until it is given."""
    name = current_expert() or signed_in_as()
    if name:
        with st.container(horizontal=True, vertical_alignment="center", key="who"):
            st.markdown(f"You are **{plain(name)}**.", width="content")
            _about(workbench, project, name)
        return name
    with st.container(width=480, key="who_are_you"):
        _ask(workbench, project)
    return ""


def _about(workbench: Workbench, project: Project, name: str) -> None:
    """Draw the fields for role and background, and the button for another expert."""
    known = next((c for c in contributors_of(workbench, project.id) if c.name == name), None)
    unfolded = st.popover("About you", key="about_expert", type="tertiary", on_change="rerun")
    if not unfolded.open:
        return
    with unfolded:
        _about_form(workbench, project, name, known)
        if workbench.actor.person is None:
            st.button("I am somebody else", key="change_expert", type="tertiary", on_click=forget_expert)


def _about_form(workbench: Workbench, project: Project, name: str, known: Contributor | None) -> None:
    with st.form("about_form", border=False):
        role = st.text_input("Your role", known.role if known else "", placeholder=ROLE, key="about_role")
        background = st.text_area("Your background", known.background if known else "", key="about_background")
        st.caption("The facilitators see it beside your name, and it goes into exports.")
        if was_pressed("Save", "about_save", form=True):
            with ShownErrors():
                describe_expert(workbench, project.id, name, role, background)
                saved_typing("about_role", "about_background")
                st.success("Saved.", icon=":material/check_circle:")


def _ask(workbench: Workbench, project: Project) -> None:
    st.subheader("Who are you?", anchor=False)
    people = [c.name for c in contributors_of(workbench, project.id) if c.kind is ContributorKind.HUMAN]
    with st.form("expert_form", border=False):
        typed = st.text_input("Your name", key="expert_typed")
        known = None
        if people:
            known = st.selectbox(
                "or one who was here before", people, index=None, placeholder="choose", key="expert_known"
            )
        role = st.text_input("Your role", placeholder=ROLE, key="expert_role")
        background = st.text_input("Your background", placeholder="optional", key="expert_background")
        start = was_pressed("Start", key="expert_start", type="primary", form=True)
    if start:
        _start(workbench, project, typed.strip() or known or "", role, background)


def _start(workbench: Workbench, project: Project, name: str, role: str, background: str) -> None:
    if not name:
        st.error("Type your name first.")
        return
    with ShownErrors():
        add_expert(workbench, project.id, name, role, background)
        saved_typing("expert_typed", "expert_role", "expert_background")
        st.session_state[EXPERT] = name
        st.rerun()


def forget_expert() -> None:
    """Make this session the owner's from now on, not an expert's."""
    st.session_state.pop(EXPERT, None)
    st.query_params.pop(EXPERT, None)
