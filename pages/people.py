"""People: who takes part in the project, how far they are, who did what."""

import streamlit as st

from pages.components.people.members import members
from pages.components.people.records import api_tokens, audit_log_table, experts_table, pseudonyms
from pages.components.shell.current import current_expert, current_workbench
from pages.components.shell.frame import needs_project, nothing_yet
from pages.components.shell.labels import more_in_guide

workbench = current_workbench()
project = needs_project(workbench, "People", "Who takes part in this project, how far they are, and who did what.")
team = workbench.actor.person is not None
if team:
    members(workbench, project)
else:
    st.markdown("On this computer nobody signs in. To invite others, start the app for a team." + more_in_guide("team"))
if not current_expert() and not experts_table(workbench, project.id) and not team:
    nothing_yet("experts", "**No expert has begun.** People who think aloud are listed here.")
audit_log_table(workbench, project)
api_tokens(workbench, project)
pseudonyms(workbench, project)
