"""Score: which texts get a score how and by whom, what that would cost, and how far it is."""

from collections.abc import Sequence

import streamlit as st

from app.errors import WorkbenchError
from app.services.scoring.draws import check_draws
from app.services.scoring.forecast import Forecast, forecast
from app.services.scoring.runs import RunOptions
from app.services.scoring.scoring_jobs import is_scoring, job_key, running_run
from pages.components.scores.asking_ways import asking_ways
from pages.components.scores.forecast import allowance, cost_table, show_forecast, texts_to_score
from pages.components.scores.own_scores import own_scores
from pages.components.scores.run_list import note_ending, outcome, run_list, run_progress, scoring_start, stage_outputs
from pages.components.scores.scoring_options import scoring_options
from pages.components.shell.background import watch
from pages.components.shell.current import current_workbench
from pages.components.shell.frame import needs_project
from pages.components.shell.labels import show_error
from pages.components.shell.runs.model_options import draw_check

workbench = current_workbench()
project = needs_project(
    workbench, "Scores", "Every text gets a score on each dimension: from a checklist, or by another method."
)


def look_ahead(wishes: Sequence[RunOptions]) -> list[Forecast]:
    """Return what each run would score and ask; [], with the reason shown, if one of them isn't possible."""
    try:
        with st.spinner("Counting what it would ask"):
            return [forecast(workbench, project.id, options) for options in wishes]
    except WorkbenchError as error:
        show_error(error)
        return []


if running_run(workbench, project.id) is not None or is_scoring(workbench, project.id):
    run_progress(workbench, project.id)
else:
    note_ending(workbench, project)
    watch(workbench, job_key(project.id))
    outcome(workbench, project)

st.subheader("Score texts", anchor=False)
left, right = st.columns([3, 2], gap="large")
with left:
    wishes, judges = scoring_options(workbench, project)
    asking_ways(workbench, project, wishes, judges)
with right:
    ahead = look_ahead(wishes)
    if ahead:
        show_forecast(ahead)
        allowance(workbench, project.id, ahead)
        scoring_start(workbench, project, ahead, wishes, judges)
if ahead:
    with left:
        texts_to_score(ahead[0])
    draw_check(check_draws(workbench, project.id, wishes[0]))
run_list(workbench, project)
stage_outputs(workbench, project)
own_scores(workbench, project)
cost_table(workbench, project)
