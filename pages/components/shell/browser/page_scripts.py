"""What the browser does that Streamlit doesn't: history by screen, scrolling by key, words and focus kept.

Streamlit makes an entry for every change of the query, several in one drawing, and for a switch of screens another one
with the next screen's query at the last screen's path; `history_steps.js` takes over what it calls to make them. A box
that scrolls within the page can't be reached by keyboard unless something in it can; `scroll_focus.js` lets it. What
is typed reaches the server when its field is left, and a reload before loses it; `kept_typing.js` keeps it in the tab.
A button that moves loses the focus; `kept_focus.js` gives it back.
"""

from pathlib import Path

import streamlit as st

_KEY = "page_scripts"
# An element that shows nothing would still keep the others apart.
_HIDDEN = f"[data-testid='stLayoutWrapper']:has(> .st-key-{_KEY}) {{ display: none; }}"
_NAMES = ("history_steps.js", "scroll_focus.js", "kept_typing.js", "kept_focus.js")
_SCRIPTS = "\n".join(Path(__file__).with_name(name).read_text(encoding="utf-8") for name in _NAMES)


def page_scripts() -> None:
    """Once a drawing; the browser runs them once a page."""
    with st.container(key=_KEY):
        st.html(f"<style>{_HIDDEN}</style><script>{_SCRIPTS}</script>", unsafe_allow_javascript=True)
