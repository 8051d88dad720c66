"""Placeholder while the screen is written."""

from app.services.workbench import open_workbench
from pages.components.shell import needs_dimension

needs_dimension(open_workbench(), "Title", "What this screen is for.")
