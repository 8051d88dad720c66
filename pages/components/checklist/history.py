"""History of a draft: what was done, by whom, and the way back."""

from collections.abc import Mapping

import streamlit as st

from app.domain.checklist import Change, Checklist, ChecklistStatus, Kind
from app.errors import WorkbenchError
from app.services.checklists.draft_edits import history_of, last_change, undo, words_of
from app.services.runtime.workbench import Workbench
from pages.components.shell import words as local_time
from pages.components.shell.address import keep, prepare
from pages.components.shell.checklists.question_editor import marked
from pages.components.shell.words import button_label, plain, show_error

_PROBLEM = "undo_problem"
NAMELESS = "somebody without a name"
PAGE_SIZE = 20
# What people can read of a step: the field, and what it is called ("" for the wording itself).
_FIELDS = {
    "text": "",
    "name": "",
    "guidance": "How to decide:",
    "may_not_apply": "May not apply:",
    "weight": "Weight:",
    "description": "Meaning:",
    "enabled": "The judge:",
}


def undo_bar(workbench: Workbench, checklist: Checklist, who: str) -> None:
    """The last thing this person did, to be taken back; and who else was here."""
    if problem := st.session_state.pop(_PROBLEM, None):
        show_error(problem)
    history = history_of(workbench, checklist.id)
    mine = last_change(history, who)
    with st.container(key="undo_bar"):
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


def change_history(workbench: Workbench, checklist: Checklist, who: str) -> None:
    """Every change of this version while it was a draft, newest first, each with what was before and after it."""
    if problem := st.session_state.pop(_PROBLEM, None):
        show_error(problem)
    history = history_of(workbench, checklist.id)
    if not history:
        st.markdown("Nothing was changed in this version since it was made.")
        return
    words = words_of(workbench, checklist.id)
    pages = -(-len(history) // PAGE_SIZE)
    page = st.pagination(pages, key="history_page") if pages > 1 else 1
    draft = checklist.status is ChecklistStatus.DRAFT
    for change in history[(page - 1) * PAGE_SIZE : page * PAGE_SIZE]:
        with st.container(border=True, key=f"change_{change.id}"):
            _heading(workbench, checklist, change, who, draft)
            _before_and_after(change, words)


def _heading(workbench: Workbench, checklist: Checklist, change: Change, who: str, draft: bool) -> None:
    title, action = st.columns((9, 3), vertical_alignment="center")
    taken_back = " :gray[(taken back)]" if change.undone else ""
    title.markdown(f"**{plain(_first_upper(change.what))}**{taken_back} :small[:gray[{plain(_when(change))}]]")
    if draft and not change.undone:
        action.button(
            button_label("Take back", change.what),
            key=f"take_back_{change.id}",
            type="tertiary",
            icon=":material/undo:",
            help="One that was changed again since stays.",
            on_click=_undo,
            args=[workbench, checklist.id, change.id, who],
        )


def _before_and_after(change: Change, words: Mapping[tuple[Kind, int], str]) -> None:
    """What it was about and, beside each other, the old and the new, with the words marked that differ."""
    # What only made room in the order isn't what the change was about, unless nothing else changed.
    edited = [step for step in change.steps if set(step.after) - {"position"}] or list(change.steps)
    for step in edited:
        said = [
            (label, *(_spoken(name, values[name]) for values in (step.before, step.after)))
            for name, label in _FIELDS.items()
            if name in step.before
        ]
        name = words.get((step.kind, step.id), "")
        if name and not any(label == "" for label, _, _ in said):
            st.markdown(plain(name))
        for label, old, new in said:
            before, after = st.columns(2)
            for place, text in zip((before, after), marked(_worded(old), _worded(new)), strict=True):
                place.markdown(f":small[:gray[{label}]] {text}" if label else text or ":gray[nothing]")


def _spoken(name: str, value: object) -> object:
    return ("yes" if value else "no") if name == "may_not_apply" else value


def _worded(value: object) -> str:
    if isinstance(value, bool):
        return "asked" if value else "not asked"
    return f"{value:g}" if isinstance(value, int | float) else str(value or "")


def _first_upper(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}"


def _undo(workbench: Workbench, checklist_id: int, change_id: int, who: str) -> None:
    try:
        undo(workbench, checklist_id, change_id, who)
    except WorkbenchError as error:
        st.session_state[_PROBLEM] = error


def _told(change: Change) -> str:
    return f"{change.who or NAMELESS} {change.what}, {local_time.said(change.at)}"


def _when(change: Change) -> str:
    return f"{change.who or NAMELESS}, {local_time.said(change.at)}"


PARTS = {"questions": "Questions", "try": "Try it", "compare": "Against another version", "history": "History"}
_KEY = "checklist_part"


def choose_part() -> str:
    prepare(_KEY, list(PARTS), "questions")
    part = st.segmented_control(
        "Part",
        list(PARTS),
        format_func=PARTS.__getitem__,
        required=True,
        key=_KEY,
        label_visibility="collapsed",
    )
    assert part is not None  # required
    keep(_KEY, part, "questions")
    return part
