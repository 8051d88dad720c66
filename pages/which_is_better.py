"""Which is better: an expert compares two texts of one source, and says why; a facilitator draws the pairs."""

from app.services.attributes.pairs import pair_sheet
from pages.components.shell.current import current_expert, current_workbench, expert
from pages.components.shell.frame import needs_dimension, nothing_yet
from pages.components.which_is_better import draw_form, pairs_to_compare

workbench = current_workbench()
project, dimension = needs_dimension(
    workbench, "Which is better", "Two texts of one source, in an order of your own, without a word on who wrote them."
)
if current_expert():
    name = expert(workbench, project)
    sheet = pair_sheet(workbench, dimension.id, name)
    if sheet is None or not sheet.pairs:
        nothing_yet("pairs", "**No pairs are drawn yet.** The project's facilitator draws them.")
    else:
        pairs_to_compare(workbench, project, dimension, sheet)
else:
    draw_form(workbench, dimension)
