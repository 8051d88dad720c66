"""Assign: which dimensions are whose, how many experts answer each text, and moving what lies idle."""

from collections.abc import Sequence

import streamlit as st

from app.domain.people import Role
from app.domain.project import Project
from app.errors import WorkbenchError
from app.services.checklists.assignments import (
    MemberTasks,
    SharedTexts,
    give_dimensions,
    move_texts,
    share_texts,
    shared_texts,
)
from app.services.data.projects import dimensions_named
from app.services.runtime.workbench import Workbench
from pages.components.shell.words import number, plain, show_error

_PROBLEM = "assign_problem"


def assign(workbench: Workbench, project: Project, members: Sequence[MemberTasks]) -> None:
    if (problem := st.session_state.pop(_PROBLEM, None)) is not None:
        show_error(problem)
    experts = [one for one in members if one.member.role is Role.EXPERT]
    _dimensions(workbench, project, experts)
    found = shared_texts(workbench, project.id)
    for shared in found:
        _overlap(workbench, shared)
    idle = [shared for shared in found if shared.unanswered]
    if idle:
        _moving(workbench, idle)
    if not found:
        st.caption("Once texts are drawn for experts, on Answer, you say here how many experts answer each of them.")


def _dimensions(workbench: Workbench, project: Project, experts: Sequence[MemberTasks]) -> None:
    st.caption("The dimensions that each expert thinks aloud about and answers. What they wrote on others stays.")
    options = {one.id: one.name for one in dimensions_named(workbench, project.name, "all")}
    columns = st.columns(2, gap="large")
    for place, one in enumerate(experts):
        key = f"given_{project.id}_{one.member.person.id}"
        st.session_state[key] = [dimension.id for dimension in one.given]
        columns[place % 2].multiselect(
            plain(one.member.name),
            list(options),
            format_func=options.__getitem__,
            key=key,
            placeholder="all dimensions",
            on_change=_give,
            args=[workbench, project.id, one.member.name, key],
        )


def _give(workbench: Workbench, project_id: int, name: str, key: str) -> None:
    try:
        give_dimensions(workbench, project_id, name, list(st.session_state[key]))
    except WorkbenchError as error:
        st.session_state[_PROBLEM] = error


def _overlap(workbench: Workbench, shared: SharedTexts) -> None:
    name, dimension = plain(shared.dimension.name), shared.dimension.id
    with st.form(f"overlap_form_{dimension}", border=False):
        with st.container(horizontal=True, vertical_alignment="bottom"):
            wanted = st.number_input(
                f"How many experts answer each text of {name}",
                0,
                value=shared.overlap,
                key=f"overlap_{dimension}",
                width=320,
                help="0: everybody answers every text. Texts that nobody has begun on are spread anew, as evenly as "
                "that goes; what somebody has begun stays theirs.",
            )
            pressed = st.form_submit_button("Spread the texts", key=f"overlap_now_{dimension}")
        st.caption(_standing(shared))
    if pressed:
        try:
            share_texts(workbench, dimension, int(wanted))
        except WorkbenchError as error:
            show_error(error)
        else:
            st.rerun()


def _standing(shared: SharedTexts) -> str:
    """In words: what is drawn, and what the spread leaves undone."""
    if not shared.texts:
        return "No texts are drawn yet; those that are drawn will be spread so."
    said = [f"{number(shared.texts, 'text')} drawn, {number(len(shared.experts), 'expert')}."]
    if shared.short:
        said.append(f"{number(shared.short, 'text')} with fewer experts than that: spread them again.")
    if shared.without:
        said.append(f"Without a text: {', '.join(shared.without)}. Spread them again to give them theirs.")
    return plain(" ".join(said))


def _moving(workbench: Workbench, idle: Sequence[SharedTexts]) -> None:
    st.caption("What somebody doesn't get to can be another's. Every answer stays with whoever gave it.")
    names = {shared.dimension.id: shared for shared in idle}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = st.selectbox(
            "Dimension", list(names), format_func=lambda id_: names[id_].dimension.name, key="move_dimension", width=200
        )
        shared = names[chosen]
        giver = st.selectbox(
            "Move the unanswered texts of",
            list(shared.unanswered),
            format_func=lambda name: f"{name} ({number(shared.unanswered[name], 'text')})",
            key="move_from",
            width=260,
        )
        taker = st.selectbox("to", [name for name in shared.experts if name != giver], key="move_to", width=200)
        pressed = st.button("Move them", key="move_now", disabled=taker is None)
    if pressed:
        try:
            moved = move_texts(workbench, chosen, giver, taker)
        except WorkbenchError as error:
            show_error(error)
            return
        left = f" {number(moved.left, 'text')} stay: {taker} has them too." if moved.left else ""
        st.toast(plain(f"{number(moved.moved, 'text')} of {giver} went to {taker}.{left}"))
        st.rerun()
