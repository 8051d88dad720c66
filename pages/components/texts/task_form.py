"""Form of the task: what the texts are called, in prompts and on screens."""

from dataclasses import replace

import streamlit as st

from app.domain.project import Dimension, Project
from app.errors import WorkbenchError
from app.services.data.projects import add_dimension, overview, save_dimension, save_task
from app.services.runtime.workbench import Workbench
from pages.components.shell.browser.page_scripts import saved_typing
from pages.components.shell.current import choose, was_pressed
from pages.components.shell.words import button_label, plain, show_error

_SAVED = "task_saved"
_FIELDS = ("text_name", "source_name", "writer_name", "description", "language")


def task_form(workbench: Workbench, project: Project) -> None:
    task = project.task
    if st.session_state.pop(_SAVED, False):
        st.success("Saved.", icon=":material/check_circle:")
    with st.form("task_form", border=False):
        edited = replace(
            task,
            text_name=st.text_input(
                "A text is called", task.text_name, key=f"task_text_name_{project.id}", placeholder="summary"
            ).strip(),
            source_name=st.text_input(
                "Its source is called", task.source_name, key=f"task_source_name_{project.id}", placeholder="article"
            ).strip(),
            writer_name=st.text_input(
                "Its writer is called",
                task.writer_name,
                key=f"task_writer_name_{project.id}",
                placeholder="agent, student, system",
            ).strip(),
            description=st.text_area(
                "About the texts",
                task.description,
                key=f"task_description_{project.id}",
                help="A sentence or two for people and models who have not seen these texts before.",
            ).strip(),
            language=st.text_input(
                "Language",
                task.language,
                key=f"task_language_{project.id}",
                help="Of the texts. Models write attributes and questions in it.",
            ).strip(),
        )
        save = was_pressed("Save the wording", "save_task", form=True)
    if save:
        try:
            save_task(workbench, project.id, edited)
        except WorkbenchError as error:
            show_error(error)
            return
        saved_typing(*(f"task_{field}_{project.id}" for field in _FIELDS))
        st.session_state[_SAVED] = True
        st.rerun()


RUBRIC_HELP = "What the dimension means and what low and high scores stand for. People and models read exactly this."
_DIMENSION_SAVED = "dimension_saved"


def dimension_form(workbench: Workbench, project: Project, dimension: Dimension, expanded: bool) -> None:
    """Folded unless expanded; Save keeps all four values at once."""
    title = f"{plain(dimension.name)}: {dimension.low:g} to {dimension.high:g}".replace(".", "\\.")
    with st.expander(title, expanded=expanded, key=f"dimension_{dimension.id}"):
        if st.session_state.get(_DIMENSION_SAVED) == dimension.id:
            del st.session_state[_DIMENSION_SAVED]
            st.success("Saved.", icon=":material/check_circle:")
        with st.form(f"dimension_form_{dimension.id}", border=False):
            edited = _fields(dimension, str(dimension.id))
            save = was_pressed(button_label("Save", dimension.name), f"save_dimension_{dimension.id}", form=True)
        if save:
            try:
                save_dimension(workbench, edited)
            except WorkbenchError as error:
                show_error(error)
                return
            saved_typing(f"dimension_name_{dimension.id}", f"dimension_rubric_{dimension.id}")
            st.session_state[_DIMENSION_SAVED] = dimension.id
            choose(project.name, edited.name.strip())
            st.rerun()


def add_dimension_form(workbench: Workbench, project: Project, expanded: bool) -> None:
    with st.expander("Add a dimension", expanded=expanded, key="add_dimension"):
        with st.form("add_dimension_form", border=False):
            rated = any(each.ratings for each in overview(workbench, project.id).dimensions)
            new = _fields(Dimension("") if rated else Dimension("", low=0.0, high=1.0), "new")
            st.caption("From 0 to 1, experts say *good* or *not good* of a text. Any other range is a scale.")
            add = was_pressed("Add the dimension", "save_new_dimension", form=True)
        if add:
            try:
                added = add_dimension(workbench, project.id, new)
            except WorkbenchError as error:
                show_error(error)
                return
            st.session_state[_DIMENSION_SAVED] = added.id
            choose(project.name, added.name)
            saved_typing("dimension_name_new", "dimension_rubric_new")
            for field in ("name", "rubric", "low", "high"):
                del st.session_state[f"dimension_{field}_new"]
            st.rerun()


def _fields(dimension: Dimension, key: str) -> Dimension:
    name, low, high = st.columns([4, 1, 1])
    return replace(
        dimension,
        name=name.text_input("Name", dimension.name, key=f"dimension_name_{key}", placeholder="for example coherence"),
        low=low.number_input("Lowest", value=dimension.low, format="%g", step=1.0, key=f"dimension_low_{key}"),
        high=high.number_input("Highest", value=dimension.high, format="%g", step=1.0, key=f"dimension_high_{key}"),
        rubric=st.text_area(
            "Rubric", dimension.rubric, height=170, key=f"dimension_rubric_{key}", help=RUBRIC_HELP
        ).strip(),
    )
