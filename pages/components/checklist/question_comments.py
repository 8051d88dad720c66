"""Comments on one question, beside it, and all comments of a version in its history."""

from collections.abc import Sequence

import streamlit as st

from app.domain.checklist import Checklist, Question, QuestionComment
from app.domain.people import Right
from app.errors import WorkbenchError
from app.services.checklists.draft_edits import words_of
from app.services.checklists.question_proposals import comment_on, comments_on, sees_all_comments, settle_comment
from app.services.runtime.use_case import may
from app.services.runtime.workbench import Workbench
from pages.components.checklist.history import NAMELESS
from pages.components.shell import words as local_time
from pages.components.shell.browser.page_scripts import saved_typing
from pages.components.shell.words import button_label, number, plain, show_error

_PROBLEM = "comment_problem"


_CLOSED = "What others commented opens once you have answered your texts, so that it doesn't lead you."


def question_comments(
    workbench: Workbench, checklist: Checklist, question: Question, said: Sequence[QuestionComment], who: str
) -> None:
    """What was said, and a field for more; what couldn't be kept stays in the field."""
    st.caption("Comments, for people: no judge reads them")
    if not sees_all_comments(workbench, checklist.id):
        st.caption(_CLOSED)
    if problem := st.session_state.pop(_PROBLEM, None):
        show_error(problem)
    comments = may(workbench, Right.EDIT, question_id=question.id)
    for comment in said:
        _comment(workbench, comment, who, comments)
    if not comments:
        return
    key = f"comment_{question.id}"
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_area(
            "Comment on this question",
            key=key,
            height=68,
            label_visibility="collapsed",
            placeholder="What should others know about this question?",
        )
        st.button("Comment", key=f"add_{key}", on_click=_add, args=[workbench, question.id, key, who])


def _comment(workbench: Workbench, comment: QuestionComment, who: str, settles: bool) -> None:
    words, action = st.columns((10, 2), vertical_alignment="top")
    text = plain(comment.text)
    words.markdown(f"{f':gray[~~{text}~~]' if comment.resolved else text}  \n:small[:gray[{plain(told(comment))}]]")
    if not settles:
        return
    verb = "Reopen" if comment.resolved else "Resolve"
    label = button_label(verb, f"the comment: {comment.text}")
    action.button(label, key=f"settle_{comment.id}", type="tertiary", on_click=_settle, args=[workbench, comment, who])


def told(comment: QuestionComment) -> str:
    """Who said it, when, of which version, and what became of it."""
    line = f"{comment.who or NAMELESS}, {local_time.said(comment.at)}, version {comment.version}"
    if comment.settled_at is None:
        return line
    what = "resolved" if comment.resolved else "opened again"
    return f"{line} · {what} by {comment.settled_by or NAMELESS}, {local_time.said(comment.settled_at)}"


def comments_word(said: Sequence[QuestionComment]) -> list[str]:
    """How many are open, for the line of facts below a question."""
    waiting = sum(1 for comment in said if not comment.resolved)
    return [f":material/comment: {number(waiting, 'open comment')}"] if waiting else []


def all_comments(workbench: Workbench, checklist: Checklist) -> None:
    """Of a version, by question; those on questions that were removed too."""
    found = comments_on(workbench, checklist.id)
    if not sees_all_comments(workbench, checklist.id):
        st.caption(_CLOSED)
    if not found:
        return
    st.markdown("**Comments**")
    words = words_of(workbench, checklist.id)
    for question_id, said in found.items():
        place = checklist.numbers.get(question_id)
        name = words.get(("question", question_id), "")
        st.markdown(plain(f"{f'{place} ' if place else ''}{name}"))
        for comment in said:
            state = "resolved" if comment.resolved else "open"
            st.markdown(f"- {plain(comment.text)} :small[:gray[{plain(told(comment))} · {state}]]")


def _add(workbench: Workbench, question_id: int, key: str, who: str) -> None:
    try:
        comment_on(workbench, question_id, str(st.session_state[key]), who)
    except WorkbenchError as error:
        st.session_state[_PROBLEM] = error
    else:
        saved_typing(key)
        st.session_state[key] = ""


def _settle(workbench: Workbench, comment: QuestionComment, who: str) -> None:
    try:
        settle_comment(workbench, comment.id, not comment.resolved, who)
    except WorkbenchError as error:
        st.session_state[_PROBLEM] = error
