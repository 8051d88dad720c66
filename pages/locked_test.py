"""Locked test: the agreement on texts that nothing was tuned on; every look at it is counted."""

from pages.components.locked_test import locked_results
from pages.components.shell.current import current_workbench, one_of
from pages.components.shell.frame import needs_project
from pages.components.shell.runs.result_choices import LEVEL_HELP, LEVELS

workbench = current_workbench()
project = needs_project(
    workbench, "Locked test", "How well the scores agree with people on texts that nothing was tuned on."
)
level = one_of("level", LEVELS, "per-source", "Level", LEVEL_HELP)
locked_results(workbench, project, level)
