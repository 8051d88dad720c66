"""Addresses of Results from before it had four tabs lead to where things are now, with all else they say."""

import streamlit as st

from pages.components.results.unfolding import unfold
from pages.components.shell.navigation.screens import go

SCREENS = {"methods": "methods", "topics": "topics", "locked": "locked_test"}
SECTIONS = {"pictures": "pictures", "people": "people", "compare": "against", "download": "download"}
TABS = {"overview": "verdict"} | dict.fromkeys(SECTIONS, "details")


def lead_on() -> None:
    """Before the widgets exist."""
    asked = st.query_params.get("view", "")
    if asked in SCREENS:
        rest = {name: value for name, value in st.query_params.to_dict().items() if name != "view"}
        go(SCREENS[asked], rest)
    if asked in SECTIONS:
        unfold(SECTIONS[asked])
    if asked in TABS:
        st.session_state["view"] = st.query_params["view"] = TABS[asked]
