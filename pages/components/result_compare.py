"""The tab Compare of Results: runs against each other, and trials of one way of scoring."""

from pages.components.result_scope import ResultScope
from pages.components.run_comparison import run_comparison
from pages.components.trials import trials


def result_compare(scope: ResultScope) -> None:
    run_comparison(scope)
    trials(scope)
