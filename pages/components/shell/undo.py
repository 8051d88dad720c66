"""Undo of the last changes made in this browser, newest first; it survives a reload."""

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock

import streamlit as st

from app.errors import WorkbenchError
from pages.components.shell.browser.page_scripts import browser
from pages.components.shell.labels import ShownErrors, show_saved_error

Action = Callable[[], object]
_REMEMBERED = 20
_PLACES = 500  # of all browsers together; those that nobody has used for longest are forgotten
_PROBLEM = "undo_problem"


def change(place: str, what: str, action: Action, back: Action) -> bool:
    """Carry out a change in a callback, before the screen is drawn, and remember how to undo it; return False if it
    failed."""
    try:
        action()
    except WorkbenchError as error:
        st.session_state[_PROBLEM] = error
        return False
    remember(place, what, back)
    return True


class _Changes:
    """The changes of each browser in each place. A session ends with every reload; the process doesn't."""

    def __init__(self) -> None:
        self._of: OrderedDict[tuple[str, str], list[tuple[str, Action]]] = OrderedDict()
        self._lock = Lock()

    def of(self, browser: str, place: str) -> list[tuple[str, Action]]:
        with self._lock:
            return list(self._of.get((browser, place), ()))

    def keep(self, browser: str, place: str, done: list[tuple[str, Action]]) -> None:
        with self._lock:
            self._of[browser, place] = done
            self._of.move_to_end((browser, place))
            while len(self._of) > _PLACES:
                self._of.popitem(last=False)


_CHANGES = _Changes()


def remember(place: str, what: str, back: Action) -> None:
    _keep(place, [*_done(place), (what, back)][-_REMEMBERED:])


def add_to_last(place: str, back: Action) -> None:
    """Add an action to the last change: one Undo reverses both."""
    *rest, (what, earlier) = _done(place)

    def both() -> None:
        back()
        earlier()

    _keep(place, [*rest, (what, both)])


def last_change(place: str) -> str:
    """Return what Undo would reverse; "" for nothing."""
    done = _done(place)
    return done[-1][0] if done else ""


def undo_last(place: str) -> str:
    """Undo the last change and return what it was; "" if there is none. Raises what undoing raises: the change is
    forgotten then as well."""
    if not (done := _done(place)):
        return ""
    _keep(place, done[:-1])
    what, back = done[-1]
    back()
    return what


def show_problem() -> None:
    """Show, once, why the last change or its Undo failed."""
    show_saved_error(_PROBLEM)


def undo_button(place: str) -> None:
    """Draw a button that says what it reverses; nothing if there is nothing to undo."""
    show_problem()
    if what := last_change(place):
        label = f"Undo: {what}"
        st.button(label, key="undo_last", type="tertiary", icon=":material/undo:", on_click=_undo, args=[place])


def _undo(place: str) -> None:
    with ShownErrors(_PROBLEM):
        undo_last(place)


def _done(place: str) -> list[tuple[str, Action]]:
    if known := browser():
        return _CHANGES.of(known, place)
    done: list[tuple[str, Action]] = st.session_state.get(_key(place), [])
    return done


def _keep(place: str, done: list[tuple[str, Action]]) -> None:
    if known := browser():
        _CHANGES.keep(known, place, done)
    else:  # then what it did is this session's
        st.session_state[_key(place)] = done


def _key(place: str) -> str:
    return f"changes_{place}"
