"""From attributes to a draft checklist, stage by stage."""

import streamlit as st

from app.domain.attribute import AttributeStatus
from app.services.build_history import newest_build
from app.services.projects import dimensions_named
from pages.components.background import watch
from pages.components.build_options import build_buttons, build_options, job_key, staleness
from pages.components.build_stages import stages
from pages.components.current import current_workbench
from pages.components.hidden import open_attributes
from pages.components.shell import empty, needs_dimension

workbench = current_workbench()
project, dimension = needs_dimension(
    workbench,
    "Build",
    "Turn the attributes into a checklist of yes/no questions, in five stages. What each stage was given and what it "
    "made stays on record.",
)
attributes = open_attributes(workbench, project, dimension, "how the checklist is built")
if not any(attribute.status is AttributeStatus.ACTIVE for attribute in attributes):
    empty("There are no attributes in use yet.", "Say first what to look for.", "think_aloud", "Think aloud")
    st.stop()

left, right = st.columns([1, 2], gap="large")
with left:
    options = build_options(workbench, attributes, dimension.id)
    running = [watch(job_key(project.id, scope)) for scope in (dimension.id, 0)]
    if not any(running):
        build_buttons(workbench, project, dimension, dimensions_named(workbench, project.name, "all"), options)
with right:
    staleness(workbench, project.id, dimension)
    stages(workbench, project.id, dimension.id, newest_build(workbench, dimension.id))
