"""Whoever has signed in, at the foot of the side bar, with the way out."""

import streamlit as st

from app.domain.project import Project
from app.services.runtime.workbench import Workbench
from pages.components.shell.expert import role_in
from pages.components.shell.words import plain

# Not Streamlit's own link, which would open another tab.
_WAY_OUT = '<a href="/leave" target="_self" style="font-size: 0.875rem">Sign out</a>'


def signed_in(workbench: Workbench, project: Project | None) -> None:
    actor = workbench.actor
    part = f", {role_in(workbench, project).value}" if project is not None and not actor.owner else ""
    name = actor.name_in(project.id) if project else actor.name
    with st.container(key="signed_in", gap="xxsmall"):
        st.caption(f"You are {plain(name)}{part}.")
        st.html(_WAY_OUT)
