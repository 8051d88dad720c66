"""Sections that are drawn only once they are opened; the address names those that are."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

OPEN = "open"  # in the address


def unfolding(key: str, label: str) -> DeltaGenerator | None:
    """The section to draw in; None while it is closed, so that nothing is computed for it."""
    state = _state(key)
    if state not in st.session_state:
        st.session_state[state] = key in _in_address()
    section = st.expander(label, key=state, on_change="rerun")
    _keep_open(key, bool(section.open))
    return section if section.open else None


def _state(key: str) -> str:
    return f"unfolded_{key}"


def _in_address() -> list[str]:
    return [name for name in st.query_params.get(OPEN, "").split(",") if name]


def _keep_open(key: str, is_open: bool) -> None:
    names = _in_address()
    if is_open == (key in names):
        return
    kept = [*names, key] if is_open else [name for name in names if name != key]
    if kept:
        st.query_params[OPEN] = ",".join(kept)
    else:
        st.query_params.pop(OPEN, None)
