"""Models' proposals for questions, accepted or refused one by one; experts' comments on questions."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import streamlit as st

from app.domain.checklist import Action, Checklist, Proposal, Question, QuestionComment
from app.domain.model_call import model_label
from app.domain.roles_and_rights import Right
from app.services.checklists.draft_edits import words_of
from app.services.checklists.question_proposals import (
    accept_proposal,
    begin_proposals,
    comment_on,
    comments_on,
    most_alike,
    open_proposals,
    proposals_job_key,
    refuse,
    sees_all_comments,
    settle_comment,
)
from app.services.runtime.workbench import Workbench, may
from app.services.scoring.last_models import ModelTask, last_model
from pages.components.checklist.history import NAMELESS
from pages.components.shell import labels as local_time
from pages.components.shell.background import watch
from pages.components.shell.browser.page_scripts import saved_typing
from pages.components.shell.checklists.question_editor import Editing, close_reworded, marked, opened_question
from pages.components.shell.labels import ShownErrors, button_label, number, plain, show_saved_error
from pages.components.shell.runs.model_options import chosen_model, model_choice

_COMMENT_PROBLEM = "comment_problem"


_CLOSED = "What others commented opens once you have answered your texts, so that it doesn't lead you."


def question_comments(
    workbench: Workbench, checklist: Checklist, question: Question, said: Sequence[QuestionComment], who: str
) -> None:
    """Draw comments, and a field for more; a comment that couldn't be saved stays in the field."""
    st.caption("Comments, for people: no judge reads them")
    if not sees_all_comments(workbench, checklist.id):
        st.caption(_CLOSED)
    show_saved_error(_COMMENT_PROBLEM)
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
    """Return a line about a comment: who wrote it, when, on which version, and its state."""
    line = f"{comment.who or NAMELESS}, {local_time.said(comment.at)}, version {comment.version}"
    if comment.settled_at is None:
        return line
    what = "resolved" if comment.resolved else "opened again"
    return f"{line} · {what} by {comment.settled_by or NAMELESS}, {local_time.said(comment.settled_at)}"


def comments_word(said: Sequence[QuestionComment]) -> list[str]:
    """Return how many comments are open, for the line of facts below a question."""
    waiting = sum(1 for comment in said if not comment.resolved)
    return [f":material/comment: {number(waiting, 'open comment')}"] if waiting else []


def all_comments(workbench: Workbench, checklist: Checklist) -> None:
    """Draw comments on a version by question, also on removed ones."""
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
    with ShownErrors(_COMMENT_PROBLEM):
        comment_on(workbench, question_id, str(st.session_state[key]), who)
        saved_typing(key)
        st.session_state[key] = ""


def _settle(workbench: Workbench, comment: QuestionComment, who: str) -> None:
    with ShownErrors(_COMMENT_PROBLEM):
        settle_comment(workbench, comment.id, not comment.resolved, who)


ASKED = {Action.REPHRASE: "Rephrase", Action.SIMPLER: "Simpler", Action.SPLIT: "Split"}
PURPOSE = "It words questions anew; you decide what is taken."
PAGE_SIZE = 5
_PROBLEM = "proposal_problem"
_VALIDATOR = "validator_model"


def proposals(editing: Editing) -> None:
    """Draw, above the questions, running requests and undecided proposals."""
    watch(editing.workbench, proposals_job_key(editing.view.checklist.id))
    show_saved_error(_PROBLEM)
    opened = opened_question()
    waiting = [proposal for proposal in _waiting(editing) if opened not in proposal.sources]
    if not waiting:
        return
    pages = -(-len(waiting) // PAGE_SIZE)
    with st.container(border=True, key="proposals"):
        st.markdown(f"**{number(len(waiting), 'proposal')} to decide**")
        page = st.pagination(pages, key="proposals_page") if pages > 1 else 1
        for proposal in waiting[(page - 1) * PAGE_SIZE : page * PAGE_SIZE]:
            _proposal(editing, proposal)


def proposals_for(editing: Editing, question: Question) -> None:
    """Draw undecided proposals about one question, beside it."""
    for proposal in _waiting(editing):
        if question.id in proposal.sources:
            _proposal(editing, proposal)


def _waiting(editing: Editing) -> list[Proposal]:
    return open_proposals(editing.workbench, editing.view.checklist.id)


def _proposal(editing: Editing, proposal: Proposal) -> None:
    what = "Drop" if not proposal.after else "Merge" if len(proposal.before) > 1 else "Split"
    what = "Reword" if len(proposal.before) == len(proposal.after) == 1 else what
    what = "May not apply" if proposal.action is Action.APPLICABILITY else what
    reason = f" · {plain(proposal.reason)}" if proposal.reason else ""
    st.markdown(f"**{what}** :small[:gray[{plain(model_label(proposal.model))}{reason}]]")
    now, then, decision = st.columns([5, 5, 2], gap="small")
    pairs = [marked(old, new) for old, new in zip(proposal.before[:1], proposal.after[:1], strict=False)]
    old = [pairs[0][0] if pairs else plain(proposal.before[0]), *map(plain, proposal.before[1:])]
    new = [pairs[0][1], *map(plain, proposal.after[1:])] if pairs else ["The question goes; it stays on record."]
    now.markdown("\n".join(f"- {line}" for line in old))
    then.markdown("\n".join(f"- {line}" for line in new))
    with decision:
        for verb, action in (("Accept", accept_proposal), ("Refuse", refuse)):
            st.button(
                button_label(verb, f"{what}: {proposal.before[0]}"),
                key=f"{verb.lower()}_{proposal.id}",
                type="secondary" if action is accept_proposal else "tertiary",
                on_click=_decide,
                args=[
                    partial(action, editing.workbench, proposal.id, editing.who),
                    proposal.sources if action is accept_proposal else (),
                ],
            )


def _decide(action: Callable[[], None], changes: Sequence[int] = ()) -> None:
    """Carry out a decision, in a callback, and close an editor of a question that it changes: it would show the old
    wording."""
    with ShownErrors(_PROBLEM):
        action()
        opened = opened_question()
        if opened is not None and opened in changes:
            close_reworded(opened)


def ask_about(editing: Editing, question: Question) -> None:
    """Draw what a model can do with one question; its answer becomes a proposal."""
    if not _asks_models(editing):
        return
    place = f"ask_about_{question.id}"
    with st.popover("Ask a model", key=place, icon=":material/auto_awesome:", type="tertiary", on_change="rerun"):
        asked = f"rewriting_model_{question.id}"
        model = model_choice(editing.workbench, "Model", asked, PURPOSE, first=_last(editing, "rewrite"))
        with st.container(horizontal=True):
            for action, verb in ASKED.items():
                args = [editing, action, question.id, asked]
                key = f"{action.value}_{question.id}"
                st.button(verb, key=key, disabled=not model, on_click=_ask, args=args)
        others = most_alike(editing.view.checklist, question)
        if others:
            merged = f"merge_with_{question.id}"
            st.selectbox(
                "Merge with",
                [q.id for q in others],
                format_func={q.id: q.text for q in others}.__getitem__,
                key=merged,
                help="Those worded most alike come first.",
            )
            args = [editing, Action.MERGE, question.id, asked, merged]
            st.button("Merge", key=f"merge_{question.id}", disabled=not model, on_click=_ask, args=args)


def validator(editing: Editing) -> None:
    """Draw the review of the whole draft by a model, as in a build."""
    if not _asks_models(editing):
        return
    with st.expander("Have it reviewed", key="validator"):
        st.caption(
            "The model that reviews merges questions about the same thing, rewords faulty ones and drops irrelevant "
            "ones. You accept or refuse each change."
        )
        first = _last(editing, "review")
        model = model_choice(editing.workbench, "Model", _VALIDATOR, "It reviews the questions.", first=first)
        args: list[Any] = [editing, None, [], _VALIDATOR]
        with st.container(horizontal=True):
            st.button("Review the draft", key="review_draft", disabled=not model, on_click=_start, args=args)
            st.button(
                "Ask which questions may not apply",
                key="ask_applicability",
                type="tertiary",
                disabled=not model,
                help="It names questions to which “does not apply” may be the answer, each with a reason; you decide.",
                on_click=_start,
                args=[editing, Action.APPLICABILITY, [], _VALIDATOR],
            )


def _last(editing: Editing, task: ModelTask) -> str:
    return last_model(editing.workbench, editing.view.project.id, task)


def _asks_models(editing: Editing) -> bool:
    """Return whether the person may ask models, as facilitators do: it is paid with the project's keys."""
    return may(editing.workbench, Right.FACILITATE, dimension_id=editing.view.dimension.id)


def _ask(editing: Editing, action: Action, question: int, asked: str, merged: str = "") -> None:
    """Ask a model, in a callback. `asked`, `merged`: the keys of the fields of the model and of the question to merge
    with."""
    st.session_state[f"ask_about_{question}"] = False  # folds the popover
    _start(editing, action, [question, st.session_state[merged]] if merged else [question], asked)


def _start(editing: Editing, action: Action | None, questions: list[int], asked: str) -> None:
    model = chosen_model(asked)
    with ShownErrors(_PROBLEM):
        begin_proposals(editing.workbench, editing.view.checklist.id, action, questions, model)
