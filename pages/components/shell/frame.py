"""The frame of every screen: style, loading and its time."""

import gc
import json
import sys
import time
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.testing.v1 import AppTest

from app.domain.project import Dimension, Project
from app.services.runtime.judges import load_rules
from app.services.runtime.workbench import Workbench
from pages.components.shell.current import current_dimension, current_project, was_pressed
from pages.components.shell.navigation.screens import go, is_open
from pages.components.shell.words import plain


def header(title: str, purpose: str, project: Project | None = None) -> None:
    """The same on each screen: what it is called, and what it is for in one line."""
    st.title(title, anchor=False)
    st.markdown(purpose)
    if project is not None and project.notice:
        _notice(project)


def _notice(project: Project) -> None:
    """One line that stays away in this session once it was closed."""
    closed = f"notice_closed_{project.id}"
    if st.session_state.get(closed):
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="notice"):
        st.markdown(f":material/info: {plain(project.notice)}", width="content")
        if was_pressed("Hide notice", key="close_notice", type="tertiary", icon=":material/close:"):
            st.session_state[closed] = True
            st.rerun()


def needs_project(workbench: Workbench, title: str, purpose: str) -> Project:
    """The header of a screen about a project; without a project it says what to do and ends the screen."""
    project = current_project(workbench)
    if project is None:
        header(title, purpose)
        todo = "Import a file on Texts, which makes one, or try the demo on Overview."
        empty("There is no project yet.", todo, "texts", "Go to Texts")
        st.stop()
    header(title, purpose, project)
    return project


def needs_dimension(workbench: Workbench, title: str, purpose: str) -> tuple[Project, Dimension]:
    """The header of a screen about one dimension."""
    project = needs_project(workbench, title, purpose)
    dimension = current_dimension(workbench, project)
    if dimension is None:
        todo = "Say what quality the texts are judged on."
        section = {"section": "Dimensions and wording"}
        empty("This project has no dimension yet.", todo, "texts", "Add a dimension", section)
        st.stop()
        raise AssertionError("stop ends the screen")
    return project, dimension


def empty(what: str, todo: str, target: str, button: str, parameters: Mapping[str, str] | None = None) -> None:
    """An empty screen says what to do next, and one button leads there."""
    with st.container(key=f"empty_state_{target}"):
        st.markdown(f"**{what}** {todo}")
        if is_open(target) and was_pressed(button, key=f"empty_to_{target}", type="primary"):
            go(target, parameters)


def nothing_yet(part: str, words: str) -> None:
    """Words, as Markdown, where a part of a screen has nothing to show yet."""
    with st.container(key=f"empty_state_{part}"):
        st.markdown(words)


def sticky(key: str) -> DeltaGenerator:
    """A container for a column of its own; it scrolls by itself where it is taller than the window.

    Its wrapper is what moves: the container fills it from edge to edge.
    """
    place = st.container(key=key)
    st.html(
        "<style>"
        f"[data-testid='stLayoutWrapper']:has(> .st-key-{key}) {{ position: sticky; top: 4.5rem; }}"
        f".st-key-{key} {{ max-height: calc(100vh - 6rem); overflow-y: auto; padding: 0 2px; }}"
        "</style>"
    )
    return place


_RULES = """
<style>
  .stMainBlockContainer { max-width: 1400px; padding: 2.5rem clamp(1rem, 3vw, 3rem) 5rem; }
  /* With the doors folded away Streamlit's own bar lies over the top of the screen. */
  .stApp:has([data-testid="stExpandSidebarButton"]) .stMainBlockContainer { padding-top: 4rem; }
  .stMainBlockContainer h1 { padding-bottom: 0.2rem; }
  .reading, .stMainBlockContainer .stMarkdown p, .stMainBlockContainer [data-testid="stText"] { max-width: 46rem; }
  /* White can't be read on the light blue of the dark theme. */
  [data-testid^="stBaseButton-primary"]:enabled, [data-tag] { color: light-dark(#ffffff, #12161c); }
  [data-testid="stMetricLabel"] p { white-space: normal; }
  .st-key-notice { border-left: 3px solid light-dark(#1f5fae, #79b0f0); padding-left: 0.6rem; }
  .stMainBlockContainer .st-key-notice .stMarkdown p { max-width: none; font-size: 0.875rem; }
  [data-testid="stCaptionContainer"] { color: light-dark(#5b6470, #9aa5b3); opacity: 1; }
  [data-testid="stExpander"] summary { opacity: 1; }
  /* People's text takes its direction from its own first letter, paragraph by paragraph. */
  [data-testid="stText"], [data-testid="stText"] *, textarea, input, code, pre, [role="option"],
  .stMain .stMarkdown :is(p, li, h1, h2, h3), .stMain button p, [data-testid="stCaptionContainer"] p,
  [data-testid="stExpander"] p, [data-testid="stSelectbox"] [value] {
    unicode-bidi: plaintext; text-align: start; }
  .stMain button p { text-align: inherit; }
  /* All choices are in sight: where they don't fit beside each other, they wrap. */
  [data-testid="stButtonGroup"] > [role] { flex-wrap: wrap; overflow-x: visible; }
  /* Where there is little room, words wrap instead of ending in dots. */
  @media (max-width: 900px) {
    .stMain :is(button, a, [data-testid="stMetricLabel"]) p, [data-tag] > span { white-space: normal; }
    [data-tag] { height: auto; }
  }
  [data-testid="stFileUploaderDropzoneInstructions"] span { white-space: normal; }
  /* What a button is about, for those who hear the page (`button_label`); to the eye its row says it. */
  :is(button, a) .stMarkdownColoredBackground { position: absolute; width: 1px; height: 1px; overflow: hidden;
    clip-path: inset(50%); white-space: nowrap; }
  /* Rows made of columns (`tables/stacked.py`): names above them, or before each value where columns stack. */
  @media (min-width: 641px) {
    ROWS .stMarkdownColoredBackground:not(:is(button, a) *) { display: none; }
    ROWS [data-testid="stWidgetLabel"] { position: absolute; width: 1px; height: 1px; overflow: hidden;
      clip-path: inset(50%); white-space: nowrap; }
  }
  @media (max-width: 640px) {
    [data-testid="stLayoutWrapper"]:has(> [class*="st-key-column_names_"]) { display: none; }
    ROWS .stMarkdownColoredBackground:not(:is(button, a) *) { background: none !important; padding: 0; font-weight: 400;
      color: light-dark(#5b6470, #9aa5b3) !important; font-size: 0.875rem; }
  }
  /* The browser makes this file, and its cells may be read as formulas: our own downloads are safe. */
  [data-testid="stElementToolbarButton"]:has([aria-label="Download as CSV"]) { display: none; }
  /* Pictures have downloads of their own, and several on a screen would have tools of the same names. */
  [data-testid="stElementToolbarButton"]:has([aria-label="Show data"], [aria-label="Download as PNG"],
    [aria-label="Copy Vega-Lite spec"]) { display: none; }
  /* Where nothing hovers, the tools of a table always stand above it, over the last words before it. */
  @media (hover: none) { [data-testid="stElementContainer"]:has([data-testid="stDataFrame"]) { margin-top: 2rem; } }
  /* On a phone: what is pressed is high enough for a thumb, and the page alone scrolls. */
  @media (max-width: 768px) {
    [data-testid^="stBaseButton"]:not([data-testid*="header"], [data-testid*="elementToolbar"]),
    [data-testid="stPopoverButton"], a[data-testid^="stPageLink"], [data-testid="stSidebar"] a, .stExpander summary,
    .react-aria-ComboBox > div, .stMultiSelect [data-baseweb="select"] > div, [data-testid="stTextInputRootElement"],
    [data-testid="stNumberInputContainer"], .stNumberInput button, .stButtonGroup button,
    button[data-testid^="stPagination"], .stMultiSelect [role="group"],
    :is(.stCheckbox, .stRadio) label { min-height: 44px; }
    [data-testid="stSidebar"] a { display: inline-flex; align-items: center; }
    [data-testid="stBaseButton-tertiary"] { min-width: 44px; }
    :is(.stCheckbox, .stRadio) label { align-items: center; }
    /* A picture whose labels don't fit into the width of a phone (`picture.py`). */
    .stPrintGraphic, [class*="st-key-wide_"] > [data-testid="stElementContainer"] { overflow-x: auto; }
    [class*="st-key-wide_"] > [data-testid="stElementContainer"] > * { min-width: 46rem; }
    .stMain :is([data-testid="stVerticalBlock"], [data-testid="stLayoutWrapper"], .stCode, .stCode pre) {
      height: auto !important; max-height: none !important; overflow: visible !important; }
  }
</style>
"""


_ROWS = "[data-testid='stVerticalBlock']:has(> [data-testid='stLayoutWrapper'] > [class*='st-key-column_names_'])"


def apply() -> None:
    # Dialogs and popovers lie outside what Streamlit tells its theme to, and light-dark() would take them for light.
    rules = _RULES.replace("ROWS", _ROWS)
    st.html(f"{rules}<style>body {{ color-scheme: {st.context.theme.type or 'light'}; }}</style>")


PACKAGE = "pages.components"


def load_screens() -> None:
    gc.disable()  # what is being loaded stays, and was looked through for garbage in a quarter of the start's time
    try:
        for module in walk_packages(import_module(PACKAGE).__path__, f"{PACKAGE}."):
            import_module(module.name)
        load_rules()  # imported when first opened, as judges of vendors are, but screens open it to say what it can do
        gc.collect()
        # Streamlit collects garbage after each redraw. Without what stays anyway that takes .17 s less.
        gc.freeze()
    finally:
        gc.enable()


MAIN = Path(__file__).resolve().parents[3] / "app" / "main.py"
TIMEOUT = 120


def with_people(app: AppTest) -> AppTest:
    app.session_state["unfolded_people"] = True
    return app.button_group(key="view").set_value("details").run()


def measure() -> dict[str, dict[str, float]]:
    """Seconds of each step, by the clock and of the processor."""
    load_screens()  # as the server does
    app = AppTest.from_file(str(MAIN), default_timeout=TIMEOUT).run()
    app.switch_page("../pages/results.py")
    steps: dict[str, Callable[[], object]] = {
        "results, opened": app.run,
        "results, opened again": app.run,
        "another level": lambda: app.button_group(key="level").set_value("dataset").run(),
        "the questions": lambda: app.button_group(key="view").set_value("questions").run(),
        "the people": lambda: with_people(app),
        "the texts": lambda: app.button_group(key="view").set_value("texts").run(),
        "texts, who is kinder": lambda: app.button_group(key="direction").set_value("harsher").run(),
        "texts, one system": lambda: app.selectbox(key="system").select_index(1).run(),
    }
    times = {}
    for name, step in steps.items():
        clock, processor = time.perf_counter(), time.process_time()
        step()
        if app.exception:
            raise RuntimeError(f"{name}: {app.exception[0].message}")
        times[name] = {
            "seconds": round(time.perf_counter() - clock, 3),
            "cpu_seconds": round(time.process_time() - processor, 3),
        }
    return times


if __name__ == "__main__":
    sys.stdout.write(json.dumps(measure()))
