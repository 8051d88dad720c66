"""One expert's sheet: a text on the left, its questions on the right, answered with the mouse or the keyboard."""

from functools import partial

import streamlit as st

from app.domain.checklist import Checklist, Question
from app.domain.expert_answer import AnswerSheet
from app.domain.judgment import Answer
from app.domain.project import Project
from app.domain.task import Dimension
from app.domain.text import Text
from app.errors import WorkbenchError
from app.services.expert_answers import answer, answer_sheet, note, texts_of
from app.services.workbench import Workbench
from pages.components.conditions import number
from pages.components.reading import reading
from pages.components.sticky import sticky
from pages.components.words import plain

WORDS = {Answer.YES: "yes", Answer.NO: "no", Answer.UNANSWERED: "skipped"}
_CHOICES = ((Answer.YES, "Yes", "Y"), (Answer.NO, "No", "N"), (Answer.UNANSWERED, "Skip", "S"))
_PROBLEM = "answer_problem"
_LEFT = "<style>.st-key-answer_questions button, .st-key-answer_questions button * { text-align: left; \
justify-content: flex-start; }</style>"


def sheet(workbench: Workbench, project: Project, dimension: Dimension, checklist: Checklist, expert: str) -> None:
    """Answers are saved at once; a refresh comes back to the first text that isn't finished."""
    if problem := st.session_state.pop(_PROBLEM, ""):
        st.error(plain(problem), icon=":material/error:")
    mine = answer_sheet(workbench, checklist.id, expert)
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
        current = _current(mine, text.id)
        _question(workbench, mine, text.id, current)
        _moving(mine, place, text.id)
        _all_questions(mine, text.id, current)


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
    reading(text.text, f"answer_text_{text.id}")
    if text.source:
        st.caption(plain(project.task.source_name.capitalize()))
        reading(text.source, f"answer_source_{text.id}")
    with st.expander(f"What {plain(dimension.name)} means", key="answer_rubric"):
        st.text(dimension.rubric or "It has no rubric.")


def _current(mine: AnswerSheet, text_id: int) -> int:
    """The place of the question to answer: the one chosen, else the first without an answer, else the last."""
    asked = mine.checklist.asked
    chosen = st.session_state.get(_question_key(mine, text_id))
    if isinstance(chosen, int) and chosen < len(asked):
        return chosen
    open_ = (place for place, question in enumerate(asked) if _given(mine, text_id, question) is None)
    return next(open_, len(asked) - 1)


def _question_key(mine: AnswerSheet, text_id: int) -> str:
    return f"answer_question_{mine.draw.id}_{text_id}"


def _given(mine: AnswerSheet, text_id: int, question: Question) -> Answer | None:
    one = mine.given.get((text_id, question.id))
    return one.answer if one else None


def _question(workbench: Workbench, mine: AnswerSheet, text_id: int, place: int) -> None:
    question = mine.checklist.asked[place]
    with st.container(border=True, key="answer_current"):
        st.caption(plain(f"Question {place + 1} of {len(mine.checklist.asked)} · {question.component}".rstrip(" ·")))
        st.markdown(f"**{plain(question.text)}**")
        if question.guidance:
            st.caption(plain(question.guidance))
        given = _given(mine, text_id, question)
        with st.container(horizontal=True):
            for choice, label, shortcut in _CHOICES:
                st.button(
                    label,
                    key=f"answer_{choice.value}",
                    icon=":material/check:" if choice is given else None,
                    shortcut=shortcut,
                    on_click=_answer,
                    args=[workbench, mine, text_id, place, choice],
                )
        key = f"answer_note_{text_id}_{question.id}"
        one = mine.given.get((text_id, question.id))
        st.text_input(
            "Note",
            one.note if one else "",
            key=key,
            placeholder="optional: what made it hard to answer",
            on_change=_note,
            args=[workbench, mine, text_id, question.id, key],
        )


def _moving(mine: AnswerSheet, place: int, text_id: int) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button("Back", key="answer_back", shortcut="Left", disabled=not place, on_click=_go, args=[mine, place - 1])
        complete = mine.answered(text_id) == len(mine.checklist.asked)
        last = place == len(mine.texts) - 1
        st.button(
            "Finish" if last else "Next text",
            key="answer_next",
            shortcut="Enter",
            type="primary" if complete else "secondary",
            on_click=_go,
            args=[mine, place + 1],
        )
    st.caption("The letters are keys. Each answer is saved at once.")


def _all_questions(mine: AnswerSheet, text_id: int, current: int) -> None:
    """Every question with the answer given and whether it has a note; a click goes back to one."""
    st.html(_LEFT)
    with st.container(key="answer_questions", gap="xxsmall"):
        for place, question in enumerate(mine.checklist.asked):
            words = f"{place + 1}\\. {plain(question.text)}"
            st.button(
                (f"**{words}**" if place == current else words) + _said(mine, text_id, question),
                key=f"answer_to_{place}",
                type="tertiary",
                wrap=True,
                on_click=_choose,
                args=[mine, text_id, place],
            )


def _said(mine: AnswerSheet, text_id: int, question: Question) -> str:
    given = _given(mine, text_id, question)
    one = mine.given.get((text_id, question.id))
    return (f" · **{WORDS[given]}**" if given else "") + (" · note" if one and one.note else "")


def _finished(mine: AnswerSheet) -> None:
    asked = len(mine.checklist.asked)
    unfinished = [place for place, text in enumerate(mine.texts) if mine.answered(text) < asked]
    if unfinished:
        st.markdown(f"**{number(len(unfinished), 'text')} still without all answers.** The others are saved.")
        st.button(
            "Go to the first of them", key="answer_unfinished", type="primary", on_click=_go, args=[mine, unfinished[0]]
        )
    else:
        st.markdown(f"**All {number(len(mine.texts), 'text')} are answered. Thank you.** Everything is saved.")
    st.button("Look at the texts again", key="answer_again", type="tertiary", on_click=_go, args=[mine, 0])


def _answer(workbench: Workbench, mine: AnswerSheet, text_id: int, place: int, choice: Answer) -> None:
    """Save, then go to the next question that has no answer; stay where all have one."""
    question = mine.checklist.asked[place]
    if not _do(partial(answer, workbench, mine.draw, mine.expert, text_id, question.id, choice)):
        return
    asked = mine.checklist.asked
    later = [*range(place + 1, len(asked)), *range(place)]
    following = next((n for n in later if _given(mine, text_id, asked[n]) is None), place)
    st.session_state[_question_key(mine, text_id)] = following


def _note(workbench: Workbench, mine: AnswerSheet, text_id: int, question_id: int, key: str) -> None:
    _do(partial(note, workbench, mine.draw, mine.expert, text_id, question_id, str(st.session_state[key])))


def _choose(mine: AnswerSheet, text_id: int, place: int) -> None:
    st.session_state[_question_key(mine, text_id)] = place


def _go(mine: AnswerSheet, place: int) -> None:
    st.session_state[_place_key(mine)] = max(0, place)


def _do(action: partial[None]) -> bool:
    try:
        action()
    except WorkbenchError as error:
        st.session_state[_PROBLEM] = str(error)
        return False
    return True
