"""Results, Methods: what each way of scoring is worth and costs, and whether the judge favours LLMs' texts."""

from pages.components.quality_cost import quality_cost
from pages.components.result_scope import ResultScope
from pages.components.writer_bias import writer_bias


def result_methods(scope: ResultScope) -> None:
    quality_cost(scope)
    writer_bias(scope)
