"""All attributes of one dimension: read, reworded, left out, moved, merged, added."""

import streamlit as st

from app.domain.roles_and_rights import Right
from app.services.attributes.attributes import contributors_of
from app.services.building.build_state import newest_clusters
from app.services.data.projects import dimensions_named
from app.services.runtime.workbench import may
from pages.components.attributes import (
    Pool,
    attribute_downloads,
    contributor_table,
    counts,
    duplicates,
    entry,
    filtered,
    pool_list,
)
from pages.components.shell.blinding import open_attributes
from pages.components.shell.current import current_project, current_workbench
from pages.components.shell.frame import empty, needs_dimension
from pages.components.shell.navigation.screens import link
from pages.components.shell.saturation import enough

workbench = current_workbench()
here = current_project(workbench)
runs_it = here is None or may(workbench, Right.FACILITATE, project_id=here.id)
ABOUT = "Everything that people and LLMs said to look for."
if runs_it:
    ABOUT += " Correct the wording and leave out what doesn't belong."
project, dimension = needs_dimension(workbench, "Attributes", ABOUT)
attributes = open_attributes(workbench, project, dimension)
if not attributes:
    empty("Nobody has said yet what to look for.", "Read the samples and think aloud.", "think_aloud", "Think aloud")
    entry(workbench, project, dimension, attributes)
    st.stop()

contributors = contributors_of(workbench, project.id)
with st.container(horizontal=True, gap="medium", vertical_alignment="center", key="condition_counts"):
    counts(attributes)
    link("compare", "See who notices what on Compare")
others = [d for d in dimensions_named(workbench, project.name, "all") if d.id != dimension.id]
pool = Pool(dimension, project.id, attributes, others, newest_clusters(workbench, dimension.id), runs_it)
shown, grouping = filtered(attributes, bool(pool.clusters))
pool_list(workbench, pool, shown, grouping)
if runs_it:
    duplicates(workbench, attributes, dimension.id)
contributor_table(attributes, contributors)
enough(workbench, project, dimension)
attribute_downloads(attributes, contributors, dimension)
if runs_it:
    entry(workbench, project, dimension, attributes)
