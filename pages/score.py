"""Score: who judges which texts, what that would cost, and how far it is."""

from collections.abc import Sequence

import streamlit as st

from app.domain.run import RunSummary
from app.errors import WorkbenchError
from app.services.estimating import Forecast, forecast
from app.services.scoring import RunOptions
from app.services.scoring_jobs import begin, job_key, running_here, running_run
from pages.components.background import watch
from pages.components.checklist_readiness import dimensions_to_score
from pages.components.cost_table import cost_table
from pages.components.current import current_workbench
from pages.components.forecast import counted, show_forecast, texts_to_score
from pages.components.run_list import run_list
from pages.components.run_progress import run_progress
from pages.components.scoring_options import scoring_options
from pages.components.shell import needs_project
from pages.components.words import show_error

workbench = current_workbench()
project = needs_project(
    workbench, "Score", "A judge answers the checklist for every text; the share of yes becomes its score."
)


def look_ahead(wishes: Sequence[RunOptions]) -> list[Forecast]:
    """What would be scored by each judge; nothing, with the reason on the screen, where one of them can't."""
    try:
        with st.spinner("Counting what it would ask"):
            return [forecast(workbench, project.id, options) for options in wishes]
    except WorkbenchError as error:
        show_error(error)
        return []


def start_button(ahead: Sequence[Forecast], wishes: Sequence[RunOptions], running: RunSummary | None) -> None:
    judges = f" with {len(wishes)} judges" if len(wishes) > 1 else ""
    if st.button(
        f"Score {counted(ahead[0].texts, 'text')}{judges}",
        type="primary",
        key="start_scoring",
        disabled=running is not None or running_here(project.id),
        help="One run of a project at a time: wait until the one above ends, or stop it." if running else None,
    ):
        try:
            begin(workbench, project.id, *wishes)
        except WorkbenchError as error:
            show_error(error)
        else:
            st.rerun()


running = running_run(workbench, project.id)
if running is not None or running_here(project.id):
    run_progress(workbench, project.id)
else:
    watch(job_key(project.id))

chosen = dimensions_to_score(workbench, project)
if chosen:
    st.subheader("Score texts", anchor=False)
    left, right = st.columns([3, 2], gap="large")
    with left:
        wishes = scoring_options(workbench, project, chosen)
    with right:
        ahead = look_ahead(wishes)
        if ahead:
            show_forecast(ahead)
            start_button(ahead, wishes, running)
    if ahead:
        with left:
            texts_to_score(ahead[0])
run_list(workbench, project)
cost_table(workbench, project)
