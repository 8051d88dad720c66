"""All attributes of one dimension: look, correct, exclude, add."""

import streamlit as st

from app.services.attributes.attributes import contributors_of
from app.services.data.projects import dimensions_named
from pages.components.attributes.editor import attribute_editor
from pages.components.attributes.entry import entry
from pages.components.attributes.files import attribute_downloads
from pages.components.attributes.near_duplicates import duplicates, pool_place
from pages.components.shell.attribute_pool import counts, filtered, table
from pages.components.shell.blinding import open_attributes
from pages.components.shell.current import current_workbench
from pages.components.shell.frame import empty, needs_dimension
from pages.components.shell.navigation.screens import link
from pages.components.shell.undo import undo_button

workbench = current_workbench()
project, dimension = needs_dimension(
    workbench,
    "Attributes",
    "Everything that people and LLMs said to look for. Correct the wording and leave out what doesn't belong.",
)
attributes = open_attributes(workbench, project, dimension)
if not attributes:
    empty("Nobody has said yet what to look for.", "Read the samples and think aloud.", "think_aloud", "Think aloud")
    entry(workbench, project, dimension, attributes)
    st.stop()

contributors = contributors_of(workbench, project.id)
counts(attributes, contributors)
link("compare", "See who notices what on Compare")
shown = filtered(attributes, dimension.id)
left, right = st.columns([11, 5], gap="medium")
with left:
    chosen = table(shown, len(attributes), dimension.id)
with right:
    undo_button(pool_place(dimension.id))
    attribute_editor(workbench, chosen, dimensions_named(workbench, project.name, "all"))
duplicates(workbench, attributes, dimension.id)
attribute_downloads(attributes, contributors, dimension)
entry(workbench, project, dimension, attributes)
