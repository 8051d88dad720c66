"""My work: what is this expert's to do, how far they are, and one button to go on; how far each dimension is."""

from typing import Literal

import pandas as pd
import streamlit as st

from app.domain.checklist import ChecklistStatus
from app.domain.project import Project
from app.services.checklists.assignments import ExpertTask, TaskKind, tasks_of
from app.services.data.projects import DimensionProgress, Overview, scored_texts
from app.services.data.steps import StepState, next_of, steps_of
from app.services.runtime.workbench import Workbench
from app.services.think_aloud.independence import merged_into, own_attributes_by_dimension
from pages.components.shell.background import changes_by_others
from pages.components.shell.current import DIMENSION, choose, was_pressed
from pages.components.shell.navigation.screens import go, is_open, link
from pages.components.shell.tables import column_names, named_value
from pages.components.shell.words import button_label, number, plain


def progress_table(progress: Overview) -> None:
    """One row a dimension; the project's size as a caption."""
    systems = f", {progress.systems:,} named systems" if progress.systems else ""
    st.caption(f"{progress.texts:,} texts of {progress.sources:,} sources{systems}")
    if not progress.dimensions:
        return
    st.dataframe(
        pd.DataFrame([_figures_row(dimension) for dimension in progress.dimensions]),
        placeholder="–",
        hide_index=True,
        key="progress",
        column_config={
            "Dimension": st.column_config.TextColumn(help="One quality that the texts are judged on."),
            "Ratings": st.column_config.NumberColumn(help="Human scores, one per text and rater.", format="localized"),
            "Samples": st.column_config.NumberColumn(help="Texts that people and LLMs read while thinking aloud."),
            "By people": st.column_config.NumberColumn("Attributes by people", help="Attributes that people wrote."),
            "By LLMs": st.column_config.NumberColumn(
                "by LLMs", help="Attributes that models wrote, those of the built-in rules included."
            ),
            "Checklist": st.column_config.TextColumn(help="The newest version."),
            "Scored": st.column_config.TextColumn(help="Which version of the checklist was scored, and by which run."),
        },
    )


def _figures_row(progress: DimensionProgress) -> dict[str, object]:
    checklist = progress.checklist
    return {
        "Dimension": progress.dimension.name,
        "Ratings": progress.ratings,
        "Raters": progress.raters,
        "Samples": progress.samples,
        "By people": progress.human_attributes,
        "By LLMs": progress.llm_attributes,
        "Checklist": f"version {checklist.version}, {checklist.status}" if checklist else "none yet",
        "Scored": progress.scored_words,
    }


_WIDTHS = (3, 5, 3)
_WHAT = {
    TaskKind.THINK_ALOUD: "Think aloud",
    TaskKind.ANSWER: "Answer the checklist",
    TaskKind.SIDE_BY_SIDE: "Compare two sets, blind",
}


def my_work(workbench: Workbench, project: Project, expert: str) -> None:
    found = tasks_of(workbench, project.id, expert)
    if not found:
        st.markdown("**There is nothing for you to do yet.** It stands here once the project's facilitator is ready.")
        return
    opened = [task for task in found if not task.finished]
    if opened:
        st.subheader("What is yours to do", anchor=False)
        with st.container(key="my_work", gap="xsmall"):
            for place, task in enumerate(opened):
                _row(project, task, primary=place == 0)
    else:
        st.markdown("**You have finished all your tasks.** You can still look at what you wrote.")
    if any(task.finished and task.kind is TaskKind.THINK_ALOUD for task in found):
        with st.container(horizontal=True, vertical_alignment="center", key="my_review"):
            st.markdown("Review what came together:", width="content")
            for screen in ("attributes", "checklist"):
                link(screen)
    finished = [task for task in found if task.finished]
    if finished:
        st.subheader("Done", anchor=False)
        with st.container(key="my_done", gap="xsmall"):
            for task in finished:
                _row(project, task)
    _own_attributes(workbench, project, expert)


def _own_attributes(workbench: Workbench, project: Project, expert: str) -> None:
    """Everything this expert wrote, on all dimensions, with what others did to it."""
    written = own_attributes_by_dimension(workbench, project.id, expert)
    if not written:
        return
    stands_for = merged_into(workbench, project.id, expert, [a for _, attributes in written for a in attributes])
    st.subheader("Your attributes", anchor=False)
    for dimension, attributes in written:
        with st.container(key=f"my_attributes_{dimension.id}", gap="xsmall"):
            with st.container(horizontal=True, vertical_alignment="center"):
                st.markdown(f"**{plain(dimension.name)}**", width="content")
                label = button_label("Edit", f"attributes on {dimension.name}")
                link("think_aloud", label, icon=":material/edit:", parameters={DIMENSION: dimension.name})
            for attribute in attributes:
                st.text(attribute.text, width="stretch")
                if changed := changes_by_others(attribute, stands_for.get(attribute.id, "")):
                    st.caption(" · ".join(changed))


def _row(project: Project, task: ExpertTask, primary: bool = False) -> None:
    name, how_far, action = st.columns(_WIDTHS, vertical_alignment="center")
    icon = ":green[:material/check_circle:]" if task.finished else ":material/radio_button_unchecked:"
    name.markdown(f"{icon} {_WHAT[task.kind]}")
    how_far.markdown(f"**{plain(task.dimension.name)}**, {_how_far(task)}")
    verb = "Look" if task.finished else "Go on" if task.begun else "Begin"
    label = button_label(verb, f"with {_WHAT[task.kind]} on {task.dimension.name}")
    key = f"my_{task.kind.value}_{task.dimension.id}"
    with action:
        pressed = was_pressed(label, key, type="primary" if primary else "secondary", width="stretch")
    if pressed:
        choose(project.name, task.dimension.name)
        go(task.kind.value, {DIMENSION: task.dimension.name})


def _how_far(task: ExpertTask) -> str:
    if task.kind is TaskKind.THINK_ALOUD:
        attributes = number(task.done, "attribute") if task.done else "nothing written yet"
        return attributes if task.finished or not task.done else f"{attributes}, not done yet"
    thing = "text" if task.kind is TaskKind.ANSWER else "question"
    return f"{task.done} of {number(task.all or 0, thing)}"


WIDTHS = (4, 2, 2, 3, 3, 4)
_ICONS = {
    StepState.DONE: ":green[:material/check_circle:]",
    StepState.READY: ":material/radio_button_unchecked:",
    StepState.BLOCKED: ":gray[:material/lock:]",
}
# The last step is a look at what the one before it made.
_SHOWN = ("Texts", "Attributes", "Checklist", "Scores")


def ready(workbench: Workbench, progress: Overview) -> None:
    """Nothing is ready for a project without texts or dimensions but the one thing its button says."""
    if not progress.texts or not progress.dimensions:
        todo = next_of(progress, None)
        st.markdown(plain(todo.why))
        if was_pressed(todo.verb, key="go_on", type="primary"):
            go(todo.screen, todo.parameters)
        return
    with st.container(key="ready", gap="xsmall"):
        column_names("ready", WIDTHS, ("Dimension", *_SHOWN, "Ready to do"))
        for dimension in progress.dimensions:
            _readiness_row(workbench, progress, dimension)


def _readiness_row(workbench: Workbench, progress: Overview, dimension: DimensionProgress) -> None:
    name, *places, action = st.columns(WIDTHS, vertical_alignment="center")
    name.markdown(f"**{plain(dimension.dimension.name)}**")
    for place, step in zip(places, steps_of(progress, dimension), strict=False):
        shown = f"{_ICONS[step.state]} {_short(workbench, progress, dimension, step.title)}"
        place.markdown(named_value(step.title, shown))
    todo = next_of(progress, dimension)
    if not (is_open(todo.screen) and workbench.actor.has(todo.right, progress.project.id)):
        return
    here = dimension.dimension.name == st.session_state.get(DIMENSION)
    kind: Literal["primary", "secondary"] = "primary" if here else "secondary"
    key = f"go_on_{dimension.dimension.id}"
    label = button_label(todo.verb, f"on {dimension.dimension.name}")
    with action:
        pressed = was_pressed(label, key, type=kind, width="stretch", help=plain(todo.why))
    if pressed:
        choose(progress.project.name, dimension.dimension.name)
        go(todo.screen, {DIMENSION: dimension.dimension.name, **todo.parameters})


def _short(workbench: Workbench, progress: Overview, dimension: DimensionProgress, title: str) -> str:
    """What there is of a step, in as few words as a table holds."""
    if title == "Texts":
        return f"{progress.texts:,}"
    if title == "Attributes":
        return f"{dimension.attributes:,}" if dimension.attributes else "none"
    if title == "Checklist":
        newest = dimension.checklist
        draft = " (draft)" if newest and newest.status is ChecklistStatus.DRAFT else ""
        return f"version {newest.version}{draft}" if newest else "none"
    if dimension.unscored_version is not None:
        return dimension.scored_words
    if dimension.run is None:
        return "none"
    done, planned = scored_texts(workbench, progress.project.id, dimension.run.id, dimension.dimension.id)
    return f"{done:,} of {planned:,}"
