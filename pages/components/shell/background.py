"""Long work that goes on while people look elsewhere."""

import streamlit as st

from app.domain.job import Job, JobStatus
from app.services.background.jobs import adopt_job, forget_job, job_state, workers_there
from app.services.runtime.workbench import Workbench
from pages.components.shell.words import plain

POLL_SECONDS = 1.0
BOUND = (
    "It uses a key that was typed in this browser, which is stored nowhere. So it stays in this server process, and "
    "ends with it."
)


def watch(workbench: Workbench, key: str, neutral: bool = False) -> bool:
    """Show a job while it runs or waits and once how it ended; True as long as it isn't over. The screen reruns when
    it ends. neutral: what it says in the end may be good news or none."""
    state = job_state(workbench, key)
    if state is None:
        return False
    if state.active:
        _running(workbench, key)
        return True
    if state.status is JobStatus.FAILED:
        st.error(plain(state.message), icon=":material/error:")
    elif state.message and (neutral or not state.complete):
        st.info(plain(state.message), icon=":material/info:")
    elif state.message:
        st.success(plain(state.message), icon=":material/check_circle:")
    forget_job(workbench, state.id)
    return False


@st.fragment(run_every=POLL_SECONDS)
def _running(workbench: Workbench, key: str) -> None:
    state = job_state(workbench, key)
    if state is None or not state.active:
        st.rerun()
    if state.status is JobStatus.WAITING:
        adopt_job(workbench)
    _bar(state)
    if state.bound and workbench.credentials.typed and workers_there(workbench):
        st.caption(BOUND)


def _bar(state: Job) -> None:
    share = state.done / state.all if state.all else 0.0
    said = "waiting for a worker" if state.status is JobStatus.WAITING else state.message
    st.progress(min(share, 1.0), text=plain(f"{state.title}: {said}" if said else state.title))
