"""Decide with one key, then the next is there; the last decision can be taken back in one click."""

from collections.abc import Sequence

import streamlit as st

from app.domain.improvement import Decision
from app.domain.judgment import Answer
from app.errors import ConflictError, WorkbenchError
from app.services.disagreements.deciding import decide_answer, keep_decision, undo_decision
from app.services.disagreements.queue import DisagreementQueue, QueuedPair
from app.services.runtime.workbench import Workbench
from pages.components.disagreements.place import beside, show_pair
from pages.components.shell.browser.page_scripts import saved_typing
from pages.components.shell.checklists.publishing import VERSION
from pages.components.shell.checklists.question_editor import known_editor
from pages.components.shell.navigation.screens import link
from pages.components.shell.words import show_error

SAID = {Answer.YES: "Yes", Answer.NO: "No", Answer.NOT_APPLICABLE: "Does not apply"}
_KEYS = {Answer.YES: "Y", Answer.NO: "N", Answer.NOT_APPLICABLE: "A"}
_LAST = "last_decision"
_PROBLEM = "decision_problem"


def answer_buttons(
    workbench: Workbench, queue: DisagreementQueue, pairs: Sequence[QueuedPair], pair: QueuedPair
) -> None:
    """What the person saw goes along, so that nobody overrules what they didn't see."""
    st.text_input("Why, in a line", key=_why(pair), placeholder="optional", max_chars=1_000)
    st.checkbox(
        "Make the line guidance of the question",
        key=_guide(pair),
        help="In the newest draft that holds the question, or in one that is started. Judges read it once that is "
        "published.",
    )
    with st.container(horizontal=True, key="decide"):
        for answer, letter in _KEYS.items():
            if answer is Answer.NOT_APPLICABLE and not pair.question.may_not_apply:
                continue
            st.button(
                SAID[answer],
                key=f"decide_{letter}_{pair.id}",  # typed twice, a key never decides what nobody has seen yet
                shortcut=letter,
                on_click=_decide,
                args=[workbench, queue, pair, answer, beside(pairs, pair, 1)],
            )
        st.button("Skip", key="skip_pair", shortcut="S", on_click=show_pair, args=[beside(pairs, pair, 1) or pair.id])


def _decide(workbench: Workbench, queue: DisagreementQueue, pair: QueuedPair, answer: Answer, then: str | None) -> None:
    why, as_guidance = str(st.session_state.get(_why(pair), "")), bool(st.session_state.get(_guide(pair)))
    try:
        found = decide_answer(
            workbench,
            queue.checklist.id,
            pair.question.id,
            pair.text,
            answer,
            known_editor(),
            why=why,
            seen=pair.decision.id if pair.decision else None,
            as_guidance=as_guidance,
            run_id=queue.runs[0].id if queue.runs else None,
        )
    except WorkbenchError as error:
        if isinstance(error, ConflictError) and _LAST in st.session_state and st.session_state[_LAST][1] == pair.id:
            return  # the same key once more, before the next one was there
        st.session_state[_PROBLEM] = error
        show_pair(pair.id)
        return
    saved_typing(_why(pair))
    for key in (_why(pair), _guide(pair)):
        st.session_state.pop(key, None)
    st.session_state[_LAST] = (found.decision, pair.id, found.draft)
    show_pair(then)


def last_decision(workbench: Workbench, decides: bool) -> None:
    """What went wrong, else what was decided last in this session and the way back."""
    if problem := st.session_state.pop(_PROBLEM, None):
        show_error(problem)
    if not decides or _LAST not in st.session_state:
        return
    decision, pair, draft = st.session_state[_LAST]
    with st.container(horizontal=True, vertical_alignment="center", key="last_decision"):
        st.markdown(f"Decided: **{SAID[decision.answer]}**.", width="content")
        st.button(
            "Undo",
            key="undo_decision",
            icon=":material/undo:",
            type="tertiary",
            on_click=undo,
            args=[workbench, decision, pair],
        )
        if draft:
            st.markdown(f"The line is guidance in draft {draft} now.", width="content")
            link("checklist", f"Open draft {draft}", parameters={VERSION: str(draft)})


def undo(workbench: Workbench, decision: Decision, pair: str) -> None:
    """In a callback: the pair is shown again."""
    st.session_state.pop(_LAST, None)
    show_pair(pair)
    try:
        undo_decision(workbench, decision.id, known_editor())
    except WorkbenchError as error:
        st.session_state[_PROBLEM] = error


def settle(workbench: Workbench, queue: DisagreementQueue, decision: Decision, pair: str) -> None:
    """In a callback: keep this one of those that contradict each other."""
    st.session_state.pop(_LAST, None)
    show_pair(pair)
    try:
        keep_decision(workbench, queue.checklist.id, decision.id, known_editor())
    except WorkbenchError as error:
        st.session_state[_PROBLEM] = error


def _why(pair: QueuedPair) -> str:
    return f"why_{pair.id}"


def _guide(pair: QueuedPair) -> str:
    return f"as_guidance_{pair.id}"
