"""Versions of a checklist: which one is shown, what it changed, and what can be done with it."""

from collections.abc import Callable, Sequence
from datetime import datetime

import streamlit as st

from app.domain.checklist import Checklist, ChecklistStatus, Question
from app.errors import WorkbenchError
from app.services.checklist_diff import compare_checklists
from app.services.checklists import get_checklist, new_draft, publish
from app.services.workbench import Workbench
from pages.components.conditions import condition_label, number
from pages.components.words import model_label, plain, show_error

_NEXT = "next_version"
_PROBLEM = "publish_problem"


def choose_version(versions: Sequence[Checklist], dimension_id: int) -> int:
    """The version's number; the newest first."""
    key = f"version_{dimension_id}"
    numbers = [checklist.version for checklist in versions]
    wanted = st.session_state.pop(_NEXT, None)
    if wanted in numbers:
        st.session_state[key] = wanted
    labels = {checklist.version: _label(checklist) for checklist in versions}
    return int(st.selectbox("Version", numbers, format_func=labels.__getitem__, key=key))


def _label(checklist: Checklist) -> str:
    when = f" · {_moment(checklist):%d %b}" if _moment(checklist) else ""
    return f"Version {checklist.version} · {checklist.status.value}{when}"


def _moment(checklist: Checklist) -> datetime | None:
    return checklist.published_at or checklist.created_at


def standing(workbench: Workbench, checklist: Checklist) -> None:
    """What this version is made from and how many questions it asks; publish it, or start from it."""
    switched_off = sum(1 for q in checklist.questions if not q.enabled)
    asked = f"**{number(len(checklist.asked), 'question')}** to be asked"
    st.markdown(asked + (f", {switched_off} switched off" if switched_off else ""))
    when = f"{_moment(checklist):%d %b %Y, %H:%M} UTC" if _moment(checklist) else ""
    model = model_label(checklist.model) if checklist.model else ""
    st.caption(plain(" · ".join(part for part in (condition_label(checklist.condition), model, when) if part)))
    if checklist.status is ChecklistStatus.DRAFT:
        _draft(workbench, checklist)
    else:
        _published(workbench, checklist)


def _draft(workbench: Workbench, checklist: Checklist) -> None:
    if problem := st.session_state.pop(_PROBLEM, None):
        show_error(problem)
    label = f"Publish version {checklist.version}"
    st.button(label, type="primary", key="publish", on_click=_publish, args=[workbench, checklist])
    st.caption(
        "Texts are scored with published versions. Once published it can't be changed any more, so that scores stay "
        "comparable; a new draft can start from it."
    )


def _publish(workbench: Workbench, seen: Checklist) -> None:
    """As a callback it gets the draft that the person was looking at."""
    try:
        publish(workbench, seen.id, seen)
    except WorkbenchError as error:
        st.session_state[_PROBLEM] = error


def _published(workbench: Workbench, checklist: Checklist) -> None:
    st.markdown("Published: it stays as it is, so that scores stay comparable.")
    if st.button(f"Start a new draft from version {checklist.version}", type="primary", key="new_draft"):
        _do(lambda: new_draft(workbench, checklist.id))


def _do(action: Callable[[], Checklist]) -> None:
    """Do it and show the version that came of it."""
    try:
        show_next(action())
    except WorkbenchError as error:
        show_error(error)
    else:
        st.rerun()


def show_next(checklist: Checklist) -> None:
    """Show this version from the next rerun on."""
    st.session_state[_NEXT] = checklist.version


def against_parent(workbench: Workbench, checklist: Checklist) -> None:
    """What changed against the version this one started from."""
    if checklist.parent is None:
        return
    parent = get_checklist(workbench, checklist.parent)
    found = compare_checklists(parent, checklist)
    if found.empty:
        st.caption(f"Nothing is changed against version {parent.version}, from which this one started.")
        return
    parts = [
        (found.added, "added"),
        (found.reworded, "reworded"),
        (found.switched_off, "switched off"),
        (found.switched_on, "switched on"),
        (found.removed, "removed"),
    ]
    summary = ", ".join(f"{len(changed)} {verb}" for changed, verb in parts if changed)
    with st.expander(f"Changed against version {parent.version}: {summary}", key="diff"):
        _listed("Added", found.added)
        for before, after in found.reworded:
            st.markdown(f"**Reworded**\n- before: {plain(before.text)}\n- after: {plain(after.text)}")
        _listed("Switched off", found.switched_off)
        _listed("Switched on", found.switched_on)
        _listed("Removed", found.removed)


def _listed(heading: str, changed: Sequence[Question]) -> None:
    if changed:
        st.markdown(f"**{heading}**\n" + "\n".join(f"- {plain(question.text)}" for question in changed))
