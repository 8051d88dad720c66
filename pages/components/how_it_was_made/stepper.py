"""The five stages as steps: how each stands, what to do next, and the one that is open."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import streamlit as st

from app.domain.build import Stage
from app.errors import WorkbenchError
from app.services.building.build import make_checklist
from app.services.building.build_jobs import begin_again, begin_stages, taken_as_proposed
from app.services.building.build_state import BuildView, keep_stage, set_model, view_build
from app.services.runtime.workbench import Workbench
from pages.components.how_it_was_made.change import build_place, save_edit, save_open_edits
from pages.components.how_it_was_made.options import STEP, stage_options
from pages.components.how_it_was_made.questions import build_questions
from pages.components.how_it_was_made.stages import clusters, components, failure, offers, record, review
from pages.components.shell.address import keep, prepare
from pages.components.shell.checklists.build_words import (
    PURPOSES,
    STAGE_NAMES,
    TITLES,
    build_summary,
    stale_words,
    step_label,
)
from pages.components.shell.checklists.question_editor import current_editor, editor_name
from pages.components.shell.current import was_pressed
from pages.components.shell.guide import more_on_stage
from pages.components.shell.navigation.screens import go, link
from pages.components.shell.runs.model_options import chosen_model, model_choice
from pages.components.shell.undo import undo_button
from pages.components.shell.words import model_label, number, plain

STAGES = list(Stage)


def stepper(workbench: Workbench, view: BuildView, busy: bool) -> None:
    """`busy`: a stage is being made right now; nothing else is asked meanwhile."""
    place = st.container()
    workbench = replace(workbench, asking=stage_options(list(view.build.models.values())))
    with place:
        _next(workbench, view, busy)
    default = view.next_stage or Stage.VALIDATION
    chosen = STEP in st.session_state or STEP in st.query_params
    prepare(STEP, STAGES, default)
    stage = Stage(st.session_state[STEP])
    if busy and not chosen:
        del st.session_state[STEP]  # the default moves on while stages are made
    _steps(view, stage)
    keep(STEP, stage, default)
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        st.subheader(TITLES[stage], anchor=False, width="content")
        editor_name(current_editor())
    st.markdown(PURPOSES[stage], help=more_on_stage(stage))
    failure(view.records[stage], stage)
    if view.states[stage].made:
        st.caption(f"{build_summary(view, stage)} · {plain(_made_by(view, stage))}")
        _stale(workbench, view, stage, busy)
        offers(workbench, view, stage)
        _items(workbench, view, stage, busy)
        if stage is not Stage.CLUSTERS:  # its list has an Undo of its own
            undo_button(build_place(view.id))
    else:
        _not_made(view, stage)
    record(workbench, view, stage)
    _foot(workbench, view, stage, busy)


def _steps(view: BuildView, chosen: Stage) -> None:
    """Buttons, because their labels say how each stage stands: one choice among labels that change loses its value."""
    with st.container(horizontal=True, key="build_steps"):
        for stage in STAGES:
            st.button(
                step_label(view, stage),
                key=f"step_{stage}",
                type="secondary" if stage is chosen else "tertiary",
                on_click=_go,
                args=[stage],
            )


def _next(workbench: Workbench, view: BuildView, busy: bool) -> None:
    """The one thing to do next: make the next stage, rebuild what is out of date, or make the checklist."""
    todo = view.next_stage
    with st.container(horizontal=True, vertical_alignment="center", key="build_next"):
        if todo is None and view.version is not None:
            if was_pressed(f"Open version {view.version}", type="primary", key="open_checklist"):
                go("checklist")
            st.markdown(f"All five stages are done, and version {view.version} is what they made.")
        elif todo is None:
            args = [workbench, view]
            st.button(
                "Make the checklist", type="primary", key="make_checklist", disabled=busy, on_click=_make, args=args
            )
            st.markdown("All five stages are done.")
            _undecided(view)
        elif view.stale:
            names = ", ".join(f"{STAGE_NAMES[stage]} ({stale_words(view.states[stage])})" for stage in view.stale)
            _runner(workbench, view, view.made, "Rebuild only what is out of date", "rebuild_stale", todo, busy)
            st.warning(f"Out of date: {names}", icon=":material/update:")
        else:
            _runner(workbench, view, [todo], f"Make the {STAGE_NAMES[todo]}", "make_stage", todo, busy)
            rest = STAGES[STAGES.index(todo) :]
            if len(rest) > 1:
                shown = todo if len(rest) == len(STAGES) else rest[-1]
                _runner(
                    workbench, view, rest, f"Run all {len(rest)} stages left", "run_rest", shown, busy, primary=False
                )


def _undecided(view: BuildView) -> None:
    """Making the checklist takes what nobody decided on: said where that is pressed, whichever stage is open."""
    if waiting := len(view.build.undecided):
        st.markdown(f":orange[:material/rule:] **{number(waiting, 'change')} undecided**: taken as proposed.")
        st.button("Look at them", key="look_undecided", type="tertiary", on_click=_go, args=[Stage.VALIDATION])


def _runner(
    workbench: Workbench,
    view: BuildView,
    stages: Sequence[Stage],
    label: str,
    key: str,
    shown: Stage,
    busy: bool,
    primary: bool = True,
) -> None:
    st.button(
        label,
        type="primary" if primary else "secondary",
        key=key,
        disabled=busy,
        on_click=_begin,
        args=[
            workbench,
            view,
            partial(begin_stages, workbench, view.dimension, view.id, stages, label, current_editor()),
            shown,
        ],
    )


def _begin(workbench: Workbench, view: BuildView, start: Callable[[], None], shown: Stage) -> None:
    """In a callback, so that the same run already shows the progress. The stage that shows follows the work."""
    if not save_open_edits(workbench, view):
        return
    try:
        start()
    except WorkbenchError as error:
        st.session_state["build_problem"] = error
    else:
        st.session_state[STEP] = shown


def _make(workbench: Workbench, view: BuildView) -> None:
    if not save_open_edits(workbench, view):
        return
    try:
        taken = taken_as_proposed(view_build(workbench, view.id).build)
        made = make_checklist(workbench, view.id, who=current_editor())
    except WorkbenchError as error:
        st.session_state["build_problem"] = error
    else:
        said = f"Version {made.version} is a draft with {number(len(made.asked), 'question')}."
        st.session_state["made_version"] = said + taken


def _made_by(view: BuildView, stage: Stage) -> str:
    made = next((run for run in view.records[stage] if not run.error_kind), None)
    return f"last asked: {model_label(made.model)}" if made else "by hand"


def _stale(workbench: Workbench, view: BuildView, stage: Stage, busy: bool) -> None:
    state = view.states[stage]
    if not state.stale:
        return
    with st.container(horizontal=True, vertical_alignment="center", key=f"stale_{stage}"):
        st.markdown(f":orange[:material/update:] **Out of date:** {stale_words(state)}")
        st.button(
            "Keep as it is",
            key=f"keep_stage_{view.id}_{stage}",
            type="tertiary",
            disabled=busy,
            help="You looked at it and it still fits: it no longer counts as out of date.",
            on_click=save_edit,
            args=[workbench, view.id, f"kept the {STAGE_NAMES[stage]}", partial(keep_stage, workbench, view.id, stage)],
        )


def _items(workbench: Workbench, view: BuildView, stage: Stage, busy: bool) -> None:
    match stage:
        case Stage.COMPONENTS:
            components(workbench, view)
        case Stage.CLUSTERS:
            clusters(workbench, view)
        case Stage.VALIDATION:
            review(workbench, view)
        case _:
            build_questions(workbench, view, stage, partial(_again, workbench, view, stage), busy)


def _not_made(view: BuildView, stage: Stage) -> None:
    before = view.next_stage
    if before is not None and before is not stage and STAGES.index(before) < STAGES.index(stage):
        st.markdown(f"Not made yet. First come the {STAGE_NAMES[before]}.")
    else:
        st.markdown("Not made yet.")


def _again(workbench: Workbench, view: BuildView, stage: Stage, item: int = 0) -> None:
    title = f"Asking again for the {STAGE_NAMES[stage]}"
    start = partial(begin_again, workbench, view.dimension, view.id, stage, item, title, current_editor())
    _begin(workbench, view, start, stage)


def _foot(workbench: Workbench, view: BuildView, stage: Stage, busy: bool) -> None:
    state = view.states[stage]
    with st.container(horizontal=True, vertical_alignment="center", key="build_foot"):
        with st.popover("Model of this stage", key=f"stage_model_{view.id}_{stage}"):
            st.caption(plain(f"Asks {model_label(view.build.models[stage])}."))
            asked = f"model_{view.id}_{stage}"
            chosen = model_choice(workbench, "Ask instead", asked, "For this stage only.")
            st.button(
                "Use this model",
                key=f"use_model_{view.id}_{stage}",
                disabled=not chosen,
                on_click=_use_model,
                args=[workbench, view.id, stage, asked],
            )
        if state.made:
            st.button(
                "Ask again for the whole stage",
                key=f"regenerate_{view.id}_{stage}",
                icon=":material/refresh:",
                disabled=busy or not state.ready,
                help="One new answer. What you edited or added stays, and earlier answers stay on record.",
                on_click=_again,
                args=[workbench, view, stage],
            )
            if stage is not STAGES[-1]:
                after = STAGES[STAGES.index(stage) + 1]
                st.button(
                    f"Go on to {STAGE_NAMES[after]}",
                    key="go_on",
                    icon=":material/arrow_forward:",
                    on_click=_go,
                    args=[after],
                )
        if view.build.sub_questions:
            link("why_these_questions", "Where the questions come from")


def _use_model(workbench: Workbench, build_id: int, stage: Stage, asked: str) -> None:
    save_edit(workbench, build_id, "chose a model", partial(set_model, workbench, build_id, chosen_model(asked), stage))


def _go(stage: Stage) -> None:
    st.session_state[STEP] = stage
