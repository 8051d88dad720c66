"""Long work that goes on while people look elsewhere."""

import streamlit as st

from app.services.runtime.jobs import JOBS, JobState, JobStatus
from pages.components.shell.words import plain

POLL_SECONDS = 1.0


def watch(key: str) -> bool:
    """Show a job while it runs and once how it ended; True while it runs. The screen reruns when it ends."""
    state = JOBS.state(key)
    if state is None:
        return False
    if state.status is JobStatus.RUNNING:
        _running(key)
        return True
    if state.status is JobStatus.FAILED:
        st.error(plain(state.message), icon=":material/error:")
    elif state.message and not state.complete:
        st.info(plain(state.message), icon=":material/info:")
    elif state.message:
        st.success(plain(state.message), icon=":material/check_circle:")
    JOBS.forget(key)
    return False


@st.fragment(run_every=POLL_SECONDS)
def _running(key: str) -> None:
    state = JOBS.state(key)
    if state is None or state.status is not JobStatus.RUNNING:
        st.rerun()
    else:
        _bar(state)


def _bar(state: JobState) -> None:
    share = state.done / state.all if state.all else 0.0
    st.progress(min(share, 1.0), text=plain(f"{state.title}: {state.message}" if state.message else state.title))
