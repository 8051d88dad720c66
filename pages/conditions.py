"""Conditions: agreement with people by whose attributes the checklist is made from."""

import streamlit as st

from app.errors import WorkbenchError
from app.services.attributes.attributes import attributes_of
from app.services.conditions.study import checks_of, plan_trials
from app.services.data.projects import dimensions_named
from app.services.scoring.scoring_jobs import is_scoring, job_key
from pages.components.conditions import (
    component_sweep,
    condition_differences,
    condition_figures,
    condition_options,
    study_start,
)
from pages.components.shell.background import watch
from pages.components.shell.blinding import open_dimensions
from pages.components.shell.current import current_workbench, one_of
from pages.components.shell.frame import empty, needs_project
from pages.components.shell.labels import show_error
from pages.components.shell.runs.model_options import draw_check
from pages.components.shell.runs.result_choices import LEVEL_HELP, LEVELS

workbench = current_workbench()
project = needs_project(
    workbench,
    "Conditions",
    "Does it matter whose attributes the checklist is made from? One checklist from each person, each LLM, all of "
    "them, and all but one; one judge; the same texts.",
)
everything = dimensions_named(workbench, project.name, "all")
dimensions = open_dimensions(workbench, project, everything, "how the conditions compare")
if not any(attributes_of(workbench, project.id, dimension.id) for dimension in dimensions):
    empty("There are no attributes yet.", "Say first what to look for.", "think_aloud", "Think aloud")
    st.stop()
watch(workbench, job_key(project.id))
left, right = st.columns([3, 2], gap="large")
with left:
    options = condition_options(workbench, project, dimensions)
if options is None:
    st.stop()
try:
    plans = plan_trials(workbench, project, options)
    with right:
        study_start(workbench, project, options, plans, is_scoring(workbench, project.id))
except WorkbenchError as error:
    show_error(error)
    st.stop()
draw_check(checks_of(workbench, project, plans))
if any(cell.run is not None and cell.run.done for plan in plans for cell in plan.cells):
    st.divider()
    level = one_of("level", LEVELS, "per-source", "Level", LEVEL_HELP)
    if options.sweep:
        component_sweep(workbench, plans, level)
    else:
        condition_differences(condition_figures(workbench, plans, level))
