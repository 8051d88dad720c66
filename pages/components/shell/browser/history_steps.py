"""Browser history with one entry a screen, so that the browser's Back is one step.

Streamlit makes an entry for every change of the query, several in one drawing, and for a switch of screens another one
with the next screen's query at the last screen's path. What it calls to make them is taken over in the browser; see
`history_steps.js`.
"""

from pathlib import Path

import streamlit as st

_KEY = "history_steps"
# An element that shows nothing would still keep the others apart.
_HIDDEN = f"[data-testid='stLayoutWrapper']:has(> .st-key-{_KEY}) {{ display: none; }}"
_SCRIPT = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")


def one_step_a_screen() -> None:
    """Once a drawing; the browser does it once a page."""
    with st.container(key=_KEY):
        st.html(f"<style>{_HIDDEN}</style><script>{_SCRIPT}</script>", unsafe_allow_javascript=True)
