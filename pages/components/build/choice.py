"""Choice of the build on the screen, and what happened to it so far."""

from collections.abc import Sequence
from functools import partial

import pandas as pd
import streamlit as st

from app.domain.build import BuildSummary, Revision
from app.services.building.build_state import build_history, return_to
from app.services.runtime.workbench import Workbench
from pages.components.build.change import save_edit
from pages.components.shell import local_time
from pages.components.shell.address import keep, numbers
from pages.components.shell.navigation.screens import link
from pages.components.shell.runs.condition_words import condition_label

SHOWN = "build_shown"
STEP, ADDRESS = "stage", "build"
_NEXT, _NEWEST = "build_to_show", "newest_build"


def show_build(build_id: int) -> None:
    """Show this build from the next rerun on."""
    st.session_state[_NEXT] = build_id


def start_at_next_stage() -> None:
    """Another build opens at the stage that comes next in it."""
    st.session_state.pop(STEP, None)
    st.query_params.pop(STEP, None)


def chosen_build(builds: Sequence[BuildSummary]) -> int | None:
    """The build a person chose, else the newest; None without any."""
    if not builds:
        return None
    there = {build.id for build in builds}
    newest = st.session_state.get(_NEWEST)
    if newest != builds[0].id:  # one that was just built shows, whatever was chosen before
        st.session_state[_NEWEST] = builds[0].id
        if newest in there:
            show_build(builds[0].id)
    if _NEXT in st.session_state:
        start_at_next_stage()
    addressed = next(iter(numbers(ADDRESS)), None)
    wanted = st.session_state.pop(_NEXT, None) or st.session_state.get(SHOWN) or addressed
    st.session_state[SHOWN] = wanted if wanted in there else builds[0].id
    found: int = st.session_state[SHOWN]
    return found


def older_builds(versions: Sequence[int]) -> None:
    """Where no build can be gone on with: whether nothing was built, or only before builds were kept by their steps."""
    stages = "These are the stages that a build goes through:"
    if not versions:
        st.markdown(f"**Nothing was built yet.** {stages}")
        return
    made = ("version " if len(versions) == 1 else "versions ") + ", ".join(map(str, versions))
    st.markdown(
        f"**Older builds are on record, none is in progress.** They made {made} of the checklist before builds were "
        "kept step by step, so they can't be gone on with here. Where their questions come from is under “Why these "
        "questions”."
    )
    link("lineage", "See where the questions come from")
    st.markdown(f"A new build leaves them as they are. {stages}")


def shown_build(builds: Sequence[BuildSummary], llms: str) -> int:
    """The choice among several builds."""
    labels = {build.id: _label(build, llms) for build in builds}
    chosen = st.selectbox(
        "Build", list(labels), format_func=labels.__getitem__, key=SHOWN, on_change=start_at_next_stage
    )
    keep(ADDRESS, str(chosen), str(builds[0].id))
    return chosen


def _label(build: BuildSummary, llms: str) -> str:
    """With its number: two builds with one label would be one choice."""
    made = f"made version {', '.join(map(str, build.versions))}" if build.versions else "no version yet"
    return f"Build {build.id} · {condition_label(build.condition, llms)} · {local_time.said(build.created_at)} · {made}"


def history(workbench: Workbench, build_id: int) -> None:
    """Every step with its time; any of them can be made the newest again."""
    steps = build_history(workbench, build_id)
    st.dataframe(
        pd.DataFrame([_row(step) for step in steps]),
        placeholder="–",
        hide_index=True,
        width=560,
        height=min(300, 38 + 35 * len(steps)),
        key=f"history_{build_id}",
        column_config={
            "Step": st.column_config.NumberColumn(width=45),
            "What": st.column_config.TextColumn(width=270),
            "Who": st.column_config.TextColumn(width=100),
            "When": st.column_config.DatetimeColumn(format="D MMM, HH:mm", width=115),
        },
    )
    earlier = [step.number for step in steps[1:]]
    if earlier:
        st.selectbox("Go back to step", earlier, key=f"back_to_{build_id}")
        st.button("Go back", key=f"go_back_{build_id}", on_click=partial(_back, workbench, build_id))


def _row(step: Revision) -> dict[str, object]:
    return {"Step": step.number, "What": step.what, "Who": step.who, "When": local_time.clock(step.at)}


def _back(workbench: Workbench, build_id: int) -> None:
    number = st.session_state[f"back_to_{build_id}"]
    save_edit(workbench, build_id, f"went back to step {number}", partial(return_to, workbench, build_id, number))
