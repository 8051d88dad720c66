"""Attributes that may say the same: suggested by likeness, merged by a person."""

from collections.abc import Sequence

import streamlit as st

from app.domain.attribute import Attribute, AttributeChange
from app.services.attributes.attribute_changes import merge_attributes, take_back
from app.services.attributes.near_duplicates import LIKELY, MOST_PAIRS, Measure, NearDuplicate, near_duplicates
from app.services.runtime.workbench import Workbench
from pages.components.attributes.pool import pool_place
from pages.components.shell.contributor_words import said_by
from pages.components.shell.undo import change, show_problem
from pages.components.shell.words import button_label

MEASURES: dict[Measure, str] = {"words": "rare words", "order": "same order"}
_LEFT_ALONE = "pairs_left_alone"
SHOWN = 5


def duplicates(workbench: Workbench, attributes: Sequence[Attribute], dimension_id: int) -> None:
    """A few pairs at a time, the most alike first."""
    unfolded = st.expander("Merge attributes that say the same", key="merge", on_change="rerun")
    if not unfolded.open:
        return
    with unfolded:
        measure, least = _measure()
        pairs, all_ = near_duplicates(attributes, least, measure=measure)
        alone = st.session_state.setdefault(_LEFT_ALONE, set())
        waiting = [pair for pair in pairs if _ids(pair) not in alone]
        show_problem()
        if not waiting:
            st.markdown("No two attributes in use are that alike. Lower the limit to see more.")
            return
        more = f", the first {MOST_PAIRS} can be looked at" if all_ > MOST_PAIRS else ""
        st.caption(f"{all_:,} pairs{more}. What is merged stays on record and can be restored.")
        for pair in waiting[:SHOWN]:
            _pair(workbench, pair, dimension_id)


def _measure() -> tuple[Measure, float]:
    how, limit = st.columns([2, 2], gap="large", width=700)
    measure: Measure = how.radio(
        "Alike in",
        list(MEASURES),
        format_func=MEASURES.__getitem__,
        key="merge_measure",
        horizontal=True,
        help="Rare words: words and parts of words that few attributes share, in any order and form; words that "
        "most of them have weigh little. Same order: the longest run of equal words (ROUGE-L F). Neither knows what "
        "words mean: that is for you to decide.",
    )
    least = limit.slider("Alike at least", 0.2, 1.0, LIKELY[measure], 0.05, key=f"merge_least_{measure}", width=320)
    return measure, least


def _ids(pair: NearDuplicate) -> tuple[int, int]:
    return pair.first.id, pair.second.id


def _pair(workbench: Workbench, pair: NearDuplicate, dimension_id: int) -> None:
    key = f"{pair.first.id}_{pair.second.id}"
    first, second, decision = st.columns([3, 3, 2], gap="medium")
    for place, attribute in ((first, pair.first), (second, pair.second)):
        with place:
            st.text(attribute.text)
            st.caption(said_by(attribute))
    decision.caption(f"alike {pair.likeness:.2f}")
    with decision.container(horizontal=True, gap="small"):
        for name, kept, other in (("left", pair.first, pair.second), ("right", pair.second, pair.first)):
            st.button(
                button_label(f"Keep the {name} one", kept.text),
                key=f"merge_{name}_{key}",
                on_click=_merge,
                args=[workbench, kept, other, dimension_id],
            )
        both = button_label("Keep both", f"{pair.first.text} / {pair.second.text}")
        st.button(both, key=f"merge_none_{key}", type="tertiary", on_click=_leave, args=[_ids(pair)])


def _merge(workbench: Workbench, kept: Attribute, merged: Attribute, dimension_id: int) -> None:
    done: list[AttributeChange] = []
    change(
        pool_place(dimension_id),
        "merged two attributes",
        lambda: done.append(merge_attributes(workbench, kept.id, [merged.id], dimension_id=dimension_id)),
        lambda: take_back(workbench, done[0]),
    )


def _leave(pair: tuple[int, int]) -> None:
    st.session_state[_LEFT_ALONE] = {*st.session_state.get(_LEFT_ALONE, set()), pair}
