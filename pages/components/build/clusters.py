"""Clusters, where every attribute went: each component with its attributes in full, moved or left out many at once."""

from collections.abc import Mapping
from functools import partial

import streamlit as st

from app.domain.attribute import Attribute
from app.domain.build import Placement
from app.services.attributes.attribute_acts import ActKind, AttributeAct
from app.services.building.build_edits import place_attributes
from app.services.building.build_state import BuildView
from app.services.runtime.workbench import Workbench
from pages.components.build.change import build_place, to_before
from pages.components.shell.address import keep, prepare
from pages.components.shell.attribute_list.attribute_list import (
    ListContents,
    ListedAttribute,
    ListedGroup,
    Performed,
    attribute_list,
)
from pages.components.shell.checklists.build_words import ORIGINS
from pages.components.shell.checklists.editor_name import current_editor
from pages.components.shell.contributor_words import contributor_words
from pages.components.shell.undo import show_problem
from pages.components.shell.words import number

LEFT_OUT, WAITING = "left-out", "waiting"
TITLES = {LEFT_OUT: "Left out", WAITING: "Waiting to be placed"}
SHOWN, ALL = "cluster", "all"


def clusters(workbench: Workbench, view: BuildView) -> None:
    show_problem()
    titles = {str(c.id): c.name for c in view.build.components} | TITLES
    prepare(SHOWN, [ALL, *titles], ALL)
    group = st.selectbox(
        "Show",
        [ALL, *titles],
        format_func=lambda key: titles.get(key, "All clusters"),
        key=SHOWN,
        width=360,
        label_visibility="collapsed",
    )
    keep(SHOWN, group, ALL)
    rows = [row for row in _rows(view) if group in (ALL, row.group)]
    there = {row.group for row in rows}
    about = {str(c.id): c.description for c in view.build.components}
    contents = ListContents(
        label="Clusters",
        groups=[
            ListedGroup(key, title, about=about.get(key, ""))
            for key, title in titles.items()
            if key in there or (key in about and group in (ALL, key))
        ],
        rows=rows,
        words={ActKind.MOVE: "Move", ActKind.EXCLUDE: "Leave out"},
        targets=[(component.id, component.name) for component in view.build.components],
        total=len(view.in_use),
        empty="No attribute is here.",
    )
    attribute_list(f"clusters_{view.id}", build_place(view.id), contents, partial(_perform, workbench, view))


def _rows(view: BuildView) -> list[ListedAttribute]:
    """An attribute that lies under several components stands under each of them."""
    placed = {p.attribute: p for p in view.build.placements}
    names = {c.id: c.name for c in view.build.components}
    return [row for id_ in view.in_use for row in _rows_of(view.attributes[id_], placed.get(id_), names)]


def _rows_of(attribute: Attribute, at: Placement | None, names: Mapping[int, str]) -> list[ListedAttribute]:
    under = [id_ for id_ in at.components if id_ in names] if at else []
    apart = LEFT_OUT if at and (at.components or at.reason) else WAITING
    found = []
    for group in [str(id_) for id_ in under] or [apart]:
        others = [names[id_] for id_ in under if str(id_) != group]
        notes = [f"also under {name}" for name in others]
        notes += [at.reason] if at and at.reason else []
        notes += ["placed by hand"] if at and under and ORIGINS[at.origin] else []
        acts = [ActKind.MOVE, *([ActKind.EXCLUDE] if apart != LEFT_OUT or under else [])]
        found.append(
            ListedAttribute(
                attribute.id,
                group,
                attribute.text,
                contributor_words(attribute),
                acts,
                state=", ".join(notes),
                in_use=group != LEFT_OUT,
            )
        )
    return found


def _perform(workbench: Workbench, view: BuildView, act: AttributeAct) -> Performed:
    out = act.kind is ActKind.EXCLUDE
    target = None if out else act.target
    made = place_attributes(workbench, view.id, act.ids, target, act.text, who=current_editor())
    if not made:
        return Performed("", "Nothing to change.")
    name = next((c.name for c in view.build.components if c.id == target), "")
    what = f"left out {number(len(act.ids), 'attribute')}" if out else f"moved {number(len(act.ids), 'attribute')}"
    said = f"{number(len(act.ids), 'attribute')} {'left out' if out else f'moved to {name}'}."
    return Performed(what, said, partial(to_before, workbench, view.id, made))
