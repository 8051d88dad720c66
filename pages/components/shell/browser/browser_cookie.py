"""Name of the browser: a random one, by which it is known again after a reload, which begins a new session."""

import streamlit as st

BROWSER_COOKIE = "interacteval_browser"


def browser() -> str:
    """ "" where it takes no cookie."""
    return str(st.context.cookies.get(BROWSER_COOKIE, ""))
