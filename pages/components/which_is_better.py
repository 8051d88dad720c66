"""Pairs of texts to compare: one at a time for an expert, their draw and progress for a facilitator."""

import streamlit as st

from app.domain.attribute import LONGEST_WORDS
from app.domain.expert_answer import DEFAULT_PAIRS, MOST_PAIRS, Winner
from app.domain.project import Dimension, Project
from app.services.attributes.pairs import (
    PairSheet,
    ShownPair,
    draw_pairs_for_experts,
    pair_progress,
    say_preference,
)
from app.services.runtime.workbench import Workbench
from pages.components.shell.browser.page_scripts import page_script, run_in_page, saved_typing
from pages.components.shell.current import own_name, was_pressed
from pages.components.shell.frame import nothing_yet
from pages.components.shell.labels import ShownErrors, number, plain, show_saved_error
from pages.components.shell.navigation.screens import link
from pages.components.shell.reading import readable_text, rubric
from pages.components.shell.tables import show_table

_PROBLEM = "pair_problem"
_MOVED = "pair_was_changed"
_TO_TOP = page_script("""(() => {
  const top = document.querySelector("[data-shown-pair]");
  if (top.getBoundingClientRect().top < 0) top.scrollIntoView({ block: "start" });
})();""")
_CHOICES = {Winner.A: "Text A", Winner.B: "Text B", Winner.TIE: "Equally good"}


def pairs_to_compare(workbench: Workbench, project: Project, dimension: Dimension, sheet: PairSheet) -> None:
    show_saved_error(_PROBLEM)
    key = f"pair_of_{dimension.id}_{sheet.expert}"
    first_open = next((place for place, pair in enumerate(sheet.pairs) if pair.said is None), len(sheet.pairs))
    place = min(int(st.session_state.get(key, first_open)), len(sheet.pairs))
    if place == len(sheet.pairs):
        _finished(sheet, key)
        return
    pair = sheet.pairs[place]
    with st.expander(plain(f"What {dimension.name} means"), key="pair_rubric"):
        rubric(dimension)
    if st.session_state.pop(_MOVED, False):  # on a phone the buttons stand below two texts
        run_in_page(_TO_TOP, f'<i data-shown-pair="{place}" style="scroll-margin-top: 4rem"></i>')
    st.caption(f"Pair {place + 1} of {len(sheet.pairs)}, {sheet.done} done")
    if pair.left.source:
        with st.expander(plain(project.task.source_name.capitalize()), key=f"pair_source_{place}"):
            readable_text(pair.left, "source", f"pair_source_text_{place}")
    left, right = st.columns(2, gap="large")
    for column, side, winner, text in ((left, "left", Winner.A, pair.left), (right, "right", Winner.B, pair.right)):
        with column:
            st.markdown(f"**{_CHOICES[winner]}**")  # on a phone one stands above the other
            readable_text(text, "text", f"pair_{side}_{place}")
    _choice(workbench, dimension, sheet, place, key)


def _choice(workbench: Workbench, dimension: Dimension, sheet: PairSheet, place: int, key: str) -> None:
    pair, why = sheet.pairs[place], f"pair_why_{dimension.id}_{sheet.expert}_{place}"
    st.markdown(f"**Which is better on {plain(dimension.name)}, and why?**")
    st.text_area(
        "What makes it better",
        pair.reason,
        key=why,
        max_chars=LONGEST_WORDS,
        height=80,
        placeholder="one thing to look for in any text; optional",
        help="It becomes an attribute of yours.",
    )
    with st.container(horizontal=True, key="pair_choice"):
        for winner, label in _CHOICES.items():
            st.button(
                label,
                key=f"pair_{winner.value}_{place}",
                type="primary" if pair.said is winner else "secondary",
                on_click=_say,
                args=[workbench, dimension, sheet, place, winner, why, key],
            )
        if place:
            st.button("Back", key="pair_back", type="tertiary", on_click=_show, args=[key, place - 1])
        if pair.said is not None:
            st.button("Next", key="pair_next", type="tertiary", on_click=_show, args=[key, place + 1])


def _show(key: str, place: int) -> None:
    st.session_state[key], st.session_state[_MOVED] = place, True


def _say(
    workbench: Workbench, dimension: Dimension, sheet: PairSheet, place: int, winner: Winner, why: str, key: str
) -> None:
    pair: ShownPair = sheet.pairs[place]
    reason = str(st.session_state.get(why, ""))
    with ShownErrors(_PROBLEM):
        say_preference(workbench, dimension.id, sheet.expert, pair.left.id, pair.right.id, winner, reason)
        saved_typing(why)
        _show(key, place + 1)


def _finished(sheet: PairSheet, key: str) -> None:
    left = len(sheet.pairs) - sheet.done
    words = "**All pairs are compared. Thank you.**" if not left else f"**{number(left, 'pair')} left to compare.**"
    st.markdown(words)
    with st.container(horizontal=True):
        st.button("Look at them again", key="pairs_again", on_click=_show, args=[key, 0])
        link("overview", "Go to what is yours")


def draw_form(workbench: Workbench, dimension: Dimension) -> None:
    """Draw, for a facilitator, how many pairs there are and how far experts are, and the form that draws pairs."""
    drawn, done = pair_progress(workbench, dimension.id)
    if not drawn:
        nothing_yet("pairs", "**No pairs are drawn yet.** Experts compare two texts of one source, and say why.")
    with st.form("draw_pairs", border=False, width=420):
        count = st.number_input("Pairs for each expert", 1, MOST_PAIRS, drawn or DEFAULT_PAIRS, key="pairs_count")
        seed = st.number_input("Seed", 0, 999_999, 1, key="pairs_seed")
        who = own_name("pairs_by", max_chars=60)
        pressed = was_pressed("Draw anew" if drawn else "Draw pairs", "draw_pairs_now", form=True, type="primary")
    if pressed:
        with ShownErrors():
            draw_pairs_for_experts(workbench, dimension.id, int(count), int(seed), who)
            st.rerun()
    if drawn:
        said = "These have begun:" if done else "Nobody has begun yet."
        st.markdown(f"**{number(drawn, 'pair')}** to compare. {said}")
        rows = [{"Expert": name, "Compared": f"{count} of {drawn}"} for name, count in done.items()]
        if rows:
            show_table(rows, "pairs_done", width="content")
        link("results", "Results: how often each method agrees")
