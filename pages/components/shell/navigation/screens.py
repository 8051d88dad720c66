"""Every screen, the door it lies behind, and how to get there without losing project and dimension."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import streamlit as st

from app.domain.people.actor import Actor, Right
from app.domain.project import Project
from pages.components.shell.current import DIMENSION, PROJECT
from pages.components.shell.expert import EXPERT, signed_in_as

_OPEN_TO_ME = "open_screens"
FOLDER = Path(__file__).resolve().parents[3]


@dataclass(frozen=True, slots=True)
class Screen:
    """`name` is the page's file name without .py and its address; `right` is what it takes to open it."""

    name: str
    title: str
    icon: str
    right: Right = Right.FACILITATE


@dataclass(frozen=True, slots=True)
class Door:
    """A way in on the left; it opens its first screen and shows the others above it."""

    title: str
    icon: str
    screens: tuple[Screen, ...]


HOME = Screen("home", "Overview", ":material/home:", Right.SEE)
DOORS = (
    Door("Overview", HOME.icon, (HOME,)),
    Door("Texts", ":material/article:", (Screen("data", "Texts", ":material/article:"),)),
    Door(
        "Ideas",
        ":material/lightbulb:",
        (
            Screen("think_aloud", "Think aloud", ":material/record_voice_over:", Right.TAKE_PART),
            Screen("ask_llms", "Ask the LLMs", ":material/forum:"),
            Screen("attributes", "Attributes", ":material/sell:", Right.REVIEW),
        ),
    ),
    Door(
        "Checklist",
        ":material/checklist:",
        (
            Screen("checklist", "Checklist", ":material/checklist:", Right.REVIEW),
            Screen("build", "How it was made", ":material/account_tree:"),
            Screen("lineage", "Why these questions", ":material/family_history:", Right.REVIEW),
            Screen("answer", "Answer", ":material/quiz:", Right.TAKE_PART),
        ),
    ),
    Door("Scores", ":material/speed:", (Screen("score", "Scores", ":material/speed:"),)),
    Door(
        "Results",
        ":material/insights:",
        (
            Screen("results", "Results", ":material/insights:", Right.READ),
            Screen("disagreements", "Disagreements", ":material/gavel:", Right.READ),
        ),
    ),
)
RESEARCH = Door(
    "Research",
    ":material/science:",
    (
        Screen("compare", "Compare", ":material/compare:", Right.READ),
        Screen("side_by_side", "Side by side", ":material/compare_arrows:", Right.TAKE_PART),
        Screen("conditions", "Conditions", ":material/balance:", Right.READ),
        Screen("methods", "Methods", ":material/price_check:", Right.READ),
        Screen("topics", "Topics", ":material/topic:", Right.READ),
        Screen("locked_test", "Locked test", ":material/lock:"),
    ),
)
SET_UP = Door(
    "Set-up",
    ":material/settings:",
    (
        Screen("prompts", "Prompts", ":material/edit_note:"),
        Screen("settings", "Settings", ":material/settings:", Right.SET_UP),
    ),
)
SCREENS: Mapping[str, Screen] = {screen.name: screen for door in (*DOORS, RESEARCH, SET_UP) for screen in door.screens}


def open_screens(actor: Actor, project: Project | None) -> None:
    """Keep which screens this person can open, so that no link leads to another."""
    free = [screen.name for screen in SCREENS.values() if actor.has(screen.right, project.id if project else None)]
    st.session_state[_OPEN_TO_ME] = [HOME.name, *free]


def is_open(name: str) -> bool:
    return name in st.session_state.get(_OPEN_TO_ME, SCREENS)


def page(name: str) -> str:
    """The path of a screen, as Streamlit takes it."""
    return str(FOLDER / f"{name}.py")


def door_of(name: str) -> Door:
    return next(door for door in (*DOORS, RESEARCH, SET_UP) if any(screen.name == name for screen in door.screens))


def address(parameters: Mapping[str, str] | None = None) -> dict[str, str]:
    """What every address holds: the project, the dimension, the expert where nobody signs in; and what is asked for
    beside them.

    A link that leaves them out would have the browser remember each screen once more for each that is added there.
    """
    keys = (PROJECT, DIMENSION) if signed_in_as() else (PROJECT, DIMENSION, EXPERT)
    kept = {key: st.session_state.get(key) for key in keys}
    return {key: str(value) for key, value in kept.items() if value} | dict(parameters or {})


def go(name: str, parameters: Mapping[str, str] | None = None) -> NoReturn:
    """Show another screen."""
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
    """A link to another screen, by its own title and icon where no others are given; none to one that isn't open."""
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
    """All screens at their addresses. The links to them are drawn here, not by Streamlit, which knows no doors."""
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
    pages.append(st.Page(_to_home, title=HOME.title, url_path="home"))
    return st.navigation(pages, position="hidden")


def name_of(shown: st.Page) -> str:
    """The screen that this page is."""
    return shown.url_path or HOME.name


def _to_home() -> None:
    st.switch_page(page("home"), query_params=st.query_params.to_dict())
