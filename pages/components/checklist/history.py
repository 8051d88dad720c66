"""History of a draft: what was done, by whom, and the way back."""

from collections.abc import Mapping

import pandas as pd
import streamlit as st

from app.domain.checklist import Checklist, ChecklistStatus
from app.domain.checklist_change import Change, Kind
from app.errors import WorkbenchError
from app.services.checklists.draft_history import history_of, last_change, undo, words_of
from app.services.runtime.workbench import Workbench
from pages.components.shell.words import plain, show_error

_PROBLEM = "undo_problem"
NAMELESS = "somebody without a name"


def undo_bar(workbench: Workbench, checklist: Checklist, who: str) -> None:
    """The last thing this person did, to be taken back; and who else was here."""
    if problem := st.session_state.pop(_PROBLEM, None):
        show_error(problem)
    history = history_of(workbench, checklist.id)
    mine = last_change(history, who)
    with st.container(horizontal=True, vertical_alignment="center", key="undo_bar"):
        if mine is not None:
            st.button(
                f"Undo: {mine.what}",
                key="undo_last",
                type="tertiary",
                icon=":material/undo:",
                on_click=_undo,
                args=[workbench, checklist.id, mine.id, who],
            )
        if history and history[0].who != who:
            st.caption(f"Last change: {plain(_told(history[0]))}")


def history_table(workbench: Workbench, checklist: Checklist, who: str) -> None:
    """Every change of this version while it was a draft; one that is ticked can be taken back."""
    if problem := st.session_state.pop(_PROBLEM, None):
        show_error(problem)
    history = history_of(workbench, checklist.id)
    if not history:
        st.markdown("Nothing was changed in this version since it was made.")
        return
    words = words_of(workbench, checklist.id)
    ticked = st.dataframe(
        pd.DataFrame([_row(change, words) for change in history]),
        placeholder="–",
        hide_index=True,
        key="history",
        on_select="rerun",
        selection_mode="single-row",
        column_config={"When (UTC)": st.column_config.DatetimeColumn(format="D MMM, HH:mm")},
    )
    if checklist.status is ChecklistStatus.PUBLISHED:
        return
    chosen = [history[row] for row in ticked.selection.rows if row < len(history)]
    possible = bool(chosen) and not chosen[0].undone
    st.button(
        "Take this change back",
        key="take_back",
        disabled=not possible,
        icon=":material/undo:",
        help="Tick a change first. One that was changed again since stays.",
        on_click=_undo,
        args=[workbench, checklist.id, chosen[0].id if possible else 0, who],
    )


def _undo(workbench: Workbench, checklist_id: int, change_id: int, who: str) -> None:
    try:
        undo(workbench, checklist_id, change_id, who)
    except WorkbenchError as error:
        st.session_state[_PROBLEM] = error


def _told(change: Change) -> str:
    return f"{change.who or NAMELESS} {change.what}, {change.at:%d %b, %H:%M} UTC"


_FIELDS = {"text": "", "name": "", "guidance": "How to decide: ", "weight": "Weight: ", "description": "Meaning: "}


def _row(change: Change, words: Mapping[tuple[Kind, int], str]) -> dict[str, object]:
    said = [
        (f"{label}{step.before[name]}", f"{label}{step.after[name]}")
        for step in change.steps
        for name, label in _FIELDS.items()
        if name in step.before
    ]
    # What only made room in the order isn't what the change was about, unless nothing else changed.
    edited = [step for step in change.steps if set(step.after) - {"position"}] or change.steps
    about = dict.fromkeys(words.get((step.kind, step.id), "") for step in edited)
    return {
        "When (UTC)": change.at,
        "Who": change.who or NAMELESS,
        "What": change.what + (" (taken back)" if change.undone else ""),
        "About": " | ".join(about),
        "Before": " | ".join(before for before, _ in said),
        "After": " | ".join(after for _, after in said),
    }
