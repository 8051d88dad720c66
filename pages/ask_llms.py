"""Ask LLMs: models think aloud about the samples the experts read."""

from dataclasses import replace

import streamlit as st

from app.services.data.projects import dimensions_named
from app.services.think_aloud.samples import sample_exclusion_counts
from app.services.think_aloud.think_aloud_jobs import think_aloud_job_key
from pages.components.ask_llms import (
    ask_button,
    batch_choice,
    contrast_button,
    llm_answers,
    models_to_ask,
    not_available,
    think_aloud_forecast,
    waiting_batches,
)
from pages.components.shell.background import watch
from pages.components.shell.current import current_workbench
from pages.components.shell.frame import needs_dimension
from pages.components.shell.labels import number, plain
from pages.components.shell.reading import left_out, needed_samples, rubric, samples_side_by_side
from pages.components.shell.runs.model_options import more_options

ONE, ALL = "This dimension", "All dimensions"

workbench = current_workbench()
project, dimension = needs_dimension(
    workbench,
    "Ask LLMs",
    "LLMs read what the experts read and say what to look for. Asking again adds a round of what they did not say yet.",
)
samples = needed_samples(workbench, dimension)

dimensions = dimensions_named(workbench, project.name, "all")
choice, answers = st.columns([4, 7], gap="medium")
with choice:
    models = models_to_ask(workbench, project)
    scope = st.radio(
        "About",
        [ONE, ALL],
        key="ask_scope",
        horizontal=True,
        captions=[plain(dimension.name), number(len(dimensions), "dimension")],
    )
    asked = dimensions if scope == ALL else [dimension]
    options = more_options("ask", models)
    batch = batch_choice(models)
    think_aloud_forecast(workbench, project, asked, models)
    ask_button(replace(workbench, asking=options), project, asked, models, batch)
    contrast_button(replace(workbench, asking=options), project, dimension, models)
    not_available(workbench)
with answers:
    keys = [think_aloud_job_key(project.id, one) for one in ([], *([dimension] for dimension in dimensions))]
    busy = [watch(workbench, key) for key in keys]
    waiting_batches(workbench, project, any(busy))
    llm_answers(workbench, dimensions if scope == ALL else [dimension], running=any(busy))

with st.expander("What they read: the same as the experts", key="ask_samples"):
    rubric(dimension)
    left_out(project.task, samples, sample_exclusion_counts(workbench, project.id, dimension.id))
    samples_side_by_side(project.task, dimension, samples)
