"""The doors on the left: six for everybody, research where the project has it switched on, and set-up."""

import streamlit as st

from app.domain.people.actor import Right
from app.domain.project import Project
from app.services.data.projects import show_research
from app.services.runtime.use_case import may
from app.services.runtime.workbench import Workbench
from pages.components.shell.expert import current_expert
from pages.components.shell.guide.help import help_link
from pages.components.shell.navigation.screens import DOORS, RESEARCH, SET_UP, Door, Screen, door_of, is_open, link
from pages.components.shell.navigation.signed_in import signed_in
from pages.components.shell.navigation.tour import tour_button

_RESEARCH_HELP = "Screens for studies: who notices what, blind comparisons, conditions, methods, topics, a locked test."
# A link says which screen is open; behind a door with several screens none of them is the door's own link.
_OPEN = "<style>.st-key-door_{name} a {{ background: color-mix(in srgb, currentColor 12%, transparent); }}</style>"


def doors(workbench: Workbench, project: Project | None, here: str) -> None:
    """`here`: the screen that is open."""
    with st.sidebar:
        with st.container(key="doors", gap="xxsmall"):
            for door in DOORS:
                if rooms_ := _rooms(door):
                    with st.container(key=f"door_{door.screens[0].name}"):
                        link(rooms_[0].name, door.title, icon=door.icon, stretch=True)
        opened = door_of(here)
        if opened in DOORS:
            st.html(_OPEN.format(name=opened.screens[0].name))
        if project is not None:
            _research(workbench, project)
        if _rooms(SET_UP):
            with st.container(key="doors_set_up", gap="xxsmall"):
                st.caption(SET_UP.title)
                _links(SET_UP)
        with st.container(key="help", gap="xxsmall"):
            own_work = project is not None and bool(workbench.actor.expert_in(project.id))
            # Where nobody signs in, whoever gave a name answers; with the rest of the project they do as they like.
            help_link(here, own_work or (here == "answer" and bool(current_expert())))
            tour_button()
        if workbench.actor.person is not None:
            signed_in(workbench, project)


def rooms(here: str) -> None:
    """The screens behind the door that is open, where there are several."""
    opened = door_of(here)
    found = _rooms(opened)
    if opened in DOORS and len(found) > 1:
        with st.container(horizontal=True, gap="small", key="rooms"):
            for screen in found:
                with st.container(key=f"room_{screen.name}", width="content"):
                    link(screen.name)


def _rooms(door: Door) -> list[Screen]:
    """Those of its screens that are open to this person."""
    return [screen for screen in door.screens if is_open(screen.name)]


def _links(door: Door) -> None:
    for screen in door.screens:
        link(screen.name, stretch=True)


def _research(workbench: Workbench, project: Project) -> None:
    if not may(workbench, Right.FACILITATE, project_id=project.id):
        if project.research and _rooms(RESEARCH):
            with st.container(key="doors_research", gap="xxsmall"):
                st.caption(RESEARCH.title)
                _links(RESEARCH)
        return
    key = f"research_{project.id}"
    st.session_state.setdefault(key, project.research)
    on = st.toggle(RESEARCH.title, key=key, help=_RESEARCH_HELP, on_change=_switch, args=[workbench, project.id, key])
    if on:
        with st.container(key="doors_research", gap="xxsmall"):
            _links(RESEARCH)


def _switch(workbench: Workbench, project_id: int, key: str) -> None:
    show_research(workbench, project_id, bool(st.session_state[key]))
