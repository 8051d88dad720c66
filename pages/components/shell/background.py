"""Progress of background jobs, and updates by other people."""

import streamlit as st

from app.domain.attribute import Attribute, AttributeStatus
from app.domain.job import JobStatus
from app.domain.project import Project
from app.services.background.jobs import adopt_job, forget_job, job_state, workers_there
from app.services.disagreements.rooms import room_states
from app.services.runtime.workbench import Workbench
from pages.components.shell.current import signed_out_redraw
from pages.components.shell.labels import plain

POLL_SECONDS = 1.0
BOUND = (
    "It uses a key that was typed in this browser, which is stored nowhere. So it stays in this server process, and "
    "ends with it."
)


def watch(workbench: Workbench, key: str, neutral: bool = False) -> bool:
    """Show a job while it runs or waits, and once how it ended; return True as long as it isn't over. The screen reruns
    when it ends. neutral: its final message may be good news or not."""
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
    share = state.done / state.all if state.all else 0.0
    said = "waiting for a worker" if state.status is JobStatus.WAITING else state.message
    st.progress(min(share, 1.0), text=plain(f"{state.title}: {said}" if said else state.title))
    if state.bound and workbench.credentials.typed and workers_there(workbench):
        st.caption(BOUND)


ROOM_SECONDS = 2.0


def watch_rooms(workbench: Workbench, project: Project) -> None:
    """Redraw the screen when something changes in a room of the project."""
    seen = room_states(workbench, project.id)
    st.fragment(_look_at_rooms, run_every=ROOM_SECONDS)(workbench, project, seen)


def _look_at_rooms(workbench: Workbench, project: Project, seen: int) -> None:
    signed_out_redraw(workbench)
    if room_states(workbench, project.id) != seen:
        st.rerun()


def changes_by_others(attribute: Attribute, stands_for: str = "") -> list[str]:
    """Return others' changes as Markdown: excluded, merged, moved and reworded; [] if there are none.

    stands_for: the wording of the attribute that it was merged into, "" if its author may not read that.
    """
    said = []
    if attribute.status is AttributeStatus.EXCLUDED:
        said.append(f"excluded: {plain(attribute.reason)}" if attribute.reason else "excluded")
    if attribute.status is AttributeStatus.MERGED:
        into = f" into “{plain(stands_for)}”" if stands_for else ""
        said.append(f"merged{into}: {plain(attribute.reason)}" if attribute.reason else f"merged{into}")
    if attribute.original_dimension:
        said.append(f"moved to {plain(attribute.dimension)}")
    if attribute.reworded_by_other:
        who = f" by {plain(attribute.reworded_by)}" if attribute.reworded_by else ""
        said.append(f"reworded{who}; you wrote “{plain(attribute.original)}”")
    return said
