"""Attributes to take away, and how many a choice of contributors has."""

from collections.abc import Sequence

import streamlit as st

from app.domain.attribute import Attribute, AttributeStatus, ContributorKind
from app.domain.task import Dimension
from app.services.attribute_files import attribute_file
from pages.components.conditions import number
from pages.components.words import model_label

_FILES = {"text": ("Text, one a line", "txt"), "json": ("JSON", "json"), "csv": ("Table (CSV)", "csv")}


def ticked(attributes: Sequence[Attribute], dimension: Dimension) -> list[Attribute]:
    """The attributes of the contributors that are ticked, with what this choice is called; all at first."""
    names = list(dict.fromkeys(a.contributor for a in attributes))
    chosen = st.pills(
        "Contributors",
        names,
        selection_mode="multi",
        default=names,
        format_func=model_label,
        key=f"ticked_{dimension.id}_{len(names)}",
        help="Whose attributes count below. Nobody's are changed.",
    )
    found = [a for a in attributes if a.contributor in chosen]
    active = [a for a in found if a.status is AttributeStatus.ACTIVE]
    st.caption(f"{_condition(found, len(names))} {number(len(active), 'attribute')} in use, {len(found):,} in all.")
    return found


def _condition(attributes: Sequence[Attribute], all_: int) -> str:
    """InteractEval's name of this choice (section 4.2)."""
    kinds = {a.contributor: a.kind for a in attributes}
    people = sum(kind is ContributorKind.HUMAN for kind in kinds.values())
    llms = len(kinds) - people
    if not kinds:
        return "Nobody is ticked:"
    if people and llms:
        return "Everybody together (Comb):" if len(kinds) == all_ else "Some of everybody (part of Comb):"
    short = f"{'M' if len(kinds) > 1 else 'S'}{'H' if people else 'L'}"
    how_many, who = "Several" if len(kinds) > 1 else "One", "people" if people else "LLMs"
    return f"{how_many} {who if len(kinds) > 1 else who.replace('people', 'person').rstrip('s')} ({short}):"


def take_away(attributes: Sequence[Attribute], dimension: Dimension) -> None:
    unfolded = st.expander("Choose contributors and take attributes away", key="take_away", on_change="rerun")
    if not unfolded.open:  # files of thousands of attributes are made when they are wanted
        return
    with unfolded:
        found = ticked(attributes, dimension)
        with st.container(horizontal=True):
            for form, (label, ending) in _FILES.items():
                st.download_button(
                    label,
                    attribute_file(found, form),
                    f"attributes.{ending}",
                    key=f"take_{form}",
                    on_click="ignore",
                    disabled=not found,
                )
