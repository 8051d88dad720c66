"""Side by side: people's and LLMs' attributes compared blind."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from app.domain.expert_answer import SideBySide
from app.domain.project import Dimension
from app.services.attributes.side_by_side import QUESTIONS, answer_side_by_side, keywords, reveal
from app.services.runtime.workbench import Workbench
from pages.components.shell.browser.page_scripts import saved_typing
from pages.components.shell.frame import nothing_yet
from pages.components.shell.labels import ShownErrors, number, plain, show_saved_error
from pages.components.shell.reading import rubric

SET_HEIGHT = 360
# In pixels: no line gets longer than one reads with ease.
ANSWER_WIDTH = 690
_PROBLEM = "side_problem"
_OUTSIDE = "side_from_outside"


def outside_expert_button(dimension: Dimension, name: str) -> None:
    """Draw the button with which somebody who has written nothing can compare all the same."""
    st.caption(
        "Or take part from outside, without thinking aloud: you will read what others wrote on "
        f"{plain(dimension.name)}, so what you write on it later is marked as written after that."
    )
    st.button(
        "Compare from outside",
        key="side_outside",
        on_click=lambda: st.session_state.update({_OUTSIDE: (dimension.id, name)}),
    )


def outside_expert_pressed(dimension: Dimension, name: str) -> bool:
    """Return, once, whether that button was pressed for this dimension by this person."""
    return bool(st.session_state.pop(_OUTSIDE, None) == (dimension.id, name))


def blind_comparison(workbench: Workbench, dimension: Dimension, mine: SideBySide, llms: str) -> None:
    """Draw one expert's comparison; names are shown only once it is revealed. `llms`: the word for those that aren't
    people."""
    show_saved_error(_PROBLEM)
    rubric(dimension)
    first, second = st.columns(2, gap="large")
    for place, letter, texts in ((first, "A", mine.a), (second, "B", mine.b)):
        with place:
            whose = f": {_whose(mine, letter, llms)}" if mine.revealed else ""
            st.subheader(f"Set {letter}{whose}", anchor=False)
            st.caption(number(len(texts), "attribute"))
            with st.container(height=SET_HEIGHT, key=f"set_{letter}_{mine.id}"):
                st.text("\n\n".join(f"{number}. {text}" for number, text in enumerate(texts, start=1)), width="stretch")
    _questions(workbench, dimension, mine)
    if mine.revealed:
        return
    answered = sum(bool(mine.answers.get(question)) for question in QUESTIONS)
    st.button(
        "Show which set is whose",
        key="reveal",
        type="primary",
        disabled=answered < len(QUESTIONS),
        on_click=_do,
        args=[partial(reveal, workbench, mine.id)],
        help="After that nobody can change an answer.",
    )
    st.caption(f"{answered} of {len(QUESTIONS)} questions answered. Each answer is saved when you leave its field.")


def _whose(mine: SideBySide, letter: str, llms: str) -> str:
    return "people" if mine.people_are_a == (letter == "A") else llms


def _questions(workbench: Workbench, dimension: Dimension, mine: SideBySide) -> None:
    for question, wording in QUESTIONS.items():
        asked = plain(wording.format(dimension.name))
        if mine.revealed:
            st.markdown(f"**{asked}**")
            st.text(mine.answers.get(question, ""))
            continue
        key = f"answer_{mine.id}_{question}"
        st.text_area(
            asked,
            mine.answers.get(question, ""),
            key=key,
            height=90,
            width=ANSWER_WIDTH,
            on_change=_save,
            args=[workbench, mine.id, question, key],
        )


def _save(workbench: Workbench, comparison_id: int, question: str, key: str) -> None:
    _do(partial(answer_side_by_side, workbench, comparison_id, question, str(st.session_state[key])))
    if _PROBLEM not in st.session_state:
        saved_typing(key)


def _do(action: partial[None]) -> None:
    with ShownErrors(_PROBLEM):
        action()


def common_findings(comparisons: Sequence[SideBySide], dimension: Dimension) -> None:
    """Draw, for facilitators and for experts who have finished, how many have finished, and the words that three
    share."""
    finished = [one for one in comparisons if one.revealed]
    st.subheader("What the experts have in common", anchor=False)
    if not comparisons:
        nothing_yet("begun", plain(f"No expert has begun on {dimension.name} yet."))
        return
    st.caption(
        f"Experts who have finished on {plain(dimension.name)}: {len(finished)} of {len(comparisons)} who began."
    )
    shared = keywords(comparisons)
    if not shared:
        nothing_yet("shared", "No keyword is shared by three experts yet.")
        return
    chosen = st.selectbox(
        "Keyword",
        shared,
        format_func=lambda one: f"{one.word} · {len(one.experts)} experts",
        key=f"keyword_{dimension.id}",
        help="A word that at least three experts use in their answers; common words are left out.",
    )
    letters = {one.expert: "set A was people's" if one.people_are_a else "set B was people's" for one in finished}
    for who, text in chosen.answers if chosen else ():
        st.caption(plain(f"{who} ({letters[who]})"))
        st.text(text)
