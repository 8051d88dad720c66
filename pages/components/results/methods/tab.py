"""Results, Methods: what each way of scoring is worth and costs, and whether the judge favours LLMs' texts."""

from pages.components.results.methods.quality_cost import quality_cost
from pages.components.results.methods.writer_bias import writer_bias
from pages.components.shell.runs.result_scope import ResultScope


def result_methods(scope: ResultScope) -> None:
    quality_cost(scope)
    writer_bias(scope)
