"""The screens, who may open them and in what order; the top bar and the steps."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal, NoReturn

import streamlit as st

from app.domain.project import Project
from app.domain.roles_and_rights import Actor, Right, Role
from app.services.checklists.my_work import tasks_of
from app.services.data.projects import list_projects, overview, show_research
from app.services.data.workflow_steps import FlowStep, NextStep, StepState, next_of, steps_of
from app.services.runtime.workbench import Workbench, may
from pages.components.shell.browser.page_scripts import save_tour_cookie, tour_was_ended
from pages.components.shell.current import (
    DIMENSION,
    EXPERT,
    PROJECT,
    choose,
    current_expert,
    hold,
    name_expert,
    role_in,
    signed_in_as,
    was_pressed,
)
from pages.components.shell.labels import guide_link, help_link, paragraph_on, plain

_OPEN_TO_ME = "open_screens"
FOLDER = Path(__file__).resolve().parents[3]


@dataclass(frozen=True, slots=True)
class Screen:
    """A screen. `name` is its title in lower case, the page's file and its address; `right` is needed to open it."""

    name: str
    title: str
    icon: str
    right: Right = Right.FACILITATE


@dataclass(frozen=True, slots=True)
class NavigationEntry:
    """An entry of the navigation; it opens its first screen and shows links to the others above it."""

    title: str
    icon: str
    screens: tuple[Screen, ...]


HOME = Screen("overview", "Overview", ":material/home:", Right.SEE)
MY_WORK = "My work"
"""The title of the first screen for invited experts."""
NAVIGATION = (
    NavigationEntry("Overview", HOME.icon, (HOME,)),
    NavigationEntry("Texts", ":material/article:", (Screen("texts", "Texts", ":material/article:"),)),
    NavigationEntry(
        "Attributes",
        ":material/lightbulb:",
        (
            Screen("think_aloud", "Think aloud", ":material/record_voice_over:", Right.TAKE_PART),
            Screen("which_is_better", "Which is better", ":material/thumbs_up_down:", Right.TAKE_PART),
            Screen("ask_llms", "Ask LLMs", ":material/forum:"),
            Screen("attributes", "Attributes", ":material/sell:", Right.REVIEW),
            Screen("compare", "Compare", ":material/compare:", Right.READ),
        ),
    ),
    NavigationEntry(
        "Checklist",
        ":material/checklist:",
        (
            Screen("checklist", "Checklist", ":material/checklist:", Right.REVIEW),
            Screen("how_it_was_made", "How it was made", ":material/account_tree:"),
            Screen("why_these_questions", "Why these questions", ":material/family_history:", Right.REVIEW),
            Screen("answer", "Answer", ":material/quiz:", Right.TAKE_PART),
            Screen("decide_together", "Decide together", ":material/how_to_vote:", Right.TAKE_PART),
        ),
    ),
    NavigationEntry("Scores", ":material/speed:", (Screen("scores", "Scores", ":material/speed:"),)),
    NavigationEntry(
        "Results",
        ":material/insights:",
        (
            Screen("results", "Results", ":material/insights:", Right.READ),
            Screen("disagreements", "Disagreements", ":material/gavel:", Right.READ),
        ),
    ),
)
RESEARCH = NavigationEntry(
    "Research",
    ":material/science:",
    (
        Screen("side_by_side", "Side by side", ":material/compare_arrows:", Right.TAKE_PART),
        Screen("conditions", "Conditions", ":material/balance:", Right.READ),
        Screen("methods", "Methods", ":material/price_check:", Right.READ),
        Screen("locked_test", "Locked test", ":material/lock:"),
    ),
)
SET_UP = NavigationEntry(
    "Set-up",
    ":material/settings:",
    (
        Screen("people", "People", ":material/group:"),
        Screen("prompts", "Prompts", ":material/edit_note:"),
        Screen("settings", "Settings", ":material/settings:", Right.SET_UP),
    ),
)
SCREENS: Mapping[str, Screen] = {
    screen.name: screen for entry in (*NAVIGATION, RESEARCH, SET_UP) for screen in entry.screens
}


# Addresses of version 0.2.0, kept for one release. The first screen answers to its name as the others do.
_OLD = {
    HOME.name: HOME.name,
    "home": HOME.name,
    "data": "texts",
    "score": "scores",
    "build": "how_it_was_made",
    "lineage": "why_these_questions",
}


def open_screens(actor: Actor, project: Project | None) -> None:
    """Remember which screens this person can open, so that no link leads to another."""
    free = [screen.name for screen in SCREENS.values() if actor.has(screen.right, project.id if project else None)]
    st.session_state[_OPEN_TO_ME] = [HOME.name, *free]


def is_open(name: str) -> bool:
    return name in st.session_state.get(_OPEN_TO_ME, SCREENS)


def page(name: str) -> str:
    """Return the path of a screen, as Streamlit takes it."""
    return str(FOLDER / f"{name}.py")


def entry_of(name: str) -> NavigationEntry:
    return next(
        entry for entry in (*NAVIGATION, RESEARCH, SET_UP) if any(screen.name == name for screen in entry.screens)
    )


def address(parameters: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return an address's parameters: the project, the dimension, the expert if nobody signs in, and `parameters`.

    Without the first three the browser would remember each screen once more whenever they are added.
    """
    keys = (PROJECT, DIMENSION) if signed_in_as() else (PROJECT, DIMENSION, EXPERT)
    kept = {key: st.session_state.get(key) for key in keys}
    return {key: str(value) for key, value in kept.items() if value} | dict(parameters or {})


def go(name: str, parameters: Mapping[str, str] | None = None) -> NoReturn:
    """Show another screen, on another dimension of this project where `parameters` names one."""
    if parameters and DIMENSION in parameters:
        choose(st.session_state[PROJECT], parameters[DIMENSION])
    st.switch_page(page(name), query_params=address(parameters))


def link(
    name: str,
    label: str = "",
    *,
    icon: str = "",
    help_: str | None = None,
    parameters: Mapping[str, str] | None = None,
    disabled: bool = False,
    stretch: bool = False,
) -> None:
    """Draw a link to another screen, by default with its title and icon; draw nothing for a screen that this person
    can't open.

    It stays on the chosen dimension: only `go` leads to another.
    """
    if not is_open(name):
        return
    screen = SCREENS[name]
    st.page_link(
        page(name),
        label=label or screen.title,
        icon=icon or screen.icon,
        help=help_,
        query_params=address(parameters),
        disabled=disabled,
        width="stretch" if stretch else "content",
    )


def navigation() -> st.Page:
    """Return all screens at their addresses. Links are drawn here, as an entry of Streamlit's holds one screen."""
    pages = [
        st.Page(
            page(screen.name),
            title=screen.title,
            icon=screen.icon,
            # The first screen's address is "/", whatever it is called here; it answers to its name as the others do.
            url_path="start" if screen is HOME else screen.name,
            default=screen is HOME,
        )
        for screen in SCREENS.values()
    ]
    pages += [st.Page(partial(_moved, new), title=SCREENS[new].title, url_path=old) for old, new in _OLD.items()]
    return st.navigation(pages, position="hidden")


def name_of(shown: st.Page) -> str:
    """Return the name of the screen of this page."""
    return _OLD.get(shown.url_path, shown.url_path) or HOME.name


def _moved(name: str) -> None:
    """Show the screen under its present name, for an old address."""
    st.switch_page(page(name), query_params=st.query_params.to_dict())


# Not Streamlit's own link, which would open another tab.
_WAY_OUT = '<a href="/leave" target="_self" style="font-size: 0.875rem">Sign out</a>'


def signed_in(workbench: Workbench, project: Project | None) -> None:
    actor = workbench.actor
    part = f", {role_in(workbench, project).value}" if project is not None and not actor.owner else ""
    name = actor.name_in(project.id) if project else actor.name
    with st.container(key="signed_in", gap="xxsmall"):
        st.caption(f"You are {plain(name)}{part}.")
        st.html(_WAY_OUT)


_MARKS = {
    StepState.DONE: " :small[:material/check_circle:]",
    StepState.READY: "",
    StepState.BLOCKED: " :small[:material/lock:]",
}
# Where going on is a matter of its own: the list of all that is ready, and the expert's own "I am done".
_OWN_WAY_ON = ("overview", "think_aloud")
_LOOK = """
<style>
  .st-key-where { border-bottom: 1px solid color-mix(in srgb, currentColor 15%, transparent); padding-bottom: 0.6rem; }
</style>
"""


def top_bar(workbench: Workbench, here: str) -> tuple[Project | None, tuple[FlowStep, ...]]:
    """Draw the choice of project and dimension; both stay in the address, so a refresh or a sent link shows the same.

    `here`: the open screen. Returns the project, None without any, and the dimension's steps.
    """
    projects = {project.name: project for project in list_projects(workbench)}
    if not projects:
        _know(workbench, None)
        return None, ()
    _say_if_unknown(list(projects))
    st.html(_LOOK)
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="where"):
        _pick("Project", PROJECT, list(projects), width=170)
        project = projects.get(str(st.session_state.get(PROJECT)))
        _know(workbench, project)
        if project is None:
            return None, ()
        progress = overview(workbench, project.id)
        dimensions = {d.dimension.name: d for d in progress.dimensions}
        if dimensions:
            _pick("Dimension", DIMENSION, list(dimensions), width=150)
        chosen = dimensions.get(str(st.session_state.get(DIMENSION)))
        steps = steps_of(progress, chosen)
        todo = next_of(progress, chosen)
        if workbench.actor.has(todo.right, project.id):
            _way_on(todo, steps, here)
    changed = {key: value for key, value in address().items() if st.query_params.get(key) != value}
    if changed:
        st.query_params.update(changed)
    return project, steps


def _know(workbench: Workbench, project: Project | None) -> None:
    """Remember the signed-in person, on whom it depends what is shown."""
    name_expert(workbench, project)
    open_screens(workbench.actor, project)


def _way_on(todo: NextStep, steps: tuple[FlowStep, ...], here: str) -> None:
    """Draw a button to the next step once the open one is done; none if the next step is on this screen."""
    behind = {screen.name for screen in entry_of(here).screens}
    step = next((step for step in steps if step.screen in behind), None)
    if here in _OWN_WAY_ON or todo.screen in behind or step is None or step.state is not StepState.DONE:
        return
    if not is_open(todo.screen):
        return
    # Results can be looked at any time; what still waits to be done stands out.
    kind: Literal["primary", "secondary"] = "secondary" if todo.screen == "results" else "primary"
    if was_pressed(todo.button, key="way_on", type=kind, help=plain(todo.why)):
        go(todo.screen, todo.parameters)


def _say_if_unknown(projects: list[str]) -> None:
    """Say that the address names an unknown project: it may be old or mistyped, and another one is shown."""
    asked = st.query_params.get(PROJECT)
    if asked and asked not in projects and PROJECT not in st.session_state:
        st.toast(
            plain(f"There is no project “{asked}” here; another one is shown."), icon=":material/info:", duration=10
        )


def _pick(label: str, key: str, options: list[str], width: int) -> None:
    """Draw a choice; its value is the session's, else the address's, else the first option (a widget bound to the
    address would write labels)."""
    wanted = (st.session_state.get(key), st.query_params.get(key))
    st.session_state[key] = next((option for option in wanted if option in options), options[0])
    st.selectbox(label, options, key=key, label_visibility="collapsed", width=width)


_STEP = "tour_step"
_ENDED = "tour_ended"


@dataclass(frozen=True, slots=True)
class TourStop:
    """A stop of the tour; `screen` is the one that it describes and links to."""

    screen: str
    title: str
    words: str


STOPS = (
    TourStop(
        "texts",
        "Texts",
        "Bring in a table with one text a row, with ratings by people if you have some. Here you also say what each "
        "dimension means: people and models read that before anything else.",
    ),
    TourStop(
        "think_aloud",
        "Attributes",
        "People say under “Think aloud” what makes a text good, LLMs under “Ask LLMs”. Nobody sees what others "
        "wrote before they are done themselves.",
    ),
    TourStop(
        "checklist",
        "Checklist",
        "The attributes become yes/no questions, and each question knows whose attributes it comes from. The draft is "
        "yours to edit; a published version never changes.",
    ),
    TourStop(
        "scores",
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
    TourStop(HOME.name, MY_WORK, "What is yours to do, and how far you are. Each task has one button that goes on."),
    TourStop(
        "think_aloud",
        "Think aloud",
        "Read a few texts and say what you look for, attribute by attribute. Each is saved at once; none is wrong.",
    ),
    TourStop("attributes", "Attributes", "Once you are done, you see here what everybody said, people and LLMs."),
    TourStop(
        "checklist",
        "Checklist",
        "The questions that were made of it. “Why?”, in a draft “Edit”, shows the attributes behind each.",
    ),
    TourStop(
        "answer",
        "Answer",
        "Answer the questions about texts that were drawn for you, with the keys Y, N and S. You can stop at any time.",
    ),
)


def tour(workbench: Workbench, project: Project | None, here: str) -> None:
    """Draw the tour's card, if the tour is on. `here`: the open screen."""
    expert = project is not None and role_in(workbench, project) is Role.EXPERT
    if st.session_state.get(_ENDED):
        save_tour_cookie()
    if _STEP in st.session_state or (here == HOME.name and _nothing_under_way(workbench, project, expert)):
        _card([stop for stop in (EXPERTS_STOPS if expert else STOPS) if is_open(stop.screen)], here)


def tour_button() -> None:
    """Draw the button that restarts the tour, on every screen; none for a person without a membership."""
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


def _nothing_under_way(workbench: Workbench, project: Project | None, expert: bool) -> bool:
    if st.session_state.get(_ENDED) or tour_was_ended():
        return False
    if project is None:
        return may(workbench, Right.BEGIN)
    return expert and not any(task.begun or task.finished for task in tasks_of(workbench, project.id, current_expert()))


@st.fragment
def _card(stops: list[TourStop], here: str) -> None:
    """Draw a stop, as a fragment: a step redraws nothing else, so that typed text stays."""
    if st.session_state.get(_ENDED) and _STEP not in st.session_state:
        save_tour_cookie()
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


_RESEARCH_HELP = "Screens for studies: who notices what, blind comparisons, conditions, methods, topics, a locked test."
# A link says which screen is open; in an entry with several screens none of them is the entry's own link.
_OPEN = "<style>.st-key-door_{name} a {{ background: color-mix(in srgb, currentColor 12%, transparent); }}</style>"


def draw_navigation(workbench: Workbench, project: Project | None, here: str, steps: tuple[FlowStep, ...]) -> None:
    """Draw the entries. `here`: the open screen. An entry shows whether its step is done or can't begin yet.

    Invited experts see no such marks: what is done in the project says nothing about what is theirs to do.
    """
    own_work = project is not None and bool(workbench.actor.expert_in(project.id))
    with st.sidebar:
        with st.container(key="doors", gap="xxsmall"):
            for entry in NAVIGATION:
                if rooms_ := _rooms(entry):
                    with st.container(key=f"door_{entry.screens[0].name}"):
                        step = next((step for step in steps if step.screen in {s.name for s in entry.screens}), None)
                        title = MY_WORK if own_work and HOME in entry.screens else entry.title
                        title += _MARKS[step.state] if step and not own_work else ""
                        help_ = plain(step.words) if step and step.state is StepState.BLOCKED else None
                        link(rooms_[0].name, title, icon=entry.icon, help_=help_, stretch=True)
        opened = entry_of(here)
        if opened in NAVIGATION:
            st.html(_OPEN.format(name=opened.screens[0].name))
        if project is not None:
            _research(workbench, project)
        if _rooms(SET_UP):
            with st.container(key="doors_set_up", gap="xxsmall"):
                st.caption(SET_UP.title)
                _links(SET_UP)
        with st.container(key="help", gap="xxsmall"):
            # Where nobody signs in, everybody who gave a name may answer.
            help_link(here, own_work or (here == "answer" and bool(current_expert())))
            tour_button()
        if workbench.actor.person is not None:
            signed_in(workbench, project)


def rooms(here: str) -> None:
    """Draw links to the screens of the entry that `here` belongs to, as far as this person may open
    them and if there are several."""
    opened = entry_of(here)
    found = _rooms(opened)
    if opened in NAVIGATION and len(found) > 1:
        with st.container(horizontal=True, gap="small", key="rooms"):
            for screen in found:
                with st.container(key=f"room_{screen.name}", width="content"):
                    link(screen.name)


def _rooms(entry: NavigationEntry) -> list[Screen]:
    """Return the entry's screens that this person can open."""
    return [screen for screen in entry.screens if is_open(screen.name)]


def _links(entry: NavigationEntry) -> None:
    for screen in entry.screens:
        link(screen.name, stretch=True)


def _research(workbench: Workbench, project: Project) -> None:
    if not may(workbench, Right.FACILITATE, project_id=project.id):
        if project.research and _rooms(RESEARCH):
            with st.container(key="doors_research", gap="xxsmall"):
                st.caption(RESEARCH.title)
                _links(RESEARCH)
        return
    key = f"research_{project.id}"
    hold(key, project.research)
    on = st.toggle(RESEARCH.title, key=key, help=_RESEARCH_HELP, on_change=_switch, args=[workbench, project.id, key])
    if on:
        with st.container(key="doors_research", gap="xxsmall"):
            _links(RESEARCH)


def _switch(workbench: Workbench, project_id: int, key: str) -> None:
    show_research(workbench, project_id, bool(st.session_state[key]))
