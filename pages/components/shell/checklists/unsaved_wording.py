"""Words that couldn't be saved because somebody else was quicker: both are shown, and the person chooses."""

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from app.domain.checklist import Checklist, ChecklistStatus, Question
from app.errors import WorkbenchError
from app.services.checklists.draft_edits import QuestionWording, edit_question, put_back, question_in
from app.services.runtime.workbench import Workbench
from pages.components.shell.browser.kept_typing import dropped_typing
from pages.components.shell.checklists.question_choices import drop_choices
from pages.components.shell.checklists.wording_change import marked
from pages.components.shell.words import plain, show_error

_UNSAVED = "unsaved_wordings"
_PROBLEM = "unsaved_problem"


@dataclass(frozen=True, slots=True)
class Unsaved:
    """What a person typed into a draft, the question they had seen, and why it isn't saved."""

    checklist: int
    seen: Question
    mine: QuestionWording
    why: str


def keep_unsaved(unsaved: Unsaved) -> None:
    st.session_state[_UNSAVED] = {**_all(), unsaved.seen.id: unsaved}


def unsaved_of(question_id: int) -> Unsaved | None:
    return _all().get(question_id)


def unsaved_wordings(workbench: Workbench, checklist: Checklist, who: str) -> None:
    """On top of the draft, where it can't be overlooked; it stays until the person has chosen."""
    if problem := st.session_state.pop(_PROBLEM, None):
        show_error(problem)
    for unsaved in _all().values():
        if unsaved.checklist != checklist.id:
            continue
        now = question_in(checklist, unsaved.seen.id)
        with st.container(border=True, key=f"unsaved_{unsaved.seen.id}"):
            st.warning(f"**Your change is not saved yet.** {plain(unsaved.why)}", icon=":material/group:")
            _both(unsaved.mine, now)
            _choices(workbench, checklist, unsaved, now, who)


def _all() -> dict[int, Unsaved]:
    found: dict[int, Unsaved] = st.session_state.get(_UNSAVED, {})
    return found


def _drop(unsaved: Unsaved) -> None:
    dropped_typing(f"question_text_{unsaved.seen.id}", f"question_guidance_{unsaved.seen.id}")
    drop_choices(unsaved.seen.id)
    st.session_state[_UNSAVED] = {id_: other for id_, other in _all().items() if id_ != unsaved.seen.id}


def _both(mine: QuestionWording, now: Question | None) -> None:
    there, yours = st.columns(2)
    theirs = QuestionWording.of(now) if now else QuestionWording("")
    old, new = marked(theirs.text, mine.text)
    there.caption("What is there now")
    there.markdown(old if now else "The question was removed.")
    yours.caption("What you wrote")
    yours.markdown(new)
    for name, of_theirs, of_mine in (
        ("How to decide", theirs.guidance, mine.guidance),
        ("Weight", f"{theirs.weight:g}", f"{mine.weight:g}"),
        ("Component", theirs.component, mine.component),
        ("May not apply", *("yes" if wording.may_not_apply else "no" for wording in (theirs, mine))),
    ):
        if now is not None and of_theirs != of_mine:
            there.caption(plain(f"{name}: {of_theirs or 'none'}"))
            yours.caption(plain(f"{name}: {of_mine or 'none'}"))


def _choices(workbench: Workbench, checklist: Checklist, unsaved: Unsaved, now: Question | None, who: str) -> None:
    place = st.container(horizontal=True)
    if checklist.status is ChecklistStatus.PUBLISHED:
        place.markdown("This version was published meanwhile. Start a new draft from it to bring your wording in.")
    else:
        verb = "Keep mine" if now else "Put it back with my wording"

        def keep() -> None:
            if now is None:
                put_back(workbench, unsaved.seen.id, who)
            edit_question(workbench, now or unsaved.seen, unsaved.mine, who)

        place.button(verb, key=f"keep_mine_{unsaved.seen.id}", on_click=_do, args=[unsaved, keep])
    place.button(
        "Leave it as it is now", key=f"keep_theirs_{unsaved.seen.id}", type="tertiary", on_click=_drop, args=[unsaved]
    )


def _do(unsaved: Unsaved, action: Callable[[], None]) -> None:
    try:
        action()
    except WorkbenchError as error:
        st.session_state[_PROBLEM] = error
    else:
        _drop(unsaved)
