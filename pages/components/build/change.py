"""A person's change to a build: saved at once, said where it fails, taken back with Undo."""

from collections.abc import Sequence
from typing import Protocol

import streamlit as st

from app.services.building.build_state import return_to
from app.services.runtime.workbench import Workbench
from pages.components.shell.browser.kept_typing import known_typing, saved_typing
from pages.components.shell.checklists.editor_name import current_editor
from pages.components.shell.undo import change
from pages.components.shell.words import button_label

ROW = [6, 1]  # what is read, what is done


def build_place(build_id: int) -> str:
    """Where Undo keeps what was done to this build."""
    return f"build_{build_id}"


class BuildEdit(Protocol):
    """Gives the number of the state it made, 0 where nothing changed."""

    def __call__(self, *, who: str) -> int: ...


def save_edit(workbench: Workbench, build_id: int, what: str, action: BuildEdit, typed: Sequence[str] = ()) -> None:
    """For callbacks; the history names the person who edits here. typed: the keys of the fields that it saves."""
    if do_edit(workbench, build_id, what, action, typed):
        open_item(build_id, "")


def do_edit(workbench: Workbench, build_id: int, what: str, action: BuildEdit, typed: Sequence[str] = ()) -> bool:
    """As `save_edit`, and what is open stays open; whether it was done."""
    made: list[int] = []

    def back() -> None:
        if made[0]:
            to_before(workbench, build_id, made[0])

    done = change(build_place(build_id), what, lambda: made.append(action(who=current_editor())), back)
    if done:
        saved_typing(*typed)
    return done


def to_before(workbench: Workbench, build_id: int, made: int) -> None:
    """Back to the state before the one that this edit made. Raises ConflictError where somebody went on from it."""
    return_to(workbench, build_id, made - 1, only_after=made, who=current_editor())


def open_item(build_id: int, item: str) -> None:
    """One item at a time is open for editing; "" for none."""
    st.session_state[f"build_open_{build_id}"] = item


def opened_item(build_id: int) -> str:
    found: str = st.session_state.get(f"build_open_{build_id}", "")
    return found


def row(build_id: int, item: str, text: str, what: str, typed: Sequence[str] = ()) -> bool:
    """One line of an item with the button that opens it; True while it is open.

    what: the item in plain text; typed: the keys of its fields.
    """
    is_open = opened_item(build_id) == item
    if not is_open and known_typing().keys() & set(typed):
        text += "  \n:small[:orange[not saved yet]]"
    words, action = st.columns(ROW, vertical_alignment="center")
    words.markdown(text)
    action.container(horizontal=True, horizontal_alignment="right").button(
        button_label("Close" if is_open else "Edit", what),
        key=f"open_{build_id}_{item}",
        type="tertiary",
        on_click=open_item,
        args=[build_id, "" if is_open else item],
    )
    return is_open
