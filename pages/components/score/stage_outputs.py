"""Outputs of stages: what judges wrote once for a dimension, and a person's own wording of it."""

import streamlit as st

from app.domain.project import Project
from app.domain.task import Dimension
from app.errors import WorkbenchError
from app.services.data.projects import dimensions_named
from app.services.runtime.workbench import Workbench
from app.services.scoring.stage_outputs import OWN_SEEDS, StageOutput, keep_own_seeds, save_edit, stage_outputs_of
from pages.components.shell.browser.kept_typing import saved_typing
from pages.components.shell.words import button_label, model_label, number, plain, show_error

EXAMPLE = "Order\n- Do the sentences follow in a sensible order?\n- Does each sentence build on the one before?"


def stage_outputs(workbench: Workbench, project: Project) -> None:
    dimensions = dimensions_named(workbench, project.name, "all")
    if not dimensions:
        return
    with st.expander("Steps, aspects and seed questions", key="writings"):
        st.caption(
            "Some methods have the judge write something once per dimension: G-Eval its evaluation steps, CoAScore "
            "related aspects, CheckEval seed questions. Runs take the newest wording; earlier scores stay."
        )
        dimension = st.selectbox(
            "Of the dimension", dimensions, format_func=lambda d: plain(d.name), key=f"writings_of_{project.id}"
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
        saved = st.form_submit_button(
            button_label("Save as a new version", written.title), key=f"save_writing_{dimension.id}_{place}"
        )
        st.caption(f"Version {newest.number}, by {plain(newest.by)}")
    if saved:
        try:
            save_edit(workbench, dimension.id, written, lines)
        except WorkbenchError as error:
            show_error(error)
        else:
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
        saved = st.form_submit_button("Save these seeds", key=f"save_own_seeds_{dimension.id}")
        st.caption("Used where CheckEval's option “Seed questions” is set to your own.")
    if saved:
        try:
            keep_own_seeds(workbench, dimension.id, lines)
        except WorkbenchError as error:
            show_error(error)
        else:
            saved_typing(f"own_seed_lines_{dimension.id}")
            st.rerun()
