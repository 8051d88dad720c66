"""What the browser does that Streamlit doesn't: history by screen, scrolling by key, words and focus kept.

Streamlit makes an entry for every change of the query, several in one drawing, and for a switch of screens another one
with the next screen's query at the last screen's path; `history_steps.js` takes over what it calls to make them. A box
that scrolls within the page can't be reached by keyboard unless something in it can; `scroll_focus.js` lets it. What
is typed is lost with a reload, and with the field; `kept_typing.js` keeps it in the browser.
A button that moves loses the focus; `kept_focus.js` gives it back. On a phone `narrow_menu.js` closes the menu when a
screen is chosen.
"""

from pathlib import Path

import streamlit as st

from pages.components.shell.browser.kept_typing import typing_facts
from pages.components.shell.browser.scripts import page_script, run_in_page

_KEY = "page_scripts"
# An element that shows nothing would still keep the others apart.
_HIDDEN = f"[data-testid='stLayoutWrapper']:has(> .st-key-{_KEY}) {{ display: none; }}"
_NOTE = """
.kept-typing-note { display: flex; flex-wrap: wrap; gap: 0.25rem 0.75rem; align-items: center; margin-top: 0.25rem;
  font-size: 0.875rem; color: light-dark(#8a4b00, #f0b35e); }
.kept-typing-note span { unicode-bidi: plaintext; overflow-wrap: anywhere; }
.kept-typing-note button { min-height: 1.75rem; padding: 0 0.25rem; border: 0; background: none; color: inherit;
  font: inherit; text-decoration: underline; cursor: pointer; }
@media (max-width: 900px) { .kept-typing-note button { min-height: 2.75rem; min-width: 2.75rem; } }
"""
_NAMES = ("history_steps.js", "scroll_focus.js", "kept_typing.js", "kept_focus.js", "narrow_menu.js")
_SCRIPTS = page_script("\n".join(Path(__file__).with_name(name).read_text(encoding="utf-8") for name in _NAMES))


def page_scripts(person: int | None) -> None:
    """Once a drawing; the browser runs them once a page.

    person: whose drafts it keeps, None where nobody signs in.
    """
    typing_facts(person)
    with st.container(key=_KEY):
        run_in_page(_SCRIPTS, f"<style>{_HIDDEN}{_NOTE}</style>")
