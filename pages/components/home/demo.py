"""The demo: bundled demo data through the whole flow, in the background."""

import streamlit as st

from app.services.background.jobs import is_active
from app.services.data.projects import list_projects, overview
from app.services.demo import DEMO_JOB, DEMO_PROJECT, begin_demo
from app.services.runtime.workbench import Workbench
from pages.components.shell.current import choose

_STARTED = "demo_started"


def demo(workbench: Workbench, primary: bool) -> None:
    """What the demo is and the button that runs it; nothing once it has run to its end."""
    if _finished(workbench):
        return
    st.markdown(
        "The demo takes made-up news summaries from import to results in a few seconds. Its texts were written for "
        "this program, its raters are simulated, and its judge is a set of fixed text rules, not an LLM. "
        "It needs no key and sends nothing anywhere."
    )
    running = is_active(workbench, DEMO_JOB)
    if st.button("Try the demo", key="try_demo", type="primary" if primary else "secondary", disabled=running):
        st.session_state[_STARTED] = True
        begin_demo(workbench)
        st.rerun()


def enter_finished_demo(workbench: Workbench) -> None:
    """Make the demo the current project where this session asked for it and it has ended."""
    if st.session_state.get(_STARTED) and not is_active(workbench, DEMO_JOB):
        del st.session_state[_STARTED]
        if any(project.name == DEMO_PROJECT for project in list_projects(workbench)):
            choose(DEMO_PROJECT)
            st.rerun()


def _finished(workbench: Workbench) -> bool:
    found = next((p for p in list_projects(workbench) if p.name == DEMO_PROJECT), None)
    if found is None:
        return False
    dimensions = overview(workbench, found.id).dimensions
    return bool(dimensions) and all(d.run is not None and d.run.done == d.run.all for d in dimensions)
