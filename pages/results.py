"""Results: how well the scores agree with people, how sure that is, and where they part."""

import streamlit as st

from app.domain.run import RunSummary
from app.errors import WorkbenchError
from app.services.results import DimensionResult, kept_results
from app.services.scoring import list_runs
from pages.components.current import current_workbench
from pages.components.result_choices import LEVELS, ResultChoices, choose_dataset, result_choices
from pages.components.result_detail import result_detail
from pages.components.result_downloads import result_downloads
from pages.components.result_overview import overview_picture, overview_table, what_it_rests_on
from pages.components.run_words import state, title
from pages.components.shell import empty, needs_dimension
from pages.components.words import plain

workbench = current_workbench()
project, dimension = needs_dimension(
    workbench, "Results", "How well the judge's scores agree with people, and what each figure rests on."
)
runs = [run for run in list_runs(workbench, project.id) if run.done]
if not runs:
    empty("No text of this project has been scored yet.", "Score some first.", "score", "Go to Score")
    st.stop()


def computed(choices: ResultChoices) -> list[DimensionResult]:
    """The chosen runs at the chosen level; where that level is impossible the screen says why and offers another."""
    level = LEVELS[choices.level].lower()
    try:
        results = [
            result
            for run in choices.runs
            for result in kept_results(
                workbench, run, choices.level, choices.constant, choices.include_partial, choices.soft
            )
        ]
    except WorkbenchError as error:
        offer_dataset(f"Results at the level “{level}” are not possible here: {error.message}")
        st.stop()
    results.sort(key=lambda result: result.dimension.position)  # runs of one dimension stand together
    reasons = {result.meta.figures["spearman"].reason for result in results}
    if choices.level != "dataset" and all(result.headline[0] is None for result in results):
        offer_dataset(f"At the level “{level}” there is no coefficient: {' '.join(sorted(reasons))}")
    return results


def offer_dataset(why: str) -> None:
    st.info(plain(why), icon=":material/info:")
    st.button("Show the dataset level", key="show_dataset", on_click=choose_dataset)


def about(run: RunSummary) -> None:
    unfinished = "" if run.done == run.all else f" · {state(run)}, {run.done:,} of {run.all:,} scored so far"
    st.caption(plain(title(run) + unfinished))


choices = result_choices(runs)
results = computed(choices)
for run in runs:
    if run.id in choices.runs:
        about(run)
several = len(choices.runs) > 1
overview_table(results, choices.level, several)
overview_picture(results, several)
what_it_rests_on(results, several)
result_downloads(project, results)
result_detail(workbench, project, dimension, results, choices.include_partial)
