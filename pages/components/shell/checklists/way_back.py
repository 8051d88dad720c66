"""Way back from the Checklist to a result: its run, tab and text stay in mind, not in the address."""

from collections.abc import Mapping
from dataclasses import dataclass

import streamlit as st

_WAY = "way_back_to_result"


@dataclass(frozen=True, slots=True)
class WayBack:
    """`address` is that of Results as it was left; `texts` are those the person was looking at, furthest from people
    first, on which the changed questions can be asked again."""

    dimension: int
    run: int
    texts: tuple[int, ...]
    address: Mapping[str, str]

    @property
    def to_a_text(self) -> bool:
        return "text" in self.address


def remember_way(way: WayBack) -> None:
    st.session_state[_WAY] = way


def way_back(dimension_id: int) -> WayBack | None:
    """Of this session, to a result of this dimension."""
    way: WayBack | None = st.session_state.get(_WAY)
    return way if way is not None and way.dimension == dimension_id else None


def forget_way() -> None:
    st.session_state.pop(_WAY, None)
