"""Groups of attributes that may say the same: suggested by likeness, merged by a person."""

from collections.abc import Sequence

import streamlit as st

from app.domain.attribute import Attribute, AttributeChange
from app.services.attributes.attribute_changes import merge_attributes, take_back
from app.services.attributes.near_duplicates import LIKELY, DuplicateGroup, Measure, duplicate_groups
from app.services.runtime.workbench import Workbench
from pages.components.attributes.pool import pool_place
from pages.components.shell.contributor_words import said_by
from pages.components.shell.undo import change, show_problem
from pages.components.shell.words import button_label, number

MEASURES: dict[Measure, str] = {"words": "rare words", "order": "same order"}
_LEFT_ALONE = "groups_left_alone"
_SHOWN = "merge_groups_shown"
SHOWN = 5
SURE = 6
"""In a larger group the ends of a chain may say different things: there a person ticks those that say the same."""


def duplicates(workbench: Workbench, attributes: Sequence[Attribute], dimension_id: int) -> None:
    """A few groups at a time, the most alike first; all can be reached."""
    unfolded = st.expander("Merge attributes that say the same", key="merge", on_change="rerun")
    if not unfolded.open:
        return
    with unfolded:
        measure, least = _measure()
        groups = duplicate_groups(attributes, least, measure)
        alone = st.session_state.setdefault(_LEFT_ALONE, set())
        waiting = [group for group in groups if _ids(group) not in alone]
        show_problem()
        if not waiting:
            st.markdown("No two attributes in use are that alike. Lower the limit to see more.")
            return
        alike = sum(len(group.attributes) for group in waiting)
        groups_of = f"{number(len(waiting), 'group')} of {alike:,} attributes"
        st.caption(f"{groups_of}. What is merged stays on record and can be restored.")
        shown = min(int(st.session_state.get(_SHOWN, SHOWN)), len(waiting))
        for group in waiting[:shown]:
            _group(workbench, group, dimension_id)
        if shown < len(waiting):
            more = min(SHOWN, len(waiting) - shown)
            st.button(f"Show {more} more", key="merge_more", on_click=_show_more, args=[shown + SHOWN])


def _show_more(groups: int) -> None:
    st.session_state[_SHOWN] = groups


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


def _ids(group: DuplicateGroup) -> tuple[int, ...]:
    return tuple(one.id for one in group.attributes)


def _group(workbench: Workbench, group: DuplicateGroup, dimension_id: int) -> None:
    """Each with a button that keeps it; the others that are ticked are merged into it."""
    ids = _ids(group)
    first = ids[0]
    with st.container(border=True, key=f"merge_group_{first}"):
        many = "Two" if len(ids) == 2 else f"{len(ids):,}"
        keep = "keep one" if len(ids) <= SURE else "tick those that do, then keep one"
        st.markdown(
            f"**{many} may say the same: {keep}**" if len(ids) > SURE else f"**{many} say the same: {keep}**",
            help=f"The two most alike: {group.likeness:.2f}.",
        )
        for one in group.attributes:
            said, decision = st.columns([6, 3], gap="medium", vertical_alignment="center")
            with said:
                st.text(one.text)
                st.caption(said_by(one))
            with decision.container(horizontal=True, gap="small", vertical_alignment="center"):
                if len(ids) > 2:
                    st.checkbox(
                        "Says the same",
                        value=len(ids) <= SURE,
                        key=_same_key(one.id),
                        help="Without the tick it stays as it is.",
                    )
                st.button(
                    button_label("Keep this one", one.text),
                    key=f"merge_keep_{one.id}",
                    on_click=_merge,
                    args=[workbench, one.id, ids, dimension_id],
                )
        label = button_label(
            "Keep both" if len(ids) == 2 else "Keep all", " / ".join(one.text for one in group.attributes)
        )
        st.button(label, key=f"merge_none_{first}", type="tertiary", on_click=_leave, args=[ids])


def _same_key(attribute_id: int) -> str:
    return f"merge_same_{attribute_id}"


def _merge(workbench: Workbench, kept: int, ids: Sequence[int], dimension_id: int) -> None:
    done: list[AttributeChange] = []
    merged = [id_ for id_ in ids if id_ != kept and st.session_state.get(_same_key(id_), True)]
    change(
        pool_place(dimension_id),
        f"merged {number(len(merged) + 1, 'attribute')}",
        lambda: done.append(merge_attributes(workbench, kept, merged, dimension_id=dimension_id)),
        lambda: take_back(workbench, done[0]),
    )


def _leave(ids: tuple[int, ...]) -> None:
    st.session_state[_LEFT_ALONE] = {*st.session_state.get(_LEFT_ALONE, set()), ids}
