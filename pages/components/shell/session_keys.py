"""Keys that a person typed: they live in the memory of this browser session and are written nowhere."""

import streamlit as st

_KEYS = "typed_keys"


def typed_keys() -> dict[str, str]:
    """Provider -> key."""
    keys: dict[str, str] = st.session_state.get(_KEYS, {})
    return keys


def keep_key(provider: str, key: str) -> None:
    st.session_state[_KEYS] = {**typed_keys(), provider: key.strip()}


def forget_key(provider: str) -> None:
    st.session_state[_KEYS] = {name: key for name, key in typed_keys().items() if name != provider}
