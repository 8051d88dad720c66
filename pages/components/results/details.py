"""Results, Details: pictures, other runs, raters and files, each computed once it is opened."""

from collections.abc import Callable

from pages.components.results.against_runs import against_runs
from pages.components.results.downloads import result_downloads
from pages.components.results.drift import judge_drift
from pages.components.results.people import result_people
from pages.components.results.score_charts import result_charts
from pages.components.results.unfolding import unfolding
from pages.components.shell.blinding import open_answers
from pages.components.shell.runs.result_choices import ResultScope

# What ends the screen for experts who are still answering comes last.
SECTIONS: dict[str, tuple[str, Callable[[ResultScope], None]]] = {
    "pictures": ("Pictures: how scores and ratings lie", result_charts),
    "against": ("Against another run, and trials", against_runs),
    "people": ("People: how well the raters agree, and the judge beside them", result_people),
    "drift": ("Has the judge changed?", judge_drift),
    "download": ("Download", result_downloads),
}
JUDGED = ("people", "drift", "download")


def result_details(scope: ResultScope) -> None:
    for name, (label, show) in SECTIONS.items():
        section = unfolding(name, label)
        if section is None:
            continue
        with section:
            if name in JUDGED:
                open_answers(scope.workbench, scope.dimension)
            show(scope)
