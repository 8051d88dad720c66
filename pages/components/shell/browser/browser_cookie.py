"""Cookies of the browser: its name, a random one by which it is known again after a reload, which begins a new session;
and that the tour was ended in it."""

import streamlit as st

from app.services.people.ways_in import BROWSER_COOKIE, cookie_name
from pages.components.shell.browser.scripts import page_script, run_in_page

TOUR_COOKIE = "interacteval_tour"
_ENDED = "ended"
_A_YEAR = 365 * 24 * 60 * 60
_KEY = "kept_cookie"
# An element that shows nothing would still keep the others apart.
_HIDDEN = f"[data-testid='stLayoutWrapper']:has(> .st-key-{_KEY}) {{ display: none; }}"
_KEEP = page_script(f'document.cookie = "{TOUR_COOKIE}={_ENDED}; path=/; max-age={_A_YEAR}; samesite=lax"')


def browser() -> str:
    """ "" where it takes no cookie."""
    return str(st.context.cookies.get(cookie_name(BROWSER_COOKIE), ""))


def tour_was_ended() -> bool:
    """In this browser, before this session began."""
    return bool(st.context.cookies.get(TOUR_COOKIE, "") == _ENDED)


def keep_cookie() -> None:
    """That the tour was ended, for the sessions after this one. Streamlit has no answer to put a cookie into."""
    with st.container(key=_KEY):
        run_in_page(_KEEP, f"<style>{_HIDDEN}</style>")
