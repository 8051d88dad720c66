"""Every change can be taken back: the last ones of this session, newest first."""

from collections.abc import Callable

import streamlit as st

from app.errors import WorkbenchError
from pages.components.shell.words import plain

Action = Callable[[], object]
_REMEMBERED = 20
_PROBLEM = "undo_problem"


def change(place: str, what: str, action: Action, back: Action) -> bool:
    """Do it in a callback, before the screen is drawn, and remember how to take it back; False where it failed."""
    try:
        action()
    except WorkbenchError as error:
        st.session_state[_PROBLEM] = str(error)
        return False
    remember(place, what, back)
    return True


def remember(place: str, what: str, back: Action) -> None:
    st.session_state[_key(place)] = [*_done(place), (what, back)][-_REMEMBERED:]


def undo_button(place: str) -> None:
    """Says what it takes back; nothing is shown where there is nothing to take back."""
    if problem := st.session_state.pop(_PROBLEM, ""):
        st.error(plain(problem), icon=":material/error:")
    if done := _done(place):
        label = f"Undo: {done[-1][0]}"
        st.button(label, key="undo_last", type="tertiary", icon=":material/undo:", on_click=_undo, args=[place])


def _undo(place: str) -> None:
    *rest, (_, back) = _done(place)
    try:
        back()
    except WorkbenchError as error:
        st.session_state[_PROBLEM] = str(error)
    st.session_state[_key(place)] = rest


def _done(place: str) -> list[tuple[str, Action]]:
    done: list[tuple[str, Action]] = st.session_state.get(_key(place), [])
    return done


def _key(place: str) -> str:
    return f"changes_{place}"
