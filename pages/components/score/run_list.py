"""All runs of a project, and what can be done about those that are not finished."""

import pandas as pd
import streamlit as st

from app.domain.project import Project
from app.domain.run import RunStatus, RunSummary
from app.errors import WorkbenchError
from app.services.runtime.workbench import Workbench
from app.services.scoring.batch_cancelling import begin_cancelling
from app.services.scoring.run_batches import AT_ONCE, ask_rest, batches_of_run, has_open_batches, out_now
from app.services.scoring.runs import list_runs, set_budget
from app.services.scoring.scoring_jobs import can_go_on, failure_kinds, go_on, is_scoring
from pages.components.shell.navigation.screens import link
from pages.components.shell.runs.run_words import (
    at_provider,
    failure_words,
    paid_twice,
    short_title,
    started,
    state,
    way,
)
from pages.components.shell.words import button_label, model_label, plain, show_error

UNFINISHED = 5  # more open runs than this are old news; the newest are offered


def run_list(workbench: Workbench, project: Project) -> None:
    runs = list_runs(workbench, project.id, anchors=True)
    if not runs:
        return
    st.subheader("Runs", anchor=False)
    busy = is_scoring(workbench, project.id) or any(run.status is RunStatus.RUNNING for run in runs)
    open_ = [run for run in runs if can_go_on(run) or (run.failed and run.status is not RunStatus.RUNNING)]
    for run in open_[:UNFINISHED]:
        _unfinished(workbench, project, run, busy)
    st.dataframe(_table(runs), placeholder="–", hide_index=True, key="runs", column_config=_COLUMNS)
    if any(run.done and not run.anchors for run in runs):
        link("results", "See the results")


_COLUMNS = {
    "Dimensions": st.column_config.TextColumn(width=180),
    "Scored": st.column_config.TextColumn(help="Texts times dimensions that have a score, of all that were planned."),
    "Draw": st.column_config.TextColumn(help="The share of the texts that was drawn, and the seed that drew it."),
}


def _table(runs: list[RunSummary]) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {
                "Run": str(run.id),
                "Started": started(run),
                "Method": way(run),
                "Judge": model_label(run.judge),
                "Dimensions": ", ".join(run.dimensions),
                "State": state(run),
                "Scored": _scored(run),
                "Draw": _draw(run),
            }
            for run in runs
        ]
    )


def _scored(run: RunSummary) -> str:
    """The table stands still while a run goes on; how far it is shows above."""
    return "see above" if run.status is RunStatus.RUNNING else f"{run.done:,} of {run.all:,}"


def _draw(run: RunSummary) -> str:
    share, draw, seed = run.params.get("sample", 1), run.params.get("draw"), run.params.get("seed")
    if run.locked:
        return "locked test split"
    if run.anchors:
        return "anchors"
    if chosen := run.params.get("texts_chosen"):
        return f"{chosen} texts, seed {seed}"
    if draw:
        return f"{draw[0]} × {draw[1]}, seed {seed}"
    return "all texts" if share == 1 else f"{share:.0%}, seed {seed}"


def _unfinished(workbench: Workbench, project: Project, run: RunSummary, busy: bool) -> None:
    only_failures = run.status is RunStatus.DONE
    with st.container(border=True, key=f"unfinished_{run.id}"):
        with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
            st.markdown(
                f"**{plain(short_title(run))}**: {plain(state(run))}, {run.done:,} of {run.all:,} scored",
                width="content",
            )
            label = "Try the failures again" if only_failures else "Resume"
            pressed = st.button(
                button_label(label, f"of run {run.id}" if only_failures else f"run {run.id}"),
                key=f"resume_{run.id}",
                disabled=busy,
                help="Only what is missing or failed is asked.",
            )
            left_there = has_open_batches(workbench, run.id) and run.status is not RunStatus.RUNNING
            cancelled = left_there and st.button(
                button_label("Cancel the batch", f"of run {run.id}"),
                key=f"cancel_batch_{run.id}",
                disabled=busy,
                help="At the provider too. What was answered there until then is kept, and isn't asked again.",
            )
        if run.message:
            st.markdown(plain(run.message))
        if left_there:
            st.caption(_left_there(workbench, run))
        rest = _rest(run)
        budget = _budget(run)
        if run.status is RunStatus.INTERRUPTED and not run.message:
            st.caption("The program that worked on it ended. What it had scored is here.")
        if run.maybe_paid_twice:
            st.caption(paid_twice(run))
        for failure in failure_kinds(workbench, run.id) if run.failed else []:
            st.caption(failure_words(failure))
    if pressed or cancelled:
        try:
            if cancelled:
                begin_cancelling(workbench, project.id, run.id)
            else:
                if budget is not None:
                    set_budget(workbench, run.id, budget)
                if rest:
                    ask_rest(workbench, run.id, AT_ONCE)
                go_on(workbench, project.id, run.id)
        except WorkbenchError as error:
            show_error(error)
        else:
            st.rerun()


def _left_there(workbench: Workbench, run: RunSummary) -> str:
    there = out_now(batches_of_run(workbench, run.id))
    if there is None:
        return "Its batch may be at the provider. Resume looks for it, and hands it in where it isn't."
    return f"{at_provider(there)} when it was last asked. Resume waits for it and scores what comes back."


def _rest(run: RunSummary) -> bool:
    """Whether what isn't at the provider is to be asked at once."""
    if run.params.get("batch") in (None, AT_ONCE) or not run.resumable:
        return False
    return st.toggle(
        "Ask the rest at once",
        key=f"rest_at_once_{run.id}",
        help="What is at the provider is waited for. What it doesn't answer, and what isn't there, goes into no "
        "further batch: it is asked now, at the standard price.",
    )


def _budget(run: RunSummary) -> float | None:
    """What it may cost in all, where it has a limit and may have reached it; None for no change."""
    limit = run.params.get("budget")
    if not limit or not run.resumable:
        return None
    return st.number_input(
        "Budget in US dollars",
        min_value=0.01,
        value=float(limit),
        step=1.0,
        key=f"raise_budget_{run.id}",
        width=200,
        help="What the run may cost in all, what it has cost already included. Raise it before you resume.",
    )
