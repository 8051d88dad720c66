"""The frame around every screen: navigation, the choice of project and dimension, the header."""

from collections.abc import Callable
from pathlib import Path

import streamlit as st

from app.domain.project import Project
from app.domain.task import Dimension
from app.services.data.projects import DimensionProgress, list_projects, overview
from app.services.runtime.workbench import Workbench
from pages.components.shell import style
from pages.components.shell.current import DIMENSION, PROJECT, current_dimension, current_project, take_choice
from pages.components.shell.expert import keep_expert
from pages.components.shell.words import plain

FOLDER = Path(__file__).resolve().parents[2]

# The flow's order is the navigation's order: phase -> (file, title, icon).
SCREENS = {
    "": (
        ("home", "Home", ":material/home:"),
        ("data", "Data", ":material/table_view:"),
    ),
    "What to look for": (
        ("think_aloud", "Think aloud", ":material/record_voice_over:"),
        ("ask_llms", "Ask the LLMs", ":material/forum:"),
        ("attributes", "Attributes", ":material/sell:"),
        ("compare", "Compare", ":material/compare:"),
        ("side_by_side", "Side by side", ":material/compare_arrows:"),
    ),
    "The checklist": (
        ("build", "Build", ":material/account_tree:"),
        ("checklist", "Checklist", ":material/checklist:"),
        ("lineage", "Lineage", ":material/family_history:"),
        ("answer", "Answer", ":material/quiz:"),
    ),
    "The scores": (
        ("score", "Score", ":material/speed:"),
        ("results", "Results", ":material/insights:"),
        ("conditions", "Conditions", ":material/balance:"),
        ("methods", "Methods", ":material/price_check:"),
        ("topics", "Topics", ":material/topic:"),
        ("locked_test", "Locked test", ":material/lock:"),
    ),
    "Set up": (
        ("prompts", "Prompts", ":material/edit_note:"),
        ("settings", "Settings", ":material/settings:"),
    ),
}


def page(name: str) -> str:
    """The path of a screen, as st.switch_page and st.page_link take it."""
    return str(FOLDER / f"{name}.py")


def navigation() -> st.Page:
    # The first screen's address is "/", whatever it is called here; it answers to its name as the others do.
    pages = {
        phase: [
            st.Page(
                page(name), title=title, icon=icon, url_path=name if name != "home" else "start", default=name == "home"
            )
            for name, title, icon in screens
        ]
        for phase, screens in SCREENS.items()
    }
    pages[""].append(st.Page(_to_home, title="Home", url_path="home", visibility="hidden"))
    return st.navigation(pages, expanded=True)


def _to_home() -> None:
    st.switch_page(page("home"), query_params=st.query_params.to_dict())


def sidebar(workbench: Workbench) -> None:
    """Choose project and dimension; both stay in the address, so a refresh or a sent link shows the same."""
    style.apply()
    take_choice()
    keep_expert()
    projects = [project.name for project in list_projects(workbench)]
    if not projects:
        return
    _say_if_unknown(projects)
    with st.sidebar:
        _pick("Project", PROJECT, projects)
        project = current_project(workbench)
        if project is None:
            return
        progress = {d.dimension.name: d for d in overview(workbench, project.id).dimensions}
        if progress:
            _pick("Dimension", DIMENSION, list(progress), lambda name: f"{name} · {_how_far(progress[name])}")


def _say_if_unknown(projects: list[str]) -> None:
    """An address may be old or mistyped; what is shown instead is not what was asked for."""
    asked = st.query_params.get(PROJECT)
    if asked and asked not in projects and PROJECT not in st.session_state:
        st.toast(
            plain(f"There is no project “{asked}” here; another one is shown."), icon=":material/info:", duration=10
        )


def _pick(label: str, key: str, options: list[str], shown: Callable[[str], str] = str) -> None:
    """Session first, then the address, then the first option (a widget bound to the address would write labels)."""
    wanted = (st.session_state.get(key), st.query_params.get(key))
    st.session_state[key] = next((option for option in wanted if option in options), options[0])
    st.selectbox(label, options, key=key, format_func=shown)
    st.query_params[key] = st.session_state[key]


def _how_far(progress: DimensionProgress) -> str:
    """The furthest step a dimension has reached, in a word or two."""
    if progress.run:
        return "scored"
    if progress.checklist:
        return f"checklist {progress.checklist.version}"
    return "has attributes" if progress.attributes else "no attributes yet"


def header(title: str, purpose: str, project: Project | None = None, dimension: Dimension | None = None) -> None:
    """The same on each screen: where one is, what it is called, and what it is for in one line."""
    where = " · ".join(part for part in (project and project.name, dimension and dimension.name) if part)
    st.caption(plain(where) or "InteractEval Workbench")
    st.title(title, anchor=False)
    st.markdown(purpose)
    if project is not None and project.notice:
        st.info(project.notice, icon=":material/info:")


def needs_project(workbench: Workbench, title: str, purpose: str) -> Project:
    """The header of a screen about a project; without a project it says what to do and ends the screen."""
    project = current_project(workbench)
    if project is None:
        header(title, purpose)
        todo = "Import a file on Data, which makes one, or try the demo on Home."
        empty("There is no project yet.", todo, "data", "Go to Data")
        st.stop()
    header(title, purpose, project)
    return project


def needs_dimension(workbench: Workbench, title: str, purpose: str) -> tuple[Project, Dimension]:
    """The header of a screen about one dimension."""
    project = current_project(workbench)
    if project is None:
        needs_project(workbench, title, purpose)
        raise AssertionError("needs_project ends the screen")
    dimension = current_dimension(workbench, project)
    header(title, purpose, project, dimension)
    if dimension is None:
        todo = "Say on Data, under “Dimensions and wording”, what quality the texts are judged on."
        empty("This project has no dimension yet.", todo, "data", "Go to Data")
        st.stop()
        raise AssertionError("stop ends the screen")
    return project, dimension


def empty(what: str, todo: str, target: str, button: str) -> None:
    """An empty screen says what to do next, and one button leads there."""
    st.markdown(f"**{what}** {todo}")
    if st.button(button, key=f"empty_to_{target}", type="primary"):
        st.switch_page(page(target))
