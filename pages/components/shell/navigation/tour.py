"""Tour: what the steps are for, one after the other, in a card above the screen. It covers nothing and asks nothing.

It comes by itself where somebody has nothing under way yet, until it is ended; in that browser it never comes by itself
again. Who begins it takes it along from screen to screen.
"""

from dataclasses import dataclass

import streamlit as st

from app.domain.people.actor import Right, Role
from app.domain.project import Project
from app.services.checklists.expert_tasks import tasks_of
from app.services.runtime.use_case import may
from app.services.runtime.workbench import Workbench
from pages.components.shell.browser.browser_cookie import keep_cookie, tour_was_ended
from pages.components.shell.expert import current_expert, role_in
from pages.components.shell.guide.help import paragraph_on
from pages.components.shell.guide.link import guide_link
from pages.components.shell.navigation.screens import HOME, SCREENS, go, is_open

_STEP = "tour_step"
_ENDED = "tour_ended"


@dataclass(frozen=True, slots=True)
class TourStop:
    """`screen`: the one that it tells of and leads to."""

    screen: str
    title: str
    words: str


STOPS = (
    TourStop(
        "data",
        "Texts",
        "Bring in a table with one text a row, with ratings by people if you have some. Here you also say what each "
        "dimension means: people and models read that before anything else.",
    ),
    TourStop(
        "think_aloud",
        "Ideas",
        "People say under “Think aloud” what makes a text good, LLMs under “Ask the LLMs”. Nobody sees what others "
        "wrote before they are done themselves.",
    ),
    TourStop(
        "checklist",
        "Checklist",
        "The ideas become yes/no questions, and each knows whose ideas it comes from. The draft is yours to edit; a "
        "published version never changes.",
    ),
    TourStop(
        "score",
        "Scores",
        "A judge answers the checklist for every text. You see beforehand what it costs, and a run that was stopped "
        "goes on where it ended.",
    ),
    TourStop(
        "results",
        "Results",
        "How well the scores agree with people, how far that can be trusted, and which questions to mend next.",
    ),
)
EXPERTS_STOPS = (
    TourStop(HOME.name, "My work", "What is yours to do, and how far you are. Each task has one button that goes on."),
    TourStop(
        "think_aloud",
        "Think aloud",
        "Read a few texts and say what you look for, one point at a time. Each is saved at once, and none is wrong.",
    ),
    TourStop("attributes", "Attributes", "Once you are done, you see here what everybody said, people and LLMs."),
    TourStop(
        "checklist",
        "Checklist",
        "The questions that were made of it. “Why?”, in a draft “Edit”, shows the points behind each.",
    ),
    TourStop(
        "answer",
        "Answer",
        "Answer the questions about texts that were drawn for you, with the keys Y, N and S. You can stop at any time.",
    ),
)


def tour(workbench: Workbench, project: Project | None, here: str) -> None:
    """The card, where the tour is on; `here`: the screen that is open."""
    expert = project is not None and role_in(workbench, project) is Role.EXPERT
    if st.session_state.get(_ENDED):
        keep_cookie()
    if _STEP in st.session_state or (here == HOME.name and _nothing_under_way(workbench, project, expert)):
        _card(_open_stops(expert), here)


def tour_button() -> None:
    """The way back to it, on every screen; none for whoever has no part in any project."""
    if not any(is_open(stop.screen) for stop in STOPS):
        return
    st.button(
        "Tour",
        key="tour_begin",
        icon=":material/explore:",
        type="tertiary",
        help="The steps from texts to results, one after the other. What you are doing stays as it is.",
        on_click=_show,
        args=[0],
    )


def _open_stops(expert: bool) -> list[TourStop]:
    return [stop for stop in (EXPERTS_STOPS if expert else STOPS) if is_open(stop.screen)]


def _nothing_under_way(workbench: Workbench, project: Project | None, expert: bool) -> bool:
    if st.session_state.get(_ENDED) or tour_was_ended():
        return False
    if project is None:
        return may(workbench, Right.BEGIN)
    return expert and not any(task.begun or task.finished for task in tasks_of(workbench, project.id, current_expert()))


@st.fragment
def _card(stops: list[TourStop], here: str) -> None:
    """A fragment: going on in it draws nothing else anew, so that nothing that is being typed is touched."""
    if st.session_state.get(_ENDED) and _STEP not in st.session_state:
        keep_cookie()
        return
    place = min(int(st.session_state.get(_STEP, 0)), len(stops) - 1)
    if place < 0:
        return
    stop, last = stops[place], place == len(stops) - 1
    with st.container(border=True, key="tour", gap="small"):
        st.caption(f"Tour, {place + 1} of {len(stops)}")
        st.markdown(f"{SCREENS[stop.screen].icon} **{stop.title}.** {stop.words} {guide_link(_paragraph(stop))}")
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            if place:
                st.button("Back", key="tour_back", on_click=_show, args=[place - 1])
            if last:
                st.button("Finish the tour", key="tour_end", on_click=_end)
            else:
                st.button("Next step", key="tour_next", on_click=_show, args=[place + 1])
            if stop.screen != here and st.button(f"Open {stop.title}", key="tour_open", on_click=_show, args=[place]):
                go(stop.screen)
            if not last:
                st.button("Skip the tour", key="tour_end", type="tertiary", on_click=_end)


def _paragraph(stop: TourStop) -> str:
    return paragraph_on(stop.screen, expert=stop in EXPERTS_STOPS)


def _show(place: int) -> None:
    st.session_state[_STEP] = place


def _end() -> None:
    st.session_state.pop(_STEP, None)
    st.session_state[_ENDED] = True
