"""Overview: the projects, a person's tasks, and the progress of each dimension."""

from collections.abc import Sequence
from math import ceil
from typing import Literal

import streamlit as st

from app.domain.checklist import ChecklistStatus
from app.domain.project import Project, Task
from app.domain.roles_and_rights import Right
from app.errors import WorkbenchError
from app.services.background.jobs import is_active
from app.services.checklists.my_work import ExpertTask, TaskKind, tasks_of
from app.services.data.held_out_split import state_of
from app.services.data.projects import (
    DimensionProgress,
    Overview,
    create_from_preset,
    create_project,
    delete_project,
    list_projects,
    overview,
    preset_dimensions,
    preset_names,
    progress_words,
    scored_texts,
)
from app.services.data.workflow_steps import StepState, next_of, steps_of
from app.services.demo import DEMO_JOB, DEMO_PROJECT, begin_demo
from app.services.runtime.workbench import Workbench, may
from app.services.think_aloud.independence import merged_into, own_attributes_by_dimension
from pages.components.shell import labels
from pages.components.shell.background import changes_by_others, watch_rooms
from pages.components.shell.browser.page_scripts import saved_typing
from pages.components.shell.current import DIMENSION, choose, was_pressed
from pages.components.shell.labels import ShownErrors, button_label, number, plain, show_error
from pages.components.shell.navigation.screens import go, is_open, link
from pages.components.shell.tables import column_names, file_download, named_value, show_table
from pages.components.shell.upload_field import upload_field


def progress_table(progress: Overview) -> None:
    """Draw a row a dimension, with the project's size as a caption."""
    systems = f", {progress.systems:,} named systems" if progress.systems else ""
    st.caption(f"{progress.texts:,} texts of {progress.sources:,} sources{systems}")
    if not progress.dimensions:
        return
    show_table(
        [_progress_row(dimension) for dimension in progress.dimensions],
        "progress",
        {
            "Dimension": st.column_config.TextColumn(help="One quality that the texts are judged on."),
            "Ratings": st.column_config.NumberColumn(help="Human scores, one per text and rater.", format="localized"),
            "Samples": st.column_config.NumberColumn(help="Texts that people and LLMs read while thinking aloud."),
            "By people": st.column_config.NumberColumn("Attributes by people"),
            "By LLMs": st.column_config.NumberColumn(
                "by LLMs", help="Attributes that models wrote, those of the built-in rules included."
            ),
            "Checklist": st.column_config.TextColumn(),
            "Scored": st.column_config.TextColumn(help="Which version of the checklist was scored, and by which run."),
        },
    )


def _progress_row(progress: DimensionProgress) -> dict[str, object]:
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


_WHAT = {
    TaskKind.THINK_ALOUD: "Think aloud",
    TaskKind.ANSWER: "Answer the checklist",
    TaskKind.SIDE_BY_SIDE: "Compare two sets, blind",
    TaskKind.DECIDE_TOGETHER: "Decide together",
    TaskKind.WHICH_IS_BETTER: "Say which of two texts is better",
}


def my_work(workbench: Workbench, project: Project, expert: str) -> None:
    watch_rooms(workbench, project)
    found = tasks_of(workbench, project.id, expert)
    if not found:
        st.markdown("**There is nothing for you to do yet.** It stands here once the project's facilitator is ready.")
        return
    opened = [task for task in found if not task.finished]
    if opened:
        st.subheader("What is yours to do", anchor=False)
        with st.container(key="my_work", gap="xsmall"):
            for place, task in enumerate(opened):
                _work_row(task, primary=place == 0)
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
                _work_row(task)
    _own_attributes(workbench, project, expert)


def _own_attributes(workbench: Workbench, project: Project, expert: str) -> None:
    """Draw everything this expert wrote, on all dimensions, with others' changes to it."""
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
                pressed = was_pressed(label, f"edit_mine_{dimension.id}", type="tertiary", icon=":material/edit:")
            if pressed:
                go("think_aloud", {DIMENSION: dimension.name})
            for attribute in attributes:
                st.text(attribute.text, width="stretch")
                if changed := changes_by_others(attribute, stands_for.get(attribute.id, "")):
                    st.caption(" · ".join(changed))


def _work_row(task: ExpertTask, primary: bool = False) -> None:
    name, how_far, action = st.columns((3, 5, 3), vertical_alignment="center")
    icon = ":green[:material/check_circle:]" if task.finished else ":material/radio_button_unchecked:"
    name.markdown(f"{icon} {_WHAT[task.kind]}")
    how_far.markdown(f"**{plain(task.dimension.name)}**, {_how_far(task)}")
    verb = "Look" if task.finished else "Go on" if task.begun else "Begin"
    label = button_label(verb, f"with {_WHAT[task.kind]} on {task.dimension.name}")
    key = f"my_{task.kind.value}_{task.dimension.id}"
    with action:
        pressed = was_pressed(label, key, type="primary" if primary else "secondary", width="stretch")
    if pressed:
        go(task.kind.value, {DIMENSION: task.dimension.name})


def _how_far(task: ExpertTask) -> str:
    if task.kind is TaskKind.THINK_ALOUD:
        attributes = number(task.done, "attribute") if task.done else "nothing written yet"
        return attributes if task.finished or not task.done else f"{attributes}, not done yet"
    if task.kind is TaskKind.DECIDE_TOGETHER:
        return f"a room is open; {task.done} of {number(task.all or 0, 'vote')} given"
    thing = {TaskKind.ANSWER: "text", TaskKind.WHICH_IS_BETTER: "pair"}.get(task.kind, "question")
    return f"{task.done} of {number(task.all or 0, thing)}"


_READY_WIDTHS = (4, 2, 2, 3, 3, 4)
_ICONS = {
    StepState.DONE: ":green[:material/check_circle:]",
    StepState.READY: ":material/radio_button_unchecked:",
    StepState.BLOCKED: ":gray[:material/lock:]",
}
# The last step is a look at what the one before it made.
_SHOWN = ("Texts", "Attributes", "Checklist", "Scores")


def ready(workbench: Workbench, progress: Overview) -> None:
    """Draw the tasks that are ready; without texts or dimensions, the button of the first step."""
    if not progress.texts or not progress.dimensions:
        todo = next_of(progress, None)
        st.markdown(plain(todo.why))
        if was_pressed(todo.verb, key="go_on", type="primary"):
            go(todo.screen, todo.parameters)
        return
    with st.container(key="ready", gap="xsmall"):
        column_names("ready", _READY_WIDTHS, ("Dimension", *_SHOWN, "Ready to do"))
        for dimension in progress.dimensions:
            _readiness_row(workbench, progress, dimension)


def _readiness_row(workbench: Workbench, progress: Overview, dimension: DimensionProgress) -> None:
    name, *places, action = st.columns(_READY_WIDTHS, vertical_alignment="center")
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
        go(todo.screen, {DIMENSION: dimension.dimension.name, **todo.parameters})


def _short(workbench: Workbench, progress: Overview, dimension: DimensionProgress, title: str) -> str:
    """Return a step's progress in a few words for a table."""
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


@st.dialog("Take this project along")
def take_along(workbench: Workbench, project: Project) -> None:
    from app.services.data.project_transfer import project_bytes, transfer_name  # noqa: PLC0415 - Overview opens fast

    st.markdown(
        f"**{plain(project.name)}** as one file, to go on with on another computer: texts (those of a held-out "
        "split too), ratings, attributes, checklists with their history, runs, scores, recordings, and each reply "
        "that was paid for. It holds no keys."
    )
    file_download(
        "Download the project",
        lambda: project_bytes(workbench, project.name),
        transfer_name(project.name),
        "download_project",
        type="primary",
        icon=":material/download:",
    )
    st.caption("On the other computer it comes in on Overview, under “A project from a file”.")


def bring_in(workbench: Workbench) -> None:
    """Draw the import of a project, which becomes the current one; others don't change."""
    from app.services.data.project_transfer import import_uploaded_project  # noqa: PLC0415 - Overview opens fast

    with st.form("bring_in_form", border=False):
        file = upload_field(workbench, "A file that “Export project” wrote", ["zip"], "project_file")
        name = st.text_input("Name here", placeholder="its own", key="project_file_name")
        wanted = was_pressed("Bring the project in", "bring_in", form=True)
    if not wanted:
        return
    if file is None:
        st.error("Choose a file first.")
        return
    with ShownErrors():
        with st.spinner("Bringing the project in"):
            done = import_uploaded_project(workbench, file.getvalue(), name)
        saved_typing("project_file_name")
        choose(done.project)
        st.rerun()


PAGE_SIZE = 10
WIDTHS = (4, 2, 2, 4, 2, 5)
_NAMES = ("Name", "Texts", "Dimensions", "Progress", "Created", "")


def project_list(workbench: Workbench, projects: Sequence[Project], current: Overview) -> None:
    """Draw the projects, newest first, in pages."""
    number = 1
    pages = ceil(len(projects) / PAGE_SIZE)
    with st.container(key="projects", gap="small"):
        column_names("projects", WIDTHS, _NAMES)
        rows = st.container(gap="xsmall")
        if pages > 1:
            number = st.pagination(pages, key="projects_page")
        with rows:
            for project in projects[(number - 1) * PAGE_SIZE : number * PAGE_SIZE]:
                is_current = project.id == current.project.id
                _row(workbench, project, current if is_current else overview(workbench, project.id), is_current)


def _row(workbench: Workbench, project: Project, progress: Overview, is_current: bool) -> None:
    name, texts, dimensions, far, created, actions = st.columns(WIDTHS, vertical_alignment="center")
    name.markdown(f"**{plain(project.name)}**" if is_current else plain(project.name))
    values = (
        f"{progress.texts:,}",
        str(len(progress.dimensions)),
        progress_words(progress),
        labels.said(project.created_at, labels.DAY),
    )
    for column, title, value in zip((texts, dimensions, far, created), _NAMES[1:], values, strict=False):
        column.markdown(named_value(title, value))
    with actions.container(horizontal=True, horizontal_alignment="right", gap="xsmall"):
        opening = button_label("Open", project.name)
        why = "This project is open." if is_current else None
        if was_pressed(opening, key=f"open_{project.id}", disabled=is_current, help=why):
            choose(project.name)
            st.rerun()
        if not may(workbench, Right.FACILITATE, project_id=project.id):
            return
        if was_pressed(button_label("Export project", project.name), key=f"take_{project.id}", type="tertiary"):
            take_along(workbench, project)
        if was_pressed(button_label("Delete", project.name), key=f"delete_{project.id}", type="tertiary"):
            _confirm(workbench, project)


@st.dialog("Delete this project?")
def _confirm(workbench: Workbench, project: Project) -> None:
    from app.services.results.archive import archive_bytes, archive_name  # noqa: PLC0415 - Overview opens fast

    st.markdown(
        f"**{plain(project.name)}** goes with its texts, ratings, attributes, checklists and scores. "
        "This can't be undone."
    )
    st.markdown("You can keep a copy: one ZIP file with all of these as tables and documents.")
    locked = state_of(workbench, project.id)
    if locked:
        st.caption(
            f"The {locked.texts:,} texts of the held-out split stay out of it. To keep them too, open the split on "
            "Texts first."
        )
    file_download(
        "Download a copy first",
        lambda: archive_bytes(workbench, project.id),
        archive_name(project.name),
        "download_archive",
        type="primary",
        icon=":material/download:",
        help="The file opens on any computer. Large projects take a while to pack.",
    )
    with st.container(horizontal=True):
        if was_pressed("Delete for good", key="delete_for_good"):
            try:
                delete_project(workbench, project.name)
            except WorkbenchError as error:
                show_error(error)
                return
            st.rerun()
        if was_pressed("Keep the project", key="keep_it"):
            st.rerun()


BLANK = "blank"


def new_project(workbench: Workbench) -> None:
    """Draw the form; the new project becomes the current one and Data opens, where its texts are imported."""
    with st.form("new_project_form", border=False):
        name = st.text_input("Name of the project", placeholder="for example Summaries 2026", key="new_project_name")
        preset = st.selectbox(
            "Kind of texts",
            [*preset_names(), BLANK],
            format_func=_described,
            key="new_project_preset",
            help="Gives a first wording and rubrics, which you can change. A blank project takes its dimensions from "
            "the file you import.",
        )
        create = was_pressed("Create the project", "create_project", form=True)
    if not create:
        return
    with ShownErrors():
        if preset == BLANK:
            project = create_project(workbench, name, Task())
        else:
            project = create_from_preset(workbench, name, preset)
        saved_typing("new_project_name")
        choose(project.name)
        go("texts")


def _described(preset: str) -> str:
    return preset if preset == BLANK else f"{preset}: {', '.join(preset_dimensions(preset))}"


_STARTED = "demo_started"


def demo(workbench: Workbench, primary: bool) -> None:
    """Draw what the demo is and the button that runs it; nothing once it has run to its end."""
    if _finished(workbench):
        return
    st.markdown(
        "The demo is a finished project on made-up news summaries: attributes, checklists, answers, decisions and "
        "results. Its experts, LLMs and raters are simulated, and its judge is a set of fixed text rules, not an LLM. "
        "It needs no key and sends nothing anywhere."
    )
    running = is_active(workbench, DEMO_JOB)
    if was_pressed("Try the demo", key="try_demo", type="primary" if primary else "secondary", disabled=running):
        st.session_state[_STARTED] = True
        begin_demo(workbench)
        st.rerun()


def enter_finished_demo(workbench: Workbench) -> None:
    """Make the demo the current project if this session started it and it has ended."""
    if st.session_state.get(_STARTED) and not is_active(workbench, DEMO_JOB):
        del st.session_state[_STARTED]
        if any(project.name == DEMO_PROJECT for project in list_projects(workbench)):
            choose(DEMO_PROJECT)
            st.rerun()


def _finished(workbench: Workbench) -> bool:
    found = next((p for p in list_projects(workbench) if p.name == DEMO_PROJECT), None)
    if found is None:
        return False
    dimensions = overview(workbench, found.id).dimensions
    return bool(dimensions) and all(d.run is not None and d.run.done == d.run.all for d in dimensions)
