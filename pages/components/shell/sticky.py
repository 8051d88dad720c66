"""A place that stays in view while what is beside it scrolls."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator


def sticky(key: str) -> DeltaGenerator:
    """A container for a column of its own; it scrolls by itself where it is taller than the window.

    Its wrapper is what moves: the container fills it from edge to edge.
    """
    place = st.container(key=key)
    st.html(
        "<style>"
        f"[data-testid='stLayoutWrapper']:has(> .st-key-{key}) {{ position: sticky; top: 4.5rem; }}"
        f".st-key-{key} {{ max-height: calc(100vh - 6rem); overflow-y: auto; padding: 0 2px; }}"
        "</style>"
    )
    return place
