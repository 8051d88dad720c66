"""One question opened: what can be changed in it, and why it is there."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import streamlit as st

from app.domain.checklist import Question, QuestionOrigin
from app.errors import ConflictError, WorkbenchError
from app.services.checklists.checklists import ChecklistView, hints_on
from app.services.checklists.draft_edits import QuestionWording, edit_question, remove_question
from app.services.runtime.workbench import Workbench
from pages.components.shell.browser.field_focus import focus_if_wanted
from pages.components.shell.browser.kept_typing import dropped_typing, saved_typing
from pages.components.shell.checklists.question_choices import (
    choice_keys_of,
    choices_of,
    drop_choices,
    keep_choices,
    show_choices,
)
from pages.components.shell.checklists.unsaved_wording import Unsaved, keep_unsaved, unsaved_of
from pages.components.shell.contributor_words import said_by
from pages.components.shell.words import plain, show_error

OPENED = "opened_question"
QUESTION = "question"  # in the address
_SEEN = "seen_question"
_PROBLEM = "question_problem"
NO_COMPONENT = "Without a component"


@dataclass(frozen=True, slots=True)
class Editing:
    """What every part of the screen needs to know. `who` is the name under which edits are kept."""

    workbench: Workbench
    view: ChecklistView
    who: str
    draft: bool

    @property
    def components(self) -> list[str]:
        return [component.name for component in self.view.checklist.components]


def opened_question() -> int | None:
    """The question opened on this screen, or named in the address: another screen may lead to it."""
    wanted = st.session_state.get(OPENED, st.query_params.get(QUESTION, ""))
    return int(wanted) if str(wanted).isdecimal() else None


def open_question(question: Question | None) -> None:
    """Open one for reading and editing; what it says now is what the person has seen."""
    note_opened(question)
    if question:
        st.query_params[QUESTION] = str(question.id)
    else:
        st.query_params.pop(QUESTION, None)


def note_opened(question: Question | None) -> None:
    """As open_question, without the address: for a screen that leads here with an address of its own."""
    st.session_state[OPENED] = question.id if question else ""
    st.session_state[_SEEN] = question


def question_detail(editing: Editing, question: Question) -> None:
    if editing.draft and not unsaved_of(question.id):
        _editor(editing, question)
    if question.guidance and not editing.draft:
        st.caption("How to decide")
        st.text(question.guidance)
    if question.may_not_apply and not editing.draft:
        why = f": {question.not_apply_reason}" if question.not_apply_reason else "."
        st.caption(plain(f"It may not apply{why}"))
    if question.original and question.original != question.text:
        st.caption("First wording")
        st.text(question.original)
    if question.reason:
        st.caption(plain(f"Reason: {question.reason}"))
    st.caption("Why this question: the attributes behind it")
    behind = [editing.view.attributes[id_] for id_ in question.attributes if id_ in editing.view.attributes]
    if behind:
        st.markdown("\n".join(f"- {plain(a.text)} :gray[{said_by(a)}]" for a in behind))
    else:
        st.markdown("None: it was added by hand." if question.origin is QuestionOrigin.ADDED else "None on record.")


def seen_question(question: Question) -> Question:
    """The question as this person saw it when they opened it, where it is open; else as it is now."""
    seen: Question | None = st.session_state.get(_SEEN)
    return seen if seen is not None and seen.id == question.id else question


def _seen(question: Question) -> Question:
    """The question as it was when this person opened it; reached by an address, as it is now."""
    seen: Question | None = st.session_state.get(_SEEN)
    if seen is None or seen.id != question.id:
        st.session_state[_SEEN] = seen = question
    return seen


def _editor(editing: Editing, question: Question) -> None:
    """Outside a form, so that the remarks are about what is typed as soon as it is."""
    seen, key = _seen(question), question.id
    if problem := st.session_state.pop(_PROBLEM, None):
        show_error(problem)
    text = st.text_area("Wording", seen.text, height=80, key=f"question_text_{key}")
    focus_if_wanted(key)
    st.text_area(
        "How to decide",
        seen.guidance,
        height=80,
        key=f"question_guidance_{key}",
        placeholder="optional: what counts as yes, and what as no",
        help="The judge reads this below the question. Changing it changes what the judge is asked, so answers from "
        "before don't count for it any more.",
    )
    show_choices(seen)
    left, right = st.columns(2)
    left.selectbox(
        "Component",
        [*editing.components, ""],
        index=None,
        format_func=lambda name: name or NO_COMPONENT,
        key=f"question_component_{key}",
        placeholder=NO_COMPONENT,
        on_change=keep_choices,
        args=[seen],
    )
    right.number_input(
        "Weight",
        min_value=0.0,
        step=0.5,
        key=f"question_weight_{key}",
        on_change=keep_choices,
        args=[seen],
        help="1 counts like every other question. The weighted score is shown beside the score in which all count "
        "alike, and never instead of it.",
    )
    st.checkbox(
        "May not apply",
        key=f"question_may_not_apply_{key}",
        on_change=keep_choices,
        args=[seen],
        help="“Does not apply” is then an answer for judge and experts, neither yes nor no; it plays no part in the "
        "score. Changing this changes what the judge is asked, so answers from before don't count for it any more.",
    )
    if seen.not_apply_reason:
        st.caption(plain(f"The model that wrote it says why it may not: {seen.not_apply_reason}"))
    with st.container(horizontal=True):
        st.button("Save question", key=f"save_question_{key}", on_click=_save, args=[editing, seen])
        st.button("Cancel", key=f"cancel_question_{key}", type="tertiary", on_click=_cancel, args=[key])
        st.button(
            "Remove question",
            key=f"remove_question_{key}",
            type="tertiary",
            icon=":material/delete:",
            help="It stays in the draft's history and can be put back.",
            on_click=_remove,
            args=[editing, seen],
        )
    remarks([hint.message for hint in hints_on(editing.workbench, editing.view, text, key)])


def remarks(said: Sequence[str]) -> None:
    """Hints on a wording; they never block."""
    if said:
        st.markdown("  \n".join(f":small[:gray[:material/lightbulb: {plain(hint)}]]" for hint in said))


def typed_keys_of(question_id: int) -> tuple[str, str]:
    """The keys of a question's text fields."""
    return f"question_text_{question_id}", f"question_guidance_{question_id}"


def _typed(seen: Question) -> QuestionWording:
    text, guidance = (str(st.session_state[key]) for key in typed_keys_of(seen.id))
    component, weight, may_not_apply = choices_of(seen)
    return QuestionWording(text, component, guidance, weight, may_not_apply)


def drop_edit(question_id: int) -> None:
    """Its drafts go: the person doesn't want them, or they are saved."""
    keys = typed_keys_of(question_id)
    dropped_typing(*keys)
    drop_choices(question_id)
    for key in (*keys, *choice_keys_of(question_id)):
        st.session_state.pop(key, None)  # else this drawing still takes them for typed


def _cancel(question_id: int) -> None:
    drop_edit(question_id)
    open_question(None)


def _save(editing: Editing, seen: Question) -> None:
    mine = _typed(seen)
    if _try(editing, seen, mine, lambda: edit_question(editing.workbench, seen, mine, editing.who)):
        saved_typing(*typed_keys_of(seen.id))
        drop_choices(seen.id)


def _remove(editing: Editing, seen: Question) -> None:
    if _try(editing, seen, _typed(seen), lambda: remove_question(editing.workbench, seen, editing.who)):
        drop_edit(seen.id)


def _try(editing: Editing, seen: Question, mine: QuestionWording, action: Callable[[], object]) -> bool:
    """Whether it was done. What was typed stays: in the editor after a mistake, beside the other's words after a
    conflict."""
    try:
        action()
    except ConflictError as error:
        keep_unsaved(Unsaved(editing.view.checklist.id, seen, mine, error.message))
        open_question(None)
    except WorkbenchError as error:
        st.session_state[_PROBLEM] = error
    else:
        open_question(None)
        return True
    return False
