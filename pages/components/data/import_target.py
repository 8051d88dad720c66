"""Where the texts of a file go: into a project of their own, or beside those of the open one."""

from dataclasses import dataclass, field
from pathlib import PurePath

import streamlit as st

from app.domain.project import Project
from app.domain.task import Task
from app.services.data.projects import (
    dimensions_named,
    list_projects,
    overview,
    preset_dimensions,
    preset_names,
    preset_task,
)
from app.services.runtime.workbench import Workbench
from pages.components.data.kept_upload import KeptUpload, starting_with
from pages.components.shell.words import plain

NEW, ADD = "a new project", "add"
OTHER_KIND = "something else"


@dataclass(frozen=True, slots=True)
class ImportTarget:
    """A project's name, "" while it is undecided; the words for its texts and the dimensions it has or its preset would
    give; of a new one the preset; what is missing yet; whether it is a new one."""

    name: str = ""
    task: Task = field(default_factory=Task)
    dimensions: tuple[str, ...] = ()
    preset: str = ""
    missing: str = ""
    new: bool = True


def import_target(workbench: Workbench, project: Project | None, kept: KeptUpload, kind: str) -> ImportTarget:
    """Nobody adds to a project with texts of its own without saying so."""
    if project is not None:
        usual = None if overview(workbench, project.id).texts else ADD
        where = st.radio(
            "Where do they go?",
            [NEW, ADD],
            index=None,
            format_func={NEW: "Into a new project", ADD: f"Add to “{plain(project.name)}”"}.__getitem__,
            key=starting_with(f"import_into_{project.id}", usual, [NEW, ADD]),
            horizontal=True,
        )
        if where is None:
            words = preset_task(kind) if kind else Task()
            return ImportTarget(task=words, missing="Say where they go: into a new project, or into the open one.")
        if where == ADD:
            there = tuple(d.name for d in dimensions_named(workbench, project.name, "all"))
            return ImportTarget(project.name, project.task, there, new=False)
    left, right = st.columns(2)
    taken = {other.name for other in list_projects(workbench)}
    with left:
        name = st.text_input(
            "Name of the new project",
            key=starting_with(f"import_new_project_{kept.id}", _free_name(kept.upload.name, taken)),
            placeholder="for example Essays",
        ).strip()
    with right:
        kinds = [*preset_names(), OTHER_KIND]
        chosen = st.selectbox(
            "What are they?",
            kinds,
            key=starting_with(f"import_kind_{kept.id}", kind or OTHER_KIND, kinds),
            help="It gives the words in which people and models are asked, and rubrics for dimensions of these names. "
            "You can change both later.",
        )
    preset = "" if chosen == OTHER_KIND else chosen
    task = preset_task(preset) if preset else Task()
    usual_dimensions = tuple(preset_dimensions(preset)) if preset else ()
    if name in taken:
        st.error(f"There is already a project “{plain(name)}”. Choose another name, or open it on Overview.")
        return ImportTarget("", task, usual_dimensions, preset, "The new project needs a name that is free.")
    return ImportTarget(
        name, task, usual_dimensions, preset, "" if name else "The new project needs a name of its own."
    )


def _free_name(file_name: str, taken: set[str]) -> str:
    stem = " ".join(PurePath(file_name).stem.replace("_", " ").split())[:60] or "Texts"
    names = [stem, *(f"{stem} {number}" for number in range(2, len(taken) + 3))]
    return next(name for name in names if name not in taken)
