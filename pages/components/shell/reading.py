"""A text to read, shown to the letter."""

import streamlit as st

LONG = 1500  # characters: about what fits on a screen beside the rest
HEIGHT = 420


def readable_text(text: str, key: str) -> None:
    """At a readable width; what is long scrolls within its own place."""
    with st.container(height=HEIGHT if len(text) > LONG else "content", border=len(text) > LONG, key=key):
        st.text(text, width="stretch")
