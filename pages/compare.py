"""Compare: what people see and LLMs don't, and how far that can be trusted."""

import streamlit as st

from app.domain.attribute import AttributeStatus
from app.errors import WorkbenchError
from app.services.attributes.comparison import compare_contributors, find_unique_attributes, names_of_task
from pages.components.compare.condition_effect import condition_effect, contribution
from pages.components.compare.similarity import (
    attribute_map,
    embedding_choice,
    names_of,
    set_similarity,
    with_and_without,
)
from pages.components.compare.summary import (
    comparison_summary,
    neighbours,
    noticed_table,
    themes,
    threshold,
    threshold_slider,
    unique,
)
from pages.components.compare.topics import topic_choice, topic_spread, topics
from pages.components.shell.blinding import open_attributes
from pages.components.shell.current import current_workbench, one_between, one_of
from pages.components.shell.frame import empty, needs_dimension
from pages.components.shell.labels import show_error
from pages.components.shell.runs.result_choices import LEVEL_HELP, LEVELS

VIEWS = {"noticed": "Who notices what", "topics": "Topics", "alike": "How alike", "scores": "Effect on the scores"}

workbench = current_workbench()
project, dimension = needs_dimension(
    workbench, "Compare", "What people see and LLMs don't, and the other way round; and how far that can be trusted."
)
attributes = [a for a in open_attributes(workbench, project, dimension) if a.status is AttributeStatus.ACTIVE]
if not attributes:
    empty("Nobody has said yet what to look for.", "Read the samples and think aloud.", "think_aloud", "Think aloud")
    st.stop()


def unique_attributes_tab() -> None:
    topic_spread(attributes, names, dimension.id, of_task, choice)
    st.subheader("Who noticed what", anchor=False)
    noticed_table(found, names)
    threshold_slider()
    themes(found, names)
    st.subheader("Only one has it", anchor=False)
    unique(found, names)
    st.subheader("Who is nearest to whom", anchor=False)
    neighbours(found, names)
    st.subheader("Map of the attributes", anchor=False)
    attribute_map(found, names, dimension.id)


def effect_on_the_scores() -> None:
    level = one_between("compare_level", LEVELS, "per-source", "Level of the correlation", LEVEL_HELP)
    st.subheader("Do more varied attributes make a better checklist?", anchor=False)
    condition_effect(workbench, project, dimension, names, level, embedding)
    st.subheader("Whose attributes reached the checklist", anchor=False)
    contribution(workbench, project, dimension, names, level)


names = names_of(attributes)
of_task = names_of_task(workbench, project.id, dimension.id)
with st.container(horizontal=True):
    embedding = embedding_choice(workbench, attributes)
    choice = topic_choice()
try:
    sets = compare_contributors(attributes, embedding)
    found = find_unique_attributes(attributes, threshold(), embedding)
except WorkbenchError as error:
    show_error(error)
    st.stop()
comparison_summary(sets, found, names)
view = one_of("compare_view", VIEWS, "noticed", "View")
match view:
    case "topics":
        topics(attributes, names, dimension.id, of_task, choice)
    case "alike":
        set_similarity(sets, names)
        with_and_without(workbench, attributes, embedding, names)
    case "scores":
        effect_on_the_scores()
    case _:
        unique_attributes_tab()
