"""Methods: what each way of scoring is worth and costs, and whether the judge favours texts by LLMs."""

from pages.components.methods import quality_cost, writer_bias
from pages.components.shell.current import current_workbench
from pages.components.shell.frame import needs_dimension
from pages.components.shell.runs.result_choices import chosen_results

workbench = current_workbench()
project, dimension = needs_dimension(
    workbench, "Methods", "What each way of scoring is worth, what it costs, and whether it favours texts by LLMs."
)
scope = chosen_results(workbench, project, dimension)
quality_cost(scope)
writer_bias(scope)
