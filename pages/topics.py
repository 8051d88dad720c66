"""Topics: what the attributes behind the checklist are about, in short."""

from pages.components.shell.blinding import open_attributes
from pages.components.shell.current import current_workbench
from pages.components.shell.frame import needs_dimension
from pages.components.topics import topic_summary

workbench = current_workbench()
project, dimension = needs_dimension(
    workbench, "Topics", "What the attributes are about, and whether somebody stays with a few topics."
)
open_attributes(workbench, project, dimension, "the topics")
topic_summary(workbench, project.id, dimension.id)
