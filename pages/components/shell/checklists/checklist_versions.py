"""Versions of a checklist: which one is shown, what it changed, and what can be done with it."""

from collections.abc import Callable, Sequence
from datetime import datetime

import streamlit as st

from app.domain.checklist import Checklist, ChecklistStatus
from app.domain.people.actor import Right
from app.errors import WorkbenchError
from app.services.checklists.checklist_use import runs_with
from app.services.checklists.checklists import ChecklistView, get_checklist, new_draft
from app.services.checklists.expert_answers import answers_taken_over
from app.services.runtime.use_case import may
from app.services.runtime.workbench import Workbench
from pages.components.shell import local_time
from pages.components.shell.address import keep
from pages.components.shell.checklists.checklist_comparison import changed_since
from pages.components.shell.checklists.publishing import publish_steps
from pages.components.shell.navigation.screens import link
from pages.components.shell.runs.condition_words import condition_label
from pages.components.shell.runs.run_words import short_title
from pages.components.shell.words import model_label, number, plain, show_error

_NEXT = "next_version"
VERSION = "version"
_DIMENSION = "checklist_of"
_RUNS_SHOWN = 5


def show_version(version: int) -> None:
    """Choose this version when the screen is next drawn; another screen may lead to it."""
    st.session_state[_NEXT] = version


def choose_version(versions: Sequence[Checklist], dimension_id: int) -> int:
    """The version's number; the newest unless the address or the person says else. It stays in the address, which is
    about the dimension that was on the screen last."""
    key = f"version_{dimension_id}"
    numbers = [checklist.version for checklist in versions]
    if st.session_state.get(_DIMENSION, dimension_id) != dimension_id:
        st.query_params.pop(VERSION, None)
    st.session_state[_DIMENSION] = dimension_id
    linked = [n for n in numbers if str(n) == st.query_params.get(VERSION)]
    wanted = (st.session_state.pop(_NEXT, None), st.session_state.get(key), *linked, numbers[0])
    st.session_state[key] = next(version for version in wanted if version in numbers)
    labels = {checklist.version: _label(checklist) for checklist in versions}
    chosen = int(st.selectbox("Version", numbers, format_func=labels.__getitem__, key=key))
    keep(VERSION, str(chosen), str(numbers[0]))
    return chosen


def _label(checklist: Checklist) -> str:
    moment = _moment(checklist)
    when = f" · {local_time.said(moment, '%d %b')}" if moment else ""
    return f"Version {checklist.version} · {checklist.status.value}{when}"


def _moment(checklist: Checklist) -> datetime | None:
    return checklist.published_at or checklist.created_at


def standing(workbench: Workbench, view: ChecklistView) -> None:
    """What this version is made from and how many questions it asks; publish it or start from it; where it was used."""
    checklist = view.checklist
    switched_off = sum(1 for q in checklist.questions if not q.enabled)
    asked = f"**{number(len(checklist.asked), 'question')}** to be asked"
    st.markdown(asked + (f", {switched_off} switched off" if switched_off else ""))
    moment = _moment(checklist)
    when = local_time.said(moment, local_time.LONG) if moment else ""
    model = model_label(checklist.model) if checklist.model else ""
    st.caption(plain(" · ".join(part for part in (condition_label(checklist.condition), model, when) if part)))
    if checklist.parent is not None:
        st.caption(plain(changed_since(get_checklist(workbench, checklist.parent), checklist)))
    if checklist.status is ChecklistStatus.DRAFT:
        _draft(workbench, checklist)
    else:
        _published(workbench, checklist)
        _used(workbench, view)


def _draft(workbench: Workbench, checklist: Checklist) -> None:
    if not may(workbench, Right.FACILITATE, checklist_id=checklist.id):
        st.caption("A draft: whoever runs the project publishes it.")
        return
    publish_steps(workbench, checklist, f"Publish version {checklist.version}", "publish")
    st.caption(
        "Texts are scored with published versions. Once published it can't be changed any more, so that scores stay "
        "comparable; a new draft can start from it."
    )


def _published(workbench: Workbench, checklist: Checklist) -> None:
    st.markdown("Published: it stays as it is, so that scores stay comparable.")
    if carried := answers_taken_over(workbench, checklist.id):
        st.caption(f"Experts: {carried}")
    if may(workbench, Right.EDIT, checklist_id=checklist.id) and st.button(
        f"Start a new draft from version {checklist.version}",
        type="primary" if may(workbench, Right.FACILITATE, checklist_id=checklist.id) else "secondary",
        key="new_draft",
        help="A copy that can be edited. An older version is restored in the same way; none is ever lost.",
    ):
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
    show_version(checklist.version)


def _used(workbench: Workbench, view: ChecklistView) -> None:
    """The runs that asked this version, each with a way to its results."""
    runs = runs_with(workbench, view.project.id, view.checklist.id)
    if not runs:
        st.caption("No text was scored with this version yet.")
        return
    st.caption(f"Used by {number(len(runs), 'run')}")
    for run in runs[:_RUNS_SHOWN]:
        address = {"project": view.project.name, "dimension": view.dimension.name, "run": str(run.id)}
        link("results", plain(short_title(run)), parameters=address, disabled=not run.done)
