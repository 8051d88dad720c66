"""Stages of a build as steps: the state of each, the next action, the open one, and its key questions."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import streamlit as st

from app.domain.build import BuildQuestion, Stage
from app.domain.model_call import model_label
from app.services.building.build import accepted_changes_sentence, begin_again, begin_stages, make_checklist
from app.services.building.build_state import (
    BuildView,
    accept_stage,
    add_build_question,
    remove_build_question,
    reword_question,
    set_model,
    view_build,
)
from app.services.runtime.workbench import Workbench
from pages.components.how_it_was_made.options import (
    ROW,
    STEP,
    build_place,
    row,
    save_edit,
    save_open_edits,
    stage_options,
)
from pages.components.how_it_was_made.stages import clusters, components, failure, offers, record, review
from pages.components.shell.checklists.publishing import (
    ORIGINS,
    PURPOSES,
    STAGE_NAMES,
    TITLES,
    build_summary,
    stale_words,
    step_label,
)
from pages.components.shell.checklists.question_editor import current_editor, editor_name
from pages.components.shell.contributor_choice import said_by
from pages.components.shell.current import keep, prepare, was_pressed
from pages.components.shell.labels import ShownErrors, button_label, more_on_stage, number, plain
from pages.components.shell.navigation.screens import go, link
from pages.components.shell.runs.model_options import chosen_model, model_choice
from pages.components.shell.undo import undo_button

Regenerate = Callable[[int], None]


def build_questions(workbench: Workbench, view: BuildView, stage: Stage, again: Regenerate, busy: bool) -> None:
    """Draw the questions. `again` requests the questions of one component again; not while `busy`."""
    keys = {q.component: q.text for q in view.build.key_questions}
    for component in view.build.components:
        own = [q for q in view.build.questions(stage) if q.component == component.id]
        members = view.build.members(component.id, view.in_use)
        heading, action = st.columns(ROW, vertical_alignment="bottom")
        heading.markdown(f"##### {plain(component.name)}")
        action.container(horizontal=True, horizontal_alignment="right").button(
            button_label("Ask again", f"about {component.name}"),
            key=f"again_{view.id}_{stage}_{component.id}",
            type="tertiary",
            icon=":material/refresh:",
            help="One new answer about this component only. What you edited stays.",
            disabled=busy or not members or (stage is Stage.SUB_QUESTIONS and component.id not in keys),
            on_click=again,
            args=[component.id],
        )
        if stage is Stage.SUB_QUESTIONS and component.id in keys:
            st.caption(f"Key question: {plain(keys[component.id])}")
        if not own and not members:
            st.caption("No attribute is placed here, so no question is written.")
        for question in own:
            behind = number(len(question.attributes), "attribute") if question.attributes else ""
            notes = " · ".join(note for note in (f"from {behind}" if behind else "", ORIGINS[question.origin]) if note)
            line, typed = (
                f"{plain(question.text)}  \n:small[:gray[{notes}]]",
                [f"build_wording_{view.id}_{question.id}"],
            )
            if row(view.id, f"question_{question.id}", line, question.text, typed):
                _editor(workbench, view, stage, question)
    _adding(workbench, view, stage)


def _editor(workbench: Workbench, view: BuildView, stage: Stage, question: BuildQuestion) -> None:
    key = f"{view.id}_{question.id}"
    with st.form(f"question_{key}"):
        st.text_area("Wording", question.text, height=80, key=f"build_wording_{key}")
        with st.container(horizontal=True):
            st.form_submit_button(
                "Save wording",
                key=f"save_wording_{key}",
                on_click=partial(_save, workbench, view.id, stage, question.id),
            )
            if stage is Stage.SUB_QUESTIONS:
                st.form_submit_button(
                    "Remove question",
                    key=f"remove_question_{key}",
                    on_click=partial(_remove, workbench, view.id, question.id),
                )
        if question.first and question.first != question.text:
            st.caption(f"First wording: {plain(question.first)}")
        found = [view.attributes[id_] for id_ in question.attributes if id_ in view.attributes]
        if found:
            st.caption("Why this question: the attributes behind it")
            st.markdown("\n".join(f"- {plain(a.text)} :gray[{said_by(a)}]" for a in found))
        else:
            st.caption("No attribute is behind it: it was added by hand.")


def _save(workbench: Workbench, build_id: int, stage: Stage, question: int) -> None:
    key = f"build_wording_{build_id}_{question}"
    action = partial(reword_question, workbench, build_id, stage, question, st.session_state[key])
    save_edit(workbench, build_id, "reworded a question", action, [key])


def _remove(workbench: Workbench, build_id: int, question: int) -> None:
    save_edit(workbench, build_id, "removed a question", partial(remove_build_question, workbench, build_id, question))


def _adding(workbench: Workbench, view: BuildView, stage: Stage) -> None:
    without_key = {c.id for c in view.build.components} - {q.component for q in view.build.key_questions}
    open_to = [c for c in view.build.components if stage is Stage.SUB_QUESTIONS or c.id in without_key]
    if not open_to:
        return
    names = {component.id: component.name for component in open_to}
    with (
        st.expander("Add a question", key=f"add_question_{stage}"),
        st.form(f"add_question_{view.id}_{stage}", border=False, clear_on_submit=True),
    ):
        st.text_input("Question", placeholder="Does the text …?", key=f"new_question_{stage}")
        st.selectbox("Component", list(names), format_func=names.__getitem__, key=f"new_question_component_{stage}")
        st.form_submit_button(
            "Add question", key=f"add_question_submit_{stage}", on_click=partial(_add, workbench, view.id, stage)
        )


def _add(workbench: Workbench, build_id: int, stage: Stage) -> None:
    text, component = (st.session_state[f"new_question_{part}{stage}"] for part in ("", "component_"))
    action = partial(add_build_question, workbench, build_id, stage, component, text)
    save_edit(workbench, build_id, "added a question", action, [f"new_question_{stage}"])


STAGES = list(Stage)


def stepper(workbench: Workbench, view: BuildView, busy: bool) -> None:
    """Draw the steps. `busy`: a stage is running, and nothing else is requested meanwhile."""
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
        match stage:
            case Stage.COMPONENTS:
                components(workbench, view)
            case Stage.CLUSTERS:
                clusters(workbench, view)
            case Stage.VALIDATION:
                review(workbench, view)
            case _:
                build_questions(workbench, view, stage, partial(_again, workbench, view, stage), busy)
        if stage is not Stage.CLUSTERS:  # its list has an Undo of its own
            undo_button(build_place(view.id))
    else:
        before = view.next_stage
        if before is not None and before is not stage and STAGES.index(before) < STAGES.index(stage):
            st.markdown(f"Not made yet. First come the {STAGE_NAMES[before]}.")
        else:
            st.markdown("Not made yet.")
    record(workbench, view, stage)
    _foot(workbench, view, stage, busy)


def _steps(view: BuildView, chosen: Stage) -> None:
    """Draw the steps as buttons, because their labels show each stage's state: a choice whose labels change loses its
    value."""
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
    """Draw the next action: run the next stage, rebuild what is outdated, or make the checklist."""
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
            if waiting := len(view.build.undecided):
                st.markdown(f":orange[:material/rule:] **{number(waiting, 'change')} undecided**: taken as proposed.")
                st.button("Look at them", key="look_undecided", type="tertiary", on_click=_go, args=[Stage.VALIDATION])
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
    """Start work in a callback, so that the same run shows the progress. The shown stage follows the work."""
    if not save_open_edits(workbench, view):
        return
    with ShownErrors("build_problem"):
        start()
        st.session_state[STEP] = shown


def _make(workbench: Workbench, view: BuildView) -> None:
    if not save_open_edits(workbench, view):
        return
    with ShownErrors("build_problem"):
        taken = accepted_changes_sentence(view_build(workbench, view.id).build)
        made = make_checklist(workbench, view.id, who=current_editor())
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
            args=[
                workbench,
                view.id,
                f"kept the {STAGE_NAMES[stage]}",
                partial(accept_stage, workbench, view.id, stage),
            ],
        )


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
