"""Think aloud: an expert reads the rubric and four samples and writes down what to look for."""

from functools import partial

import streamlit as st

from app.domain.attribute import Sample
from app.domain.roles_and_rights import Role
from app.services.checklists.assignments import is_assigned
from app.services.think_aloud.independence import own_attributes_of
from app.services.think_aloud.samples import sample_exclusion_counts
from pages.components.shell.current import current_workbench, expert, role_in
from pages.components.shell.frame import needs_dimension, scrolling_column
from pages.components.shell.labels import plain
from pages.components.shell.navigation.screens import link
from pages.components.shell.reading import left_out, needed_samples, rubric, samples_side_by_side
from pages.components.shell.saturation import enough
from pages.components.think_aloud.own_attribute_list import ColumnContext, follow_up_choice, sample_verdict
from pages.components.think_aloud.own_attributes import own_attributes
from pages.components.think_aloud.passages import drawn_highlights, formatted_choice, sample_passages

workbench = current_workbench()
project, dimension = needs_dimension(
    workbench,
    "Think aloud",
    "You are the expert: read what the dimension means and the samples, and say what you look for.",
)
samples = needed_samples(workbench, dimension)


def shown_to(own: ColumnContext, sample: Sample) -> None:
    sample_passages(own, project.task, highlights, sample, formatted)
    sample_verdict(own, sample)


reading, writing = st.columns([3, 2], gap="large")
own = None
with writing, scrolling_column("writing"):
    name = expert(workbench, project)
    yours = is_assigned(workbench, dimension.id, name) if name else False
    if name and not (yours or own_attributes_of(workbench, project.id, dimension.id, name)):
        st.markdown(f"**{plain(dimension.name)} isn't among what is yours to do.** What is yours stands on Overview.")
        link("overview", "Go to what is yours")
    elif name:
        own = ColumnContext(workbench, dimension, tuple(samples), project.task.language, name, project)
        highlights = drawn_highlights(own)
        own_attributes(own, project)
    else:
        st.caption("Then write down what to look for. You see your own attributes only.")
        link("texts", "Other samples", help_="For the project's facilitator.", parameters={"section": "Samples"})
    enough(workbench, project, dimension)
    follow_up_choice(workbench, project)
with reading:
    rubric(dimension)
    st.subheader("Samples", anchor=False)
    if role_in(workbench, project) is not Role.EXPERT:  # what scoring leaves out is no matter of theirs
        left_out(project.task, samples, sample_exclusion_counts(workbench, project.id, dimension.id))
    if own is None:
        samples_side_by_side(project.task, dimension, samples)
    else:
        st.caption("Select words in a sample or its source, and a field opens there.")
        formatted = formatted_choice(samples)
        samples_side_by_side(project.task, dimension, samples, partial(shown_to, own))
