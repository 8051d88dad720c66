"""Attributes that may say the same: suggested by likeness of wording, merged by a person."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from app.domain.attribute import Attribute
from app.services.attributes import restore_attribute
from app.services.merging import MOST_PAIRS, NearDuplicate, merge, near_duplicates
from app.services.workbench import Workbench
from pages.components.attribute_pool import said_by
from pages.components.undo import change

_LEFT_ALONE = "pairs_left_alone"
SHOWN = 5


def duplicates(workbench: Workbench, attributes: Sequence[Attribute], dimension_id: int) -> None:
    """A few pairs at a time, the most alike first."""
    unfolded = st.expander("Merge attributes that say the same", key="merge", on_change="rerun")
    if not unfolded.open:
        return
    with unfolded:
        least = st.slider(
            "Alike at least",
            0.3,
            1.0,
            0.6,
            0.05,
            key="merge_least",
            width=320,
            help="Likeness of wording (ROUGE-L F): 1 is the same words in the same order. Wording only: two that mean "
            "the same in other words are not found, and two that differ in one word may mean different things.",
        )
        pairs, all_ = near_duplicates(attributes, least)
        alone = st.session_state.setdefault(_LEFT_ALONE, set())
        waiting = [pair for pair in pairs if _ids(pair) not in alone]
        if not waiting:
            st.markdown("No two attributes in use are that alike. Lower the limit to see more.")
            return
        more = f", the first {MOST_PAIRS} can be looked at" if all_ > MOST_PAIRS else ""
        st.caption(f"{all_:,} pairs{more}. What is merged stays on record and can be restored.")
        for pair in waiting[:SHOWN]:
            _pair(workbench, pair, dimension_id)


def _ids(pair: NearDuplicate) -> tuple[int, int]:
    return pair.first.id, pair.second.id


def _pair(workbench: Workbench, pair: NearDuplicate, dimension_id: int) -> None:
    key = f"{pair.first.id}_{pair.second.id}"
    first, second, decision = st.columns([3, 3, 2], gap="medium")
    for place, attribute in ((first, pair.first), (second, pair.second)):
        with place:
            st.text(attribute.text)
            st.caption(said_by(attribute))
    with decision:
        st.caption(f"alike {pair.likeness:.2f}")
        for name, kept, other in (("left", pair.first, pair.second), ("right", pair.second, pair.first)):
            st.button(
                f"Keep the {name} one",
                key=f"merge_{name}_{key}",
                on_click=_merge,
                args=[workbench, kept, other, dimension_id],
            )
        st.button("Keep both", key=f"merge_none_{key}", type="tertiary", on_click=_leave, args=[_ids(pair)])


def _merge(workbench: Workbench, kept: Attribute, merged: Attribute, dimension_id: int) -> None:
    change(
        pool_place(dimension_id),
        "merged two attributes",
        partial(merge, workbench, kept, merged),
        partial(restore_attribute, workbench, merged.id),
    )


def _leave(pair: tuple[int, int]) -> None:
    st.session_state[_LEFT_ALONE] = {*st.session_state.get(_LEFT_ALONE, set()), pair}


def pool_place(dimension_id: int) -> str:
    """Where changes of a dimension's attributes are remembered."""
    return f"pool_{dimension_id}"
