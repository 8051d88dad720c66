"""A person's change to a build: saved at once, said where it fails, taken back with Undo."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import streamlit as st

from app.domain.build import ChangeDecision, Stage
from app.services.building.build_state import BuildView, describe_component, return_to, reword_change, reword_question
from app.services.runtime.workbench import Workbench
from pages.components.shell.browser.page_scripts import known_typing, saved_typing
from pages.components.shell.checklists.question_editor import current_editor
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


EDITED_HERE = ("component_name_", "component_description_", "build_wording_", "change_wording_")
"""How the keys of the text fields of a build begin."""


@dataclass(frozen=True, slots=True)
class _OpenEdit:
    what: str
    keys: Sequence[str]
    action: BuildEdit


def save_open_edits(workbench: Workbench, view: BuildView) -> bool:
    """For callbacks: whether all are saved. Undo takes each back, and says why one couldn't be saved."""
    return all(do_edit(workbench, view.id, edit.what, edit.action, edit.keys) for edit in _open_edits(workbench, view))


def _open_edits(workbench: Workbench, view: BuildView) -> Iterator[_OpenEdit]:
    for component in view.build.components:
        keys = [f"component_{field}_{view.id}_{component.id}" for field in ("name", "description")]
        if typed := _typed(keys, (component.name, component.description)):
            action = partial(describe_component, workbench, view.id, component.id, *typed)
            yield _OpenEdit(f"described {component.name}", keys, action)
    for stage in (Stage.KEY_QUESTIONS, Stage.SUB_QUESTIONS):
        for question in view.build.questions(stage):
            keys = [f"build_wording_{view.id}_{question.id}"]
            if typed := _typed(keys, [question.text]):
                action = partial(reword_question, workbench, view.id, stage, question.id, *typed)
                yield _OpenEdit("reworded a question", keys, action)
    for made in view.build.changes:
        keys = [f"change_wording_{view.id}_{made.id}"]
        if made.decision is ChangeDecision.OPEN and (typed := _typed(keys, [made.mine or made.after])):
            action = partial(reword_change, workbench, view.id, made.id, *typed)
            yield _OpenEdit("reworded a change", keys, action)


def _typed(keys: Sequence[str], saved: Sequence[str]) -> list[str]:
    """What the fields say, in a form or in the browser; empty where that is what is saved."""
    known = known_typing()
    words = [str(known.get(key, st.session_state.get(key, old))) for key, old in zip(keys, saved, strict=True)]
    differs = any(new.split() != old.split() for new, old in zip(words, saved, strict=True))
    return words if differs else []
