"""A run while it goes on, read from the database every second, so that any tab can watch and stop it."""

import time

import streamlit as st

from app.domain.run import RunSummary
from app.errors import WorkbenchError
from app.services.runtime.spending import run_spending
from app.services.runtime.workbench import Workbench
from app.services.scoring.run_batches import batches_of_run, out_now
from app.services.scoring.runs import stop_run
from app.services.scoring.scoring_jobs import failure_kinds, is_scoring, running_run, stopping
from pages.components.shell.background import POLL_SECONDS
from pages.components.shell.money import paid
from pages.components.shell.runs.run_words import at_provider, failure_words, paid_twice, title
from pages.components.shell.words import number, plain, show_error

WINDOW_SECONDS = 20.0  # the rate is that of the last moments, so that a run that slowed down says so


@st.fragment(run_every=POLL_SECONDS)
def run_progress(workbench: Workbench, project_id: int) -> None:
    """The screen reruns when the run ends, or when the next one takes its place."""
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
        pressed = st.button(
            "Stop", key="stop_scoring", disabled=ending, help="What is scored stays. It can be resumed."
        )
        st.caption("Stopping: answers on their way are still kept." if ending else _waits(workbench, run, ended))
    for line in _so_far(workbench, run):
        st.caption(line)
    if pressed:
        try:
            stop_run(workbench, run.id)
        except WorkbenchError as error:
            show_error(error)
        else:
            st.rerun()


def _so_far(workbench: Workbench, run: RunSummary) -> list[str]:
    """What it asked and cost, and why texts failed; in Markdown."""
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
        lines.append(paid_twice(run))
    for failure in failure_kinds(workbench, run.id) if run.failed else []:
        lines.append(failure_words(failure))
    return lines


def _waits(workbench: Workbench, run: RunSummary, ended: int) -> str:
    """How much of its batch is back, or how fast it goes."""
    there = out_now(batches_of_run(workbench, run.id)) if run.params.get("batch") else None
    if there is None:
        return _pace(run, ended)
    return f"{at_provider(there)}. That may take a day; you can close this page."


def _pace(run: RunSummary, ended: int) -> str:
    """How fast this tab saw it go; scores that were there before it looked don't count."""
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
