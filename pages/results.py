"""Results: how well the scores agree with people, how sure that is, and where they part."""

from collections.abc import Callable

import streamlit as st

from app.services.scoring.runs import list_runs
from pages.components.results.charts import result_charts
from pages.components.results.compare import result_compare
from pages.components.results.downloads import result_downloads
from pages.components.results.locked import result_locked
from pages.components.results.methods.tab import result_methods
from pages.components.results.overview import result_overview
from pages.components.results.people.tab import result_people
from pages.components.results.questions.tab import result_questions
from pages.components.results.texts.tab import result_texts
from pages.components.results.topics import result_topics
from pages.components.shell.address import keep, prepare
from pages.components.shell.blinding import open_answers
from pages.components.shell.current import current_workbench
from pages.components.shell.frame import empty, needs_dimension
from pages.components.shell.runs.result_choices import result_choices
from pages.components.shell.runs.result_scope import ResultScope
from pages.components.shell.runs.run_words import state, title
from pages.components.shell.words import plain

# What is not open is not computed. The address names the tab.
TABS: dict[str, tuple[str, Callable[[ResultScope], None]]] = {
    "overview": ("Overview", result_overview),
    "pictures": ("Pictures", result_charts),
    "compare": ("Compare", result_compare),
    "methods": ("Methods", result_methods),
    "questions": ("Questions", result_questions),
    "people": ("People", result_people),
    "texts": ("Texts", result_texts),
    "topics": ("Topics", result_topics),
    "locked": ("Locked test", result_locked),
    "download": ("Download", result_downloads),
}
# What shows single answers, which experts who answer themselves don't see before they have finished.
JUDGED = ("questions", "people", "texts", "download")

workbench = current_workbench()
project, dimension = needs_dimension(
    workbench, "Results", "How well the judge's scores agree with people, and what each figure rests on."
)
runs = [run for run in list_runs(workbench, project.id) if run.done and not run.locked]
if not runs:
    empty("No text of this project has been scored yet.", "Score some first.", "score", "Go to Score")
    st.stop()
chosen, choices = result_choices(runs, dimension.name)
if not chosen:
    empty(
        "Only studies of conditions have scored texts of this project.",
        "Conditions compares them; choose a run above to look into one, or score with a checklist of your own.",
        "conditions",
        "Go to Conditions",
    )
    st.stop()
for run in chosen:
    unfinished = "" if run.done == run.all else f" · {state(run)}, {run.done:,} of {run.all:,} scored so far"
    st.caption(plain(title(run) + unfinished))
prepare("view", list(TABS), "overview")
view = st.segmented_control(
    "View",
    list(TABS),
    format_func=lambda name: TABS[name][0],
    required=True,
    key="view",
    label_visibility="collapsed",
)
assert view is not None  # required
keep("view", view, "overview")
_, show = TABS[view]
if view in JUDGED:
    open_answers(workbench, dimension)
show(ResultScope(workbench, project, dimension, chosen, choices))
