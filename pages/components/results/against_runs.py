"""Runs against each other, and trials of one way of scoring."""

from pages.components.results.trials import trials
from pages.components.shell.runs.result_choices import ResultScope
from pages.components.shell.runs.run_comparison import run_comparison


def against_runs(scope: ResultScope) -> None:
    run_comparison(scope)
    trials(scope)
