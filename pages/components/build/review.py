"""The validator's changes as a diff: each merge, drop and rewording is accepted, refused or worded anew by a person."""

import re
from functools import partial

import streamlit as st

from app.domain.build import ChangeDecision, ChangeKind, ProposedChange
from app.services.building.build_edits import decide, decide_all, reword_change
from app.services.building.build_state import BuildView
from app.services.runtime.workbench import Workbench
from pages.components.build.change import open_item, opened_item, save_edit
from pages.components.shell.checklists.wording_change import marked
from pages.components.shell.words import button_label, number, plain

VERBS = {ChangeKind.MERGED: "Merge", ChangeKind.REWORDED: "Reword", ChangeKind.DROPPED: "Drop"}
# Validators begin a reason with what they did, which the verb before it says already.
_SAID_TWICE = re.compile(r"^(merged?|reword(ed)?|drop(ped)?)\s*:\s*", re.IGNORECASE)
STANDING = {ChangeDecision.OPEN: "not decided", ChangeDecision.ACCEPTED: "accepted", ChangeDecision.REFUSED: "refused"}
UNDECIDED = "Changes you don't decide on are taken as proposed when the checklist is made."


def review(workbench: Workbench, view: BuildView) -> None:
    proposed = [change for change in view.build.changes if change.kind is not ChangeKind.KEPT]
    kept = [change for change in view.build.changes if change.kind is ChangeKind.KEPT]
    waiting = len(view.build.undecided)
    if not proposed:
        st.markdown("The second look found nothing to change.")
    if waiting:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"{number(waiting, 'change')} to decide. {UNDECIDED}")
            for decision, label in ((ChangeDecision.ACCEPTED, "Accept all"), (ChangeDecision.REFUSED, "Refuse all")):
                st.button(
                    label,
                    key=f"all_{decision}_{view.id}",
                    on_click=save_edit,
                    args=[workbench, view.id, label.lower(), partial(decide_all, workbench, view.id, decision)],
                )
    texts = {question.id: question.text for question in view.build.sub_questions}
    for change in proposed:
        with st.container(border=True, key=f"change_{view.id}_{change.id}"):
            _change(workbench, view, change, texts)
    if kept:
        with st.expander(f"{number(len(kept), 'question')} kept as written", key=f"kept_{view.id}"):
            st.markdown("\n".join(f"- {plain(change.after)}" for change in kept))


def _change(workbench: Workbench, view: BuildView, change: ProposedChange, texts: dict[int, str]) -> None:
    words, decision = st.columns([5, 2], gap="medium")
    subject = change.mine or change.after or next((texts[id_] for id_ in change.before if id_ in texts), "")
    what = f"the change “{subject}”"
    with words:
        st.markdown(f"**{VERBS[change.kind]}**: {plain(_SAID_TWICE.sub('', change.reason))}")
        st.markdown("\n".join(f"- {line}" for line in _lines(change, texts)))
        if change.mine:
            st.caption(f"In your words. The model wrote: {plain(change.after)}")
    with decision:
        st.caption(STANDING[change.decision])
        with st.container(horizontal=True):
            _button(workbench, view.id, change, ChangeDecision.ACCEPTED, button_label("Accept", what))
            _button(workbench, view.id, change, ChangeDecision.REFUSED, button_label("Refuse", what))
            if change.after:
                item = f"change_{change.id}"
                st.button(
                    button_label("In other words", what),
                    key=f"reword_{view.id}_{change.id}",
                    type="tertiary",
                    on_click=open_item,
                    args=[view.id, "" if opened_item(view.id) == item else item],
                )
    if opened_item(view.id) == f"change_{change.id}":
        _rewording(workbench, view.id, change)


def _lines(change: ProposedChange, texts: dict[int, str]) -> list[str]:
    """Before and after; where one question became one other, the words that changed are marked."""
    before = [texts[id_] for id_ in change.before if id_ in texts]
    after = change.mine or change.after
    if change.kind is ChangeKind.REWORDED and len(before) == 1:
        old, new = marked(before[0], after)
        return [f"Before: {old}", f"After: {new}"]
    return [*(f"Before: {plain(text)}" for text in before), *([f"After: **{plain(after)}**"] if after else [])]


def _button(workbench: Workbench, build_id: int, change: ProposedChange, decision: ChangeDecision, label: str) -> None:
    what = f"{STANDING[decision]} a change"
    st.button(
        label,
        key=f"{decision}_{build_id}_{change.id}",
        disabled=change.decision is decision,
        on_click=save_edit,
        args=[workbench, build_id, what, partial(decide, workbench, build_id, change.id, decision)],
    )


def _rewording(workbench: Workbench, build_id: int, change: ProposedChange) -> None:
    key = f"{build_id}_{change.id}"
    with st.form(f"reword_{key}", border=False):
        st.text_area("Wording", change.mine or change.after, height=80, key=f"change_wording_{key}")
        st.form_submit_button(
            "Accept in these words", key=f"reword_{key}_submit", on_click=partial(_reword, workbench, build_id, change)
        )


def _reword(workbench: Workbench, build_id: int, change: ProposedChange) -> None:
    key = f"change_wording_{build_id}_{change.id}"
    reword = partial(reword_change, workbench, build_id, change.id, st.session_state[key])
    save_edit(workbench, build_id, "reworded a change", reword, [key])
