"""All runs of a project, and the actions on unfinished ones."""

import time
from collections.abc import Sequence

import pandas as pd
import streamlit as st

from app.domain.model_call import model_label
from app.domain.project import Dimension, Project
from app.domain.run import WARN_AFTER, RunStatus, RunSummary
from app.services.data.projects import dimensions_named
from app.services.drift.drift_checks import Asking, anchors_ahead, begin_anchored_scoring
from app.services.results.method_grid import result_words
from app.services.results.result_files import verdicts_of
from app.services.results.results import cached_results
from app.services.runtime.batch_rounds import AT_ONCE
from app.services.runtime.judges import JudgeAbility
from app.services.runtime.spending import run_spending
from app.services.runtime.workbench import Workbench
from app.services.scoring.forecast import Forecast
from app.services.scoring.run_labels import method_label
from app.services.scoring.runs import RunOptions, answer_warnings, list_runs, set_budget, stop_run
from app.services.scoring.scoring_jobs import (
    ask_rest,
    batches_in_progress,
    batches_of_run,
    begin_cancelling,
    begin_scoring,
    can_resume,
    failure_kinds,
    has_open_batches,
    is_scoring,
    just_ended,
    resume_run,
    running_run,
    stopping,
)
from app.services.scoring.stage_outputs import OWN_SEEDS, StageOutput, save_edit, save_own_seeds, stage_outputs_of
from pages.components.shell.background import POLL_SECONDS
from pages.components.shell.browser.page_scripts import saved_typing
from pages.components.shell.current import was_pressed
from pages.components.shell.labels import ShownErrors, button_label, number, paid, plain
from pages.components.shell.navigation.screens import link
from pages.components.shell.runs.run_words import (
    at_provider,
    double_payment_warning,
    failure_words,
    short_title,
    started,
    state,
    title,
)
from pages.components.shell.tables import show_table

UNFINISHED = 5  # more open runs than this are old news; the newest are offered


def run_list(workbench: Workbench, project: Project) -> None:
    runs = list_runs(workbench, project.id, anchors=True)
    if not runs:
        return
    st.subheader("Runs", anchor=False)
    busy = is_scoring(workbench, project.id) or any(run.status is RunStatus.RUNNING for run in runs)
    open_ = [run for run in runs if can_resume(run) or (run.failed and run.status is not RunStatus.RUNNING)]
    for run in open_[:UNFINISHED]:
        _unfinished(workbench, project, run, busy)
    show_table(_table(runs), "runs", _COLUMNS)
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
                "Method": method_label(run),
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
    """Return how many texts are scored, for the table; "see above" during a run, as the table doesn't move then."""
    return "see above" if run.status is RunStatus.RUNNING else f"{run.done:,} of {run.all:,}"


def _draw(run: RunSummary) -> str:
    share, draw, seed = run.params.get("sample", 1), run.params.get("draw"), run.params.get("seed")
    if run.locked:
        return "held-out split"
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
            pressed = was_pressed(
                button_label(label, f"of run {run.id}" if only_failures else f"run {run.id}"),
                key=f"resume_{run.id}",
                disabled=busy,
                help="Only what is missing or failed is asked.",
            )
            left_there = has_open_batches(workbench, run.id) and run.status is not RunStatus.RUNNING
            cancelled = left_there and was_pressed(
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
            st.caption(double_payment_warning(run))
        for failure in failure_kinds(workbench, run.id) if run.failed else []:
            st.caption(failure_words(failure))
    if pressed or cancelled:
        with ShownErrors():
            if cancelled:
                begin_cancelling(workbench, project.id, run.id)
            else:
                if budget is not None:
                    set_budget(workbench, run.id, budget)
                if rest:
                    ask_rest(workbench, run.id, AT_ONCE)
                resume_run(workbench, project.id, run.id)
            st.rerun()


def _left_there(workbench: Workbench, run: RunSummary) -> str:
    there = batches_in_progress(batches_of_run(workbench, run.id))
    if there is None:
        return "Its batch may be at the provider. Resume looks for it, and hands it in where it isn't."
    return f"{at_provider(there)} when it was last asked. Resume waits for it and scores what comes back."


def _rest(run: RunSummary) -> bool:
    """Ask whether requests that aren't at the provider are sent at once; return the answer."""
    if run.params.get("batch") in (None, AT_ONCE) or not run.resumable:
        return False
    return st.toggle(
        "Ask the rest at once",
        key=f"rest_at_once_{run.id}",
        help="What is at the provider is waited for. What it doesn't answer, and what isn't there, goes into no "
        "further batch: it is asked now, at the standard price.",
    )


def _budget(run: RunSummary) -> float | None:
    """Ask for the run's total limit, if it has one and may have reached it; return None for no change."""
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


EARLY = 1_000  # texts
WINDOW_SECONDS = 20.0  # the rate is that of the last moments, so that a run that slowed down says so


@st.fragment(run_every=POLL_SECONDS)
def run_progress(workbench: Workbench, project_id: int) -> None:
    """Draw the progress. The screen reruns when the run ends, or the next one begins."""
    run, key = running_run(workbench, project_id), f"watched_run_{project_id}"
    if run is not None:
        if st.session_state.setdefault(key, run.id) != run.id:
            st.session_state[key] = run.id
            st.rerun()
        _show(workbench, run)
    elif is_scoring(workbench, project_id):
        st.caption("Starting")
    else:
        st.rerun()


def _show(workbench: Workbench, run: RunSummary) -> None:
    ended = run.done + run.failed
    ending = stopping(workbench, run.id)
    st.markdown(f"**{plain(title(run))}**")
    failed = f", {run.failed:,} failed" if run.failed else ""
    st.progress(ended / run.all if run.all else 0.0, text=f"{run.done:,} of {run.all:,} scored{failed}")
    if run.message:
        st.warning(plain(run.message), icon=":material/pause_circle:")
    with st.container(horizontal=True, vertical_alignment="center"):
        pressed = was_pressed(
            "Stop", key="stop_scoring", disabled=ending, help="What is scored stays. It can be resumed."
        )
        st.caption("Stopping: answers on their way are still kept." if ending else _waits(workbench, run, ended))
    first = run.done // max(1, len(run.dimensions))
    if WARN_AFTER <= first <= EARLY:  # later the sum over all answers takes too long for each look
        for warning in answer_warnings(workbench, run.id):
            st.warning(plain(f"{warning.message} Stop the run if it isn't worth the rest."))
    for line in _so_far(workbench, run):
        st.caption(line)
    if pressed:
        with ShownErrors():
            stop_run(workbench, run.id)
            st.rerun()


def _so_far(workbench: Workbench, run: RunSummary) -> list[str]:
    """Return in Markdown what the run asked and cost, and why texts failed."""
    lines = []
    if run.judge != "rules":
        spent = run_spending(workbench, run.id)
        cached = f", {spent.calls_cached:,} answered from earlier calls" if spent.calls_cached else ""
        retries = f", {run.retries:,} tried again" if run.retries else ""
        lines.append(
            f"{number(spent.calls, 'call')} paid{cached}{retries} · "
            f"cost so far: {paid(spent.cost_usd, spent.at_least_usd)}"
        )
    if run.maybe_paid_twice:
        lines.append(double_payment_warning(run))
    for failure in failure_kinds(workbench, run.id) if run.failed else []:
        lines.append(failure_words(failure))
    return lines


def _waits(workbench: Workbench, run: RunSummary, ended: int) -> str:
    """Return how much of its batch is back, or its pace."""
    there = batches_in_progress(batches_of_run(workbench, run.id)) if run.params.get("batch") else None
    if there is None:
        return _pace(run, ended)
    return f"{at_provider(there)}. That may take a day; you can close this page."


def _pace(run: RunSummary, ended: int) -> str:
    """Return the pace of the run since this tab first saw it, without scores from before."""
    key, now = f"pace_{run.id}", time.monotonic()
    seen = [(at, count) for at, count in st.session_state.get(key, []) if now - at < WINDOW_SECONDS] + [(now, ended)]
    st.session_state[key] = seen
    seconds, scored = now - seen[0][0], ended - seen[0][1]
    if seconds < POLL_SECONDS / 2:
        return "Measuring the pace"
    if scored <= 0:
        return "Waiting for answers"
    rate = scored / seconds
    shown = f"{rate:,.0f} a second" if rate >= 2 else f"{rate * 60:,.0f} a minute"
    return f"{shown} · {_duration((run.all - ended) / rate)} left"


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"about {max(round(seconds), 1)} s"
    return f"about {round(seconds / 60)} min" if seconds < 5400 else f"about {seconds / 3600:.1f} h"


def note_ending(workbench: Workbench, project: Project) -> None:
    """Note that a run ended, before the message about it, which is shown once."""
    if ended := just_ended(workbench, project.id):
        st.session_state[_key(project)] = ended


def outcome(workbench: Workbench, project: Project) -> None:
    """Draw the outcome of the run that ended in this session, except of the held-out split and of studies."""
    ended = st.session_state.get(_key(project), ())
    if not ended:
        return
    there = [run for run in list_runs(workbench, project.id) if run.id in ended and run.done]
    runs = [run for run in there if not run.locked and not run.apart]
    if not runs:
        return
    with st.spinner("Comparing the judge with the raters"):
        results = cached_results(workbench, [run.id for run in runs])
        if not results:
            return
        verdicts = verdicts_of(workbench, results)
    with st.container(border=True, key="outcome"):
        for result, verdict in zip(results, verdicts, strict=True):
            st.markdown(plain(verdict.about(result_words(result, results))))
        link("results", "See what this rests on")


def _key(project: Project) -> str:
    return f"scoring_ended_{project.id}"


ANCHORS_HELP = (
    "Anchors are texts that experts answered. If the judge no longer answers them as it did, its new scores don't "
    "compare with old ones. One request for each anchor."
)


def scoring_start(
    workbench: Workbench,
    project: Project,
    ahead: Sequence[Forecast],
    wishes: Sequence[RunOptions],
    judges: list[JudgeAbility],
) -> None:
    """Draw the start of the runs, with a forecast for each; no button while a judge can't be asked."""
    missing = dict.fromkeys(judge.obstacle for judge in judges if judge.obstacle)
    if missing:
        for obstacle in missing:
            st.warning(plain(obstacle), icon=":material/key:")
        link("settings", "Keys and addresses are on Settings")
        return
    by = f" with {len(wishes)} judges" if len(wishes) > 1 else ""
    by += f", {wishes[0].trials} trials" if wishes[0].trials > 1 else ""
    busy = running_run(workbench, project.id) is not None or is_scoring(workbench, project.id)
    asked = _check_drift(workbench, wishes)
    if was_pressed(
        f"Score {number(ahead[0].texts, 'text')}{by}",
        "start_scoring",
        type="primary",
        disabled=busy,
        help="A project has one run at a time: wait until the one above ends, or stop it." if busy else None,
    ):
        with ShownErrors():
            if asked:
                begin_anchored_scoring(workbench, project.id, asked, wishes)
            else:
                begin_scoring(workbench, project.id, *wishes)
            st.rerun()


def _check_drift(workbench: Workbench, wishes: Sequence[RunOptions]) -> list[tuple[Dimension, Asking]]:
    """Offer to check drift before scoring, if anchors are frozen and the judge has a reference."""
    asked = anchors_ahead(workbench, wishes)
    if not asked:
        return []
    names = ", ".join(dict.fromkeys(dimension.name for dimension, _ in asked))
    first = st.toggle("Ask first whether the judge has changed", value=True, key="check_drift", help=ANCHORS_HELP)
    st.caption(plain(f"By the anchors of {names}; Results, Details shows all looks."))
    return asked if first else []


EXAMPLE = "Order\n- Do the sentences follow in a sensible order?\n- Does each sentence build on the one before?"


def stage_outputs(workbench: Workbench, project: Project) -> None:
    dimensions = dimensions_named(workbench, project.name, "all")
    if not dimensions:
        return
    with st.expander("Steps, aspects and seed questions", key="stage_outputs"):
        st.caption(
            "Some methods have the judge write something once per dimension: G-Eval its evaluation steps, CoAScore "
            "related aspects, CheckEval seed questions. Runs take the newest wording; earlier scores stay."
        )
        dimension = st.selectbox(
            "Of the dimension", dimensions, format_func=lambda d: plain(d.name), key=f"stage_outputs_of_{project.id}"
        )
        found = stage_outputs_of(workbench, dimension.id)
        for place, written in enumerate(found):
            _piece(workbench, dimension, written, place)
        if not any(written.stage == OWN_SEEDS for written in found):
            _own_seeds(workbench, dimension)


def _piece(workbench: Workbench, dimension: Dimension, written: StageOutput, place: int) -> None:
    newest = written.versions[0]
    asked = f" · asked of {plain(model_label(written.judge))}" if written.judge else ""
    with st.form(f"writing_{dimension.id}_{place}", border=True):
        st.markdown(f"**{plain(written.title)}**{asked}")
        lines = st.text_area(
            written.how,
            written.lines,
            height=min(400, 60 + 26 * (1 + written.lines.count("\n"))),
            key=f"lines_{dimension.id}_{place}_{newest.number}",
        )
        label = button_label("Save as a new version", written.title)
        saved = was_pressed(label, f"save_writing_{dimension.id}_{place}", form=True)
        st.caption(f"Version {newest.number}, by {plain(newest.by)}")
    if saved:
        with ShownErrors():
            save_edit(workbench, dimension.id, written, lines)
            saved_typing(f"lines_{dimension.id}_{place}_{newest.number}")
            st.rerun()
    if len(written.versions) > 1:
        earlier = button_label(number(len(written.versions) - 1, "earlier version"), f"of {written.title}")
        with st.popover(earlier, key=f"earlier_{place}"):
            for version in written.versions[1:]:
                st.caption(f"Version {version.number}, by {plain(version.by)}")
                st.text(version.lines)


def _own_seeds(workbench: Workbench, dimension: Dimension) -> None:
    with st.form(f"own_seeds_{dimension.id}", border=True):
        st.markdown("**CheckEval: your own seeds**")
        lines = st.text_area(
            "A line for each sub-aspect; below it its yes/no questions, each behind a dash, with yes = good.",
            placeholder=EXAMPLE,
            height=140,
            key=f"own_seed_lines_{dimension.id}",
        )
        saved = was_pressed("Save these seeds", f"save_own_seeds_{dimension.id}", form=True)
        st.caption("Used where CheckEval's option “Seed questions” is set to your own.")
    if saved:
        with ShownErrors():
            save_own_seeds(workbench, dimension.id, lines)
            saved_typing(f"own_seed_lines_{dimension.id}")
            st.rerun()
