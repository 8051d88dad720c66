"""One expert's sheet: a text on the left, its questions on the right, answered with the mouse or the keyboard."""

import streamlit as st

from app.domain.expert_answer import AnswerSheet, SheetEntry
from app.domain.judgment import Answer
from app.domain.project import Project
from app.domain.task import Dimension
from app.domain.text import Text
from app.errors import InputError, WorkbenchError
from app.services.checklists.answer_entries import keep_entries, read_message
from app.services.checklists.expert_answers import texts_of
from app.services.runtime.workbench import Workbench
from pages.components.answer.keys import APART, WORDS, answer_keys
from pages.components.shell.reading import readable_text
from pages.components.shell.sticky import sticky
from pages.components.shell.words import number, plain, show_error

NOTHING_YET = ("", 0)
_PROBLEM = "answer_problem"
_NOT_DRAWN = InputError(
    "An answer was not kept: its question and text aren't among those drawn, or the question doesn't take it.",
    "Reload the page.",
)


def sheet(workbench: Workbench, project: Project, dimension: Dimension, mine: AnswerSheet) -> None:
    """Answers are saved at once; a refresh comes back to the first text that isn't finished.

    No fragment: a server that was started anew would know none, and never hear what the browser sends again.
    """
    if problem := st.session_state.pop(_PROBLEM, None):
        show_error(problem)
    texts = texts_of(workbench, mine.draw)
    place = _place(mine)
    if place == len(mine.texts):
        _finished(mine)
        return
    text = texts[mine.texts[place]]
    left, right = st.columns([3, 2], gap="large")
    with left:
        _reading(project, dimension, text)
    with right, sticky("answering"):
        done = number(mine.done, "text")
        st.progress(mine.done / len(mine.texts), f"Text {place + 1} of {len(mine.texts)} · {done} finished")
        if carried := str(mine.carried):
            st.caption(f"Yours: {carried} Change any of them here.")
        _keys(workbench, mine, place)


def _place(mine: AnswerSheet) -> int:
    """Where the expert is; the first text that isn't finished where they haven't moved."""
    key = _place_key(mine)
    if key not in st.session_state:
        asked = len(mine.checklist.asked)
        unfinished = (place for place, text in enumerate(mine.texts) if mine.answered(text) < asked)
        st.session_state[key] = next(unfinished, len(mine.texts))
    return min(int(st.session_state[key]), len(mine.texts))


def _place_key(mine: AnswerSheet) -> str:
    return f"answer_place_{mine.draw.id}_{mine.expert}"


def _reading(project: Project, dimension: Dimension, text: Text) -> None:
    st.caption(plain(project.task.text_name.capitalize()))
    readable_text(text.text, f"answer_text_{text.id}")
    if text.source:
        st.caption(plain(project.task.source_name.capitalize()))
        readable_text(text.source, f"answer_source_{text.id}")
    with st.expander(f"What {plain(dimension.name)} means", key="answer_rubric"):
        st.text(dimension.rubric or "It has no rubric.")


def _keys(workbench: Workbench, mine: AnswerSheet, place: int) -> None:
    key = f"answer_entries_{mine.draw.id}_{mine.expert}"

    def take() -> None:
        _take(workbench, mine, st.session_state[key].get("entries"))

    sent = answer_keys(key, mine, place, _confirmed(mine), take)
    # After the server or the connection was away, what was sent last arrives with a new session, which calls nothing.
    if sent is not None and _confirmed(mine) == NOTHING_YET and _take(workbench, mine, sent):
        st.rerun()


def _confirmed(mine: AnswerSheet) -> tuple[str, int]:
    """The opened page that sent entries last, and up to which of them all are kept."""
    page, last = st.session_state.get(_confirmed_key(mine), NOTHING_YET)
    return str(page), int(last)


def _confirmed_key(mine: AnswerSheet) -> str:
    return f"answer_confirmed_{mine.draw.id}_{mine.expert}"


def _take(workbench: Workbench, mine: AnswerSheet, sent: object) -> bool:
    """Keep what the browser sent and this session hasn't kept yet. What could not be stored isn't confirmed, and is
    sent again; what can't be an answer to this sheet is said and let go."""
    try:
        message = read_message(sent)
    except WorkbenchError as error:
        st.session_state[_PROBLEM] = error
        return False
    page, last = _confirmed(mine)
    fresh = [entry for entry in message.entries if message.page != page or entry.number > last]
    if not fresh:
        return False
    try:
        if keep_entries(workbench, mine.draw, mine.expert, fresh):
            st.session_state[_PROBLEM] = _NOT_DRAWN
    except InputError as error:
        st.session_state[_PROBLEM] = error
    except WorkbenchError as error:
        st.session_state[_PROBLEM] = error
        return False
    _follow(mine, fresh)
    st.session_state[_confirmed_key(mine)] = (message.page, fresh[-1].number)
    return True


def _follow(mine: AnswerSheet, entries: list[SheetEntry]) -> None:
    """Go where the expert went; a step from a text that is no longer on the screen goes nowhere."""
    for entry in entries:
        place = _place(mine)
        if entry.step and place < len(mine.texts) and mine.texts[place] == entry.text:
            _go(mine, place + entry.step)


def _finished(mine: AnswerSheet) -> None:
    asked = len(mine.checklist.asked)
    unfinished = [place for place, text in enumerate(mine.texts) if mine.answered(text) < asked]
    if unfinished:
        st.markdown(f"**{number(len(unfinished), 'text')} still without all answers.** The others are saved.")
        st.button(
            "Go to the first of them", key="answer_unfinished", type="primary", on_click=_go, args=[mine, unfinished[0]]
        )
    else:
        apart = {WORDS[kind]: mine.count(kind) for kind in APART}
        said = ", ".join(f"{count:,} {words}" for words, count in apart.items() if count)
        answers = number(mine.count(Answer.YES, Answer.NO), "question")
        if said:
            texts = number(len(mine.texts), "text")
            st.markdown(f"**All {texts} are done. Thank you.** You answered {answers}; {said}. Everything is saved.")
        else:
            st.markdown(f"**All {number(len(mine.texts), 'text')} are answered. Thank you.** Everything is saved.")
    st.button("Look at the texts again", key="answer_again", type="tertiary", on_click=_go, args=[mine, 0])


def _go(mine: AnswerSheet, place: int) -> None:
    st.session_state[_place_key(mine)] = max(0, place)
