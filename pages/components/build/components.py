"""The components of a build: named, described, added and removed by hand."""

from functools import partial

import streamlit as st

from app.domain.build import BuildComponent
from app.services.building.build_edits import add_build_component, describe_component, remove_build_component
from app.services.building.build_state import BuildView
from app.services.runtime.workbench import Workbench
from pages.components.build.change import row, save_edit
from pages.components.shell.checklists.build_words import ORIGINS
from pages.components.shell.words import number, plain


def components(workbench: Workbench, view: BuildView) -> None:
    for component in view.build.components:
        members = view.build.members(component.id, view.in_use)
        counted = number(len(members), "attribute") if view.build.placements else ""
        notes = " · ".join(note for note in (counted, ORIGINS[component.origin]) if note)
        described = f": {plain(component.description)}" if component.description else ""
        small = f"  \n:small[:gray[{notes}]]" if notes else ""
        line, typed = f"**{plain(component.name)}**{described}{small}", _keys(view.id, component)
        if row(view.id, f"component_{component.id}", line, component.name, typed):
            _editor(workbench, view, component)
    _adding(workbench, view)


def _editor(workbench: Workbench, view: BuildView, component: BuildComponent) -> None:
    key = f"{view.id}_{component.id}"
    with st.form(f"component_{key}"):
        st.text_input("Name", component.name, key=f"component_name_{key}")
        st.text_area("What it covers", component.description, height=80, key=f"component_description_{key}")
        if component.first and component.first != component.name:
            st.caption(f"First named: {plain(component.first)}")
        with st.container(horizontal=True):
            st.form_submit_button(
                "Save component", key=f"save_component_{key}", on_click=partial(_save, workbench, view.id, component)
            )
            st.form_submit_button(
                "Remove component",
                key=f"remove_component_{key}",
                help="Its questions go with it; its attributes wait to be placed again. Undo brings all of it back.",
                on_click=partial(_remove, workbench, view.id, component),
            )


def _keys(build_id: int, component: BuildComponent) -> list[str]:
    return [f"component_{field}_{build_id}_{component.id}" for field in ("name", "description")]


def _save(workbench: Workbench, build_id: int, component: BuildComponent) -> None:
    keys = _keys(build_id, component)
    name, described = (st.session_state[key] for key in keys)
    what = f"described {component.name}"
    describe = partial(describe_component, workbench, build_id, component.id, name, described)
    save_edit(workbench, build_id, what, describe, keys)


def _remove(workbench: Workbench, build_id: int, component: BuildComponent) -> None:
    what = f"removed {component.name}"
    save_edit(workbench, build_id, what, partial(remove_build_component, workbench, build_id, component.id))


def _adding(workbench: Workbench, view: BuildView) -> None:
    with (
        st.expander("Add a component", key="add_component"),
        st.form(f"add_component_{view.id}", border=False, clear_on_submit=True),
    ):
        st.text_input("Name", key="new_component_name", placeholder="one to four words")
        st.text_input("What it covers", key="new_component_description")
        st.form_submit_button("Add component", key="add_component_submit", on_click=partial(_add, workbench, view.id))


def _add(workbench: Workbench, build_id: int) -> None:
    name, described = st.session_state["new_component_name"], st.session_state["new_component_description"]
    add = partial(add_build_component, workbench, build_id, name, described)
    save_edit(workbench, build_id, "added a component", add, ["new_component_name", "new_component_description"])
