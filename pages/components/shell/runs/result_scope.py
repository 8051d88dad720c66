"""Scope of the tabs of Results: the chosen runs, computed as chosen, only as far as a tab needs them."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import NoReturn

import streamlit as st

from app.domain.project import Dimension, Project
from app.domain.run import RunSummary
from app.errors import WorkbenchError
from app.services.results.results import Choices, DimensionResult, kept_result, kept_results, newer_trial_words
from app.services.runtime.workbench import Workbench
from app.services.scoring.runs import list_runs
from pages.components.shell.address import keep
from pages.components.shell.frame import empty
from pages.components.shell.runs.result_choices import LEVELS, choose_dataset, result_choices
from pages.components.shell.runs.run_words import state, title
from pages.components.shell.words import plain

DETAIL_RUN = "detail_run"  # in the session and the address
_MADE = "levels_made"


@dataclass(frozen=True, slots=True)
class ResultScope:
    """`runs` are the chosen ones, newest first."""

    workbench: Workbench
    project: Project
    dimension: Dimension
    runs: tuple[RunSummary, ...]
    choices: Choices

    @property
    def several(self) -> bool:
        return len(self.runs) > 1

    def every_dimension(self) -> list[DimensionResult]:
        """All dimensions, the runs of one dimension together. Where that is impossible the screen says so, and ends."""
        try:
            found = [r for run in self.runs for r in kept_results(self.workbench, run.id, self.choices)]
        except WorkbenchError as error:
            self._impossible(error)
        return sorted(found, key=lambda result: result.dimension.position)

    def look_ahead(self, shown: Sequence[DimensionResult]) -> None:
        """Compute the other levels of what is shown, once all is drawn: they are what people look at next."""
        made = (*(result.reading for result in shown), replace(self.choices, level="dataset"))
        if st.session_state.get(_MADE) == made:
            return
        for level in LEVELS:
            for run in self.runs:
                with suppress(WorkbenchError):  # the texts have no systems, for example; said to whoever goes there
                    kept_results(self.workbench, run.id, replace(self.choices, level=level))
        st.session_state[_MADE] = made

    def this_dimension(self) -> list[DimensionResult]:
        """The current dimension alone, of the runs that scored it."""
        try:
            found = [kept_result(self.workbench, run.id, self.dimension.id, self.choices) for run in self.runs]
        except WorkbenchError as error:
            self._impossible(error)
        return [result for result in found if result is not None]

    def one(self, section: str) -> DimensionResult | None:
        """The result a section looks into: the current dimension's, of the run that is picked where several scored it.

        Sections that are open together offer the choice each, and show the same run.
        """
        by_run = {result.run.id: result for result in self.this_dimension()}
        if not by_run:
            st.markdown(
                "The chosen run did not score this dimension. Choose another one in the sidebar, or another run."
            )
            return None
        if len(by_run) == 1:
            return next(iter(by_run.values()))
        if st.session_state.get(DETAIL_RUN) not in by_run:
            wanted = st.query_params.get(DETAIL_RUN, "")
            picked = int(wanted) if wanted.isdecimal() else 0
            st.session_state[DETAIL_RUN] = picked if picked in by_run else next(iter(by_run))
        key = f"{DETAIL_RUN}_{section}"
        run = st.session_state[key] = st.session_state[DETAIL_RUN]
        st.radio(
            "Run", list(by_run), horizontal=True, key=key, format_func="Run {}".format, on_change=_pick_run, args=[key]
        )
        keep(DETAIL_RUN, str(run), str(next(iter(by_run))))
        return by_run[run]

    def _impossible(self, error: WorkbenchError) -> NoReturn:
        offer_dataset(f"Results at the level “{LEVELS[self.choices.level].lower()}” are not possible here: {error}")
        st.stop()


def chosen_results(workbench: Workbench, project: Project, dimension: Dimension) -> ResultScope:
    """Choose runs and how their figures are computed; where there is nothing to choose the screen says so, and ends."""
    runs = [run for run in list_runs(workbench, project.id) if run.done and not run.locked]
    if not runs:
        empty("No text of this project has been scored yet.", "Score some first.", "score", "Go to Scores")
        st.stop()
    chosen, choices = result_choices(runs, dimension.name)
    if not chosen and not any(run.study for run in runs):
        empty(
            "Only a comparison of ways of asking has scored texts of this project.",
            "Score texts first, or choose one of its runs above to look into it.",
            "score",
            "Go to Scores",
        )
        st.stop()
    if not chosen:
        empty(
            "Only studies of conditions have scored texts of this project.",
            "Conditions compares them; choose a run above to look into one, or score with a checklist of your own.",
            "conditions",
            "Go to Conditions",
        )
        st.stop()
    if trial := newer_trial_words(workbench, project.id, chosen, dimension.name):
        with st.container(key="newer_trial"):
            st.caption(plain(trial))
    for run in chosen:
        if run.done < run.all:
            st.caption(plain(f"{title(run)} · {state(run)}, {run.done:,} of {run.all:,} scored so far"))
    return ResultScope(workbench, project, dimension, chosen, choices)


def _pick_run(key: str) -> None:
    """Before the next drawing: every section that offers the choice shows the run picked in one of them."""
    st.session_state[DETAIL_RUN] = st.session_state[key]


def offer_dataset(why: str) -> None:
    st.info(plain(why), icon=":material/info:")
    st.button("Show the dataset level", key="show_dataset", on_click=choose_dataset)
