"""Clusters, where every attribute went: a table to look and choose, and one editor to move or leave out."""

from functools import partial
from zlib import crc32

import pandas as pd
import streamlit as st

from app.domain.attribute import Attribute
from app.domain.build import Placement
from app.services.building.build_edits import place_attribute
from app.services.building.build_state import BuildView
from app.services.runtime.workbench import Workbench
from pages.components.build.change import save_edit
from pages.components.shell.attribute_pool import said_by
from pages.components.shell.checklists.build_words import ORIGINS
from pages.components.shell.words import model_label, number, plain

HEIGHT = 420
ALL, LEFT_OUT, WAITING = "All", "Left out", "Waiting to be placed"


def clusters(workbench: Workbench, view: BuildView) -> None:
    placed = {p.attribute: p for p in view.build.placements}
    names = {c.id: c.name for c in view.build.components}
    rows = [(view.attributes[id_], placed.get(id_)) for id_ in view.in_use]
    groups = [ALL, *names.values(), LEFT_OUT, WAITING]
    group = st.selectbox("Show", groups, key=f"cluster_shown_{view.id}")
    shown = [(attribute, at) for attribute, at in rows if group == ALL or group in _where(at, names)]
    table, editor = st.columns([3, 2], gap="medium")
    with table:
        chosen = _table(view, shown, names)
    with editor:
        if chosen is None:
            st.markdown("**Choose an attribute** in the table to move it, or to leave it out with a reason.")
        else:
            _editor(workbench, view, chosen, placed.get(chosen.id))


def _where(placement: Placement | None, names: dict[int, str]) -> list[str]:
    if placement is None or (not placement.components and not placement.reason):
        return [WAITING]
    return [names[id_] for id_ in placement.components if id_ in names] or [LEFT_OUT]


def _table(view: BuildView, shown: list[tuple[Attribute, Placement | None]], names: dict[int, str]) -> Attribute | None:
    st.caption(f"{len(shown)} of {number(len(view.in_use), 'attribute')}. Tick one to move it.")
    if not shown:
        return None
    rows = crc32(",".join(str(attribute.id) for attribute, _ in shown).encode())
    event = st.dataframe(
        pd.DataFrame(
            {
                "Attribute": [attribute.text for attribute, _ in shown],
                "Component": [", ".join(_where(at, names)) for _, at in shown],
                "Said by": [model_label(attribute.contributor) for attribute, _ in shown],
                "By hand": ["yes" if at and ORIGINS[at.origin] else "" for _, at in shown],
            }
        ),
        placeholder="–",
        hide_index=True,
        height=min(HEIGHT, 38 + 35 * len(shown)),
        on_select="rerun",
        selection_mode="single-row",
        key=f"clusters_{view.id}_{rows}",
        column_config={
            "Attribute": st.column_config.TextColumn(width=215),
            "Component": st.column_config.TextColumn(width=115),
            "Said by": st.column_config.TextColumn(width=70),
            "By hand": st.column_config.TextColumn(width=60, help="Placed by a person."),
        },
    )
    chosen = [row for row in event["selection"]["rows"] if row < len(shown)]
    return shown[chosen[0]][0] if chosen else None


def _editor(workbench: Workbench, view: BuildView, attribute: Attribute, at: Placement | None) -> None:
    st.markdown(plain(attribute.text))
    st.caption(said_by(attribute))
    if at is not None and at.reason:
        st.caption(plain(f"Left out: {at.reason}"))
    names = {c.id: c.name for c in view.build.components}
    key = f"{view.id}_{attribute.id}"
    with st.form(f"move_{key}", border=False):
        current = at.components[0] if at and at.components and at.components[0] in names else None
        ids = list(names)
        st.selectbox(
            "Component",
            ids,
            ids.index(current) if current is not None else None,
            format_func=lambda id_: names[id_],
            key=f"move_to_{key}",
        )
        st.form_submit_button(
            "Move here", key=f"move_{key}_submit", on_click=partial(_move, workbench, view.id, attribute.id)
        )
    with st.form(f"drop_{key}", border=False):
        st.text_input("Leave it out because", key=f"drop_reason_{key}")
        st.form_submit_button(
            "Leave out", key=f"drop_{key}_submit", on_click=partial(_drop, workbench, view.id, attribute.id)
        )


def _move(workbench: Workbench, build_id: int, attribute: int) -> None:
    target = st.session_state[f"move_to_{build_id}_{attribute}"]
    if target is not None:
        action = partial(place_attribute, workbench, build_id, attribute, target)
        save_edit(workbench, build_id, "moved an attribute", action)


def _drop(workbench: Workbench, build_id: int, attribute: int) -> None:
    reason = st.session_state[f"drop_reason_{build_id}_{attribute}"]
    action = partial(place_attribute, workbench, build_id, attribute, None, reason)
    save_edit(workbench, build_id, "left an attribute out", action)
