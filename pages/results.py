"""Results: whether the scores can be relied on, how sure that is, and where judge and people part."""

from collections.abc import Callable

from pages.components.results.details import result_details
from pages.components.results.questions import result_questions
from pages.components.results.texts import result_texts
from pages.components.results.verdicts import result_verdicts
from pages.components.shell.blinding import open_answers
from pages.components.shell.current import current_workbench, one_of
from pages.components.shell.frame import needs_dimension
from pages.components.shell.runs.result_choices import ResultScope, chosen_results

# What is not open is not computed. The address names the tab.
TABS: dict[str, tuple[str, Callable[[ResultScope], None]]] = {
    "verdict": ("Verdict", result_verdicts),
    "questions": ("Questions", result_questions),
    "texts": ("Texts", result_texts),
    "details": ("Details", result_details),
}
# What shows single answers, which experts who answer themselves don't see before they have finished.
JUDGED = ("questions", "texts")

workbench = current_workbench()
project, dimension = needs_dimension(
    workbench, "Results", "How well do the scores of each method agree with people's ratings?"
)
scope = chosen_results(workbench, project, dimension)
view = one_of("view", {name: label for name, (label, _) in TABS.items()}, "verdict", "View")
_, show = TABS[view]
if view in JUDGED:
    open_answers(workbench, dimension)
show(scope)
