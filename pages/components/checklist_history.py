"""What was done to a draft, by whom, and the way back."""

import pandas as pd
import streamlit as st

from app.domain.checklist import Checklist
from app.domain.checklist_change import Change
from app.errors import WorkbenchError
from app.services.checklist_history import history_of, last_change, undo
from app.services.workbench import Workbench
from pages.components.words import plain, show_error

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


def history_table(workbench: Workbench, checklist: Checklist) -> None:
    """Every change of this version while it was a draft."""
    history = history_of(workbench, checklist.id)
    if not history:
        st.markdown("Nothing was changed in this version since it was made.")
        return
    st.dataframe(pd.DataFrame([_row(change) for change in history]), hide_index=True, key="history", height="auto")


def _undo(workbench: Workbench, checklist_id: int, change_id: int, who: str) -> None:
    try:
        undo(workbench, checklist_id, change_id, who)
    except WorkbenchError as error:
        st.session_state[_PROBLEM] = error


def _told(change: Change) -> str:
    return f"{change.who or NAMELESS} {change.what}, {change.at:%d %b, %H:%M} UTC"


def _row(change: Change) -> dict[str, object]:
    fields = {("text", "name"): "", ("guidance",): "How to decide: ", ("weight",): "Weight: "}
    before, after = [], []
    for step in change.steps:
        for names, label in fields.items():
            for name in names:
                if name in step.before:
                    before.append(f"{label}{step.before[name]}")
                    after.append(f"{label}{step.after[name]}")
    return {
        "When (UTC)": change.at,
        "Who": change.who or NAMELESS,
        "What": change.what + (" (taken back)" if change.undone else ""),
        "Before": "; ".join(before),
        "After": "; ".join(after),
    }
