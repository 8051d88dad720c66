"""Steps from text to text in the order of the list, and the way back to the place in the list."""

from collections.abc import Sequence

import streamlit as st

from pages.components.results.texts.disagreement_list import open_text, show_in_list


def text_steps(listed: Sequence[int], text: int, scope: str, order: str = "furthest from people first") -> None:
    """`listed` are the texts as filtered, in this order; one opened by its address may not be there."""
    place = listed.index(text) if text in listed else None

    def back() -> None:
        show_in_list(place, scope)
        open_text(None)

    with st.container(horizontal=True, vertical_alignment="center", key="text_steps"):
        st.button("Back to the list", key="close_text", icon=":material/arrow_back:", on_click=back)
        if place is None:
            return
        for name, label, icon, to in (
            ("previous_text", "Previous", ":material/chevron_left:", place - 1),
            ("next_text", "Next", ":material/chevron_right:", place + 1),
        ):
            possible = 0 <= to < len(listed)
            st.button(
                label,
                key=name,
                icon=icon,
                disabled=not possible,
                on_click=open_text,
                args=[listed[to] if possible else text],
            )
        st.caption(f"Text {place + 1:,} of {len(listed):,}, {order}")
