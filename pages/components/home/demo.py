"""The demo: bundled demo data through the whole flow, in the background."""

import streamlit as st

from app.services.data.projects import list_projects, overview
from app.services.demo import DEMO_PROJECT, run_demo
from app.services.runtime.jobs import JOBS, JobStatus, Progress
from app.services.runtime.workbench import Workbench
from pages.components.shell.current import choose

DEMO_JOB = "demo"
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
    state = JOBS.state(DEMO_JOB)
    running = state is not None and state.status is JobStatus.RUNNING
    if st.button("Try the demo", key="try_demo", type="primary" if primary else "secondary", disabled=running):
        st.session_state[_STARTED] = True
        JOBS.start(DEMO_JOB, "Demo", lambda progress: _run(workbench, progress))
        st.rerun()


def enter_finished_demo(workbench: Workbench) -> None:
    """Make the demo the current project where this session asked for it and it has ended."""
    state = JOBS.state(DEMO_JOB)
    running = state is not None and state.status is JobStatus.RUNNING
    if st.session_state.get(_STARTED) and not running:
        del st.session_state[_STARTED]
        if any(project.name == DEMO_PROJECT for project in list_projects(workbench)):
            choose(DEMO_PROJECT)
            st.rerun()


def _run(workbench: Workbench, progress: Progress) -> str:
    report = run_demo(workbench, report=progress.report)
    texts = sum(result.scored for _, _, result in report.dimensions.values())
    return f"The demo is ready: {texts} scores on {len(report.dimensions)} dimensions, judged by rules, not an LLM."


def _finished(workbench: Workbench) -> bool:
    found = next((p for p in list_projects(workbench) if p.name == DEMO_PROJECT), None)
    if found is None:
        return False
    dimensions = overview(workbench, found.id).dimensions
    return bool(dimensions) and all(d.run is not None and d.run.done == d.run.all for d in dimensions)
