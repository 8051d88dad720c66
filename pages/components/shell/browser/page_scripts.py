"""Browser scripts for the screens: cookies, focus, drafts of typed text."""

import html
import json
import re
import secrets
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import streamlit as st

from app.services.people.ways_to_sign_in import BROWSER_COOKIE, cookie_name
from pages.components.shell.labels import forget_report

LEFT_OUT: Mapping[str, str] = {
    "typed_key_": "a key, which is kept nowhere",
    "words": "a filter of the list below it",
    "text_search": "a filter of the list below it",
    "find_in_": "a filter of the list below it",
    "try_search": "a filter of the list below it",
    "replace_words_": "a filter of the list below it",
    "option_": "an option of the next run, in force as it is typed",
    "answers_name_": "belongs to an uploaded file, which a reload takes away",
    "own_name_": "belongs to an uploaded file, which a reload takes away",
    "map_dimension_": "belongs to an uploaded file, which a reload takes away",
    "map_scale_": "belongs to an uploaded file, which a reload takes away",
    "import_new_project_": "belongs to an uploaded file, which a reload takes away",
    "typing_known": "how the browser tells the server of drafts",
}
"""Prefix of the keys of fields without drafts -> the reason."""
_KNOWN = "typing_known"
_MESSAGES = "saved_typing"
_SENT = 60  # messages; those before were read long ago
_HIDDEN = "[data-testid='stLayoutWrapper']:has(> .st-key-typing_facts), .st-key-typing_facts { display: none; }"


def typing_facts(person: int | None) -> None:
    """Tell the browser, once a drawing, whose drafts these are and which fields have none."""
    left_out = _in_attribute([_class(prefix) for prefix in LEFT_OUT])
    with st.container(key="typing_facts"):
        st.html(
            f"<style>{_HIDDEN}</style><span class='interacteval-typing' data-person='{person or ''}' "
            f"data-left-out='{left_out}'></span>"
        )
        show_saved_typing()


def show_saved_typing() -> None:
    """Tell the browser which words were saved. A fragment with text fields calls it too: it is drawn alone."""
    told = st.session_state.get(_MESSAGES)
    if told:
        st.html(f"<span class='interacteval-typing' data-saved='{_in_attribute(told)}'></span>")


def _in_attribute(told: Any) -> str:
    """Return JSON for an attribute. The browser's sanitizer drops an attribute that contains `-->` or `</script`, even
    escaped for HTML: so no angle bracket stays."""
    return html.escape(json.dumps(told).replace("<", r"\u003c").replace(">", r"\u003e"))


def saved_typing(*keys: str) -> None:
    """Mark the contents of these fields as saved: their drafts are deleted, except for what was typed since."""
    for key in keys:
        for held in (st.session_state, known_typing()):  # a form's field is in the state once its form is sent
            if key in held:
                _tell(key, str(held[key] or ""))


def dropped_typing(*keys: str) -> None:
    """Delete the drafts of these fields, whatever they contain: the person discarded the edits."""
    for key in keys:
        _tell(key, None)


def save_typing(key: str, words: str) -> None:
    """Save as a draft what no field shows, such as choices beside a text; `unsaved_typing` returns it."""
    _tell(key, words, keep=True)


def _tell(key: str, words: str | None, keep: bool = False) -> None:
    told = st.session_state.setdefault(_MESSAGES, {"session": secrets.token_urlsafe(8), "saved": []})
    number = told["saved"][-1][0] + 1 if told["saved"] else 1
    told["saved"] = [*told["saved"], [number, _class(key), words, keep]][-_SENT:]


def unsaved_typing(*prefixes: str, reported: Callable[[], None] | None = None) -> dict[str, str]:
    """Return key -> words of the drafts whose keys have these prefixes. Call it once a drawing. reported: called before
    the drawing that the browser asks for when it reports drafts.

    Drafts of fields outside forms that are on the screen are left out: the session's state has them.
    """
    with st.container(key="typing_reported"):
        st.html("<style>.st-key-typing_reported { display: none; }</style>")
        st.text_input(" ".join(prefixes), key=_KNOWN, on_change=reported)
    return known_typing()


def known_typing() -> dict[str, str]:
    """Return what `unsaved_typing` found in the last drawing, for callbacks."""
    try:
        found: Any = json.loads(st.session_state.get(_KNOWN) or "{}")
    except ValueError:
        return {}
    return {str(key): str(words) for key, words in found.items()} if isinstance(found, dict) else {}


def _class(key: str) -> str:
    """Return a key as Streamlit writes it into the page."""
    return re.sub(r"[^a-zA-Z0-9_-]", "-", key.strip())


OUTBOX = Path(__file__).with_name("outbox.js").read_text(encoding="utf-8")


_SCRIPTS: list[str] = []


def page_script(words: str) -> str:
    """Return the script with its tag, for `run_in_page`. Call it once, at the top of a module."""
    _SCRIPTS.append(words)
    return f"<script>{words}</script>"


def run_in_page(script: str, beside: str = "") -> None:
    """Run a script in the page. script: from `page_script`. beside: our own HTML without scripts."""
    st.html(beside + script, unsafe_allow_javascript=True)


def scripts_in_pages() -> tuple[str, ...]:
    """Return the scripts of all loaded modules, and the one in Streamlit's own page."""
    return (*_SCRIPTS, *_streamlit_scripts())


def _streamlit_scripts() -> list[str]:
    page = Path(st.__file__).with_name("static") / "index.html"
    return re.findall(r"<script>(.*?)</script>", page.read_text(encoding="utf-8"), re.DOTALL)


TOUR_COOKIE = "interacteval_tour"
_ENDED = "ended"
_A_YEAR = 365 * 24 * 60 * 60
_COOKIE_KEY = "kept_cookie"
# An element that shows nothing would still keep the others apart.
_HIDDEN_COOKIE = f"[data-testid='stLayoutWrapper']:has(> .st-key-{_COOKIE_KEY}) {{ display: none; }}"
_KEEP = page_script(f'document.cookie = "{TOUR_COOKIE}={_ENDED}; path=/; max-age={_A_YEAR}; samesite=lax"')


def browser() -> str:
    """Return the browser's id from its cookie; "" if it takes no cookie."""
    return str(st.context.cookies.get(cookie_name(BROWSER_COOKIE), ""))


def tour_was_ended() -> bool:
    """Return whether the tour was ended in this browser before this session."""
    return bool(st.context.cookies.get(TOUR_COOKIE, "") == _ENDED)


def save_tour_cookie() -> None:
    """Save in a cookie that the tour was ended, for later sessions. Streamlit has no response to set a cookie in."""
    with st.container(key=_COOKIE_KEY):
        run_in_page(_KEEP, f"<style>{_HIDDEN_COOKIE}</style>")


_WANTED = "field_to_focus"
_FOCUS = page_script("""(() => {
  let tries = 0;
  const look = () => {
    const wanted = document.querySelector("[data-field-to-focus]")?.dataset.fieldToFocus;
    const field = wanted && document.querySelector(`.st-key-question_text_${wanted} textarea`);
    if (!field || field.disabled) return ++tries < 100 && setTimeout(look, 50);
    field.scrollIntoView({ block: "center" });
    field.focus({ preventScroll: true });
    field.setSelectionRange(field.value.length, field.value.length);
  };
  look();
})();""")


def want_focus(question_id: int) -> None:
    """Set the question whose field gets the focus on the next screen."""
    st.session_state[_WANTED] = question_id


def focus_if_wanted(question_id: int) -> None:
    """Focus the field above, once. The browser may draw the field later: the script waits for it."""
    if st.session_state.get(_WANTED) != question_id:
        return
    del st.session_state[_WANTED]
    run_in_page(_FOCUS, f'<i data-field-to-focus="{int(question_id)}"></i>')


_SCRIPTS_KEY = "page_scripts"
# An element that shows nothing would still keep the others apart.
_HIDDEN_SCRIPTS = f"[data-testid='stLayoutWrapper']:has(> .st-key-{_SCRIPTS_KEY}) {{ display: none; }}"
_NOTE = """
.kept-typing-note { display: flex; flex-wrap: wrap; gap: 0.25rem 0.75rem; align-items: center; margin-top: 0.25rem;
  font-size: 0.875rem; color: light-dark(#8a4b00, #f0b35e); }
.kept-typing-note span { unicode-bidi: plaintext; overflow-wrap: anywhere; }
.kept-typing-note button { min-height: 1.75rem; padding: 0 0.25rem; border: 0; background: none; color: inherit;
  font: inherit; text-decoration: underline; cursor: pointer; }
@media (max-width: 900px) { .kept-typing-note button { min-height: 2.75rem; min-width: 2.75rem; } }
[data-testid='stSelectbox'][data-whole]::after { content: attr(data-whole) / ""; display: block; margin-top: 0.25rem;
  font-size: 0.875rem; overflow-wrap: anywhere; unicode-bidi: plaintext; }
"""
_NAMES = ("history_steps.js", "scroll_focus.js", "kept_typing.js", "kept_focus.js", "narrow_menu.js", "whole_values.js")
_ALL_SCRIPTS = page_script("\n".join(Path(__file__).with_name(name).read_text(encoding="utf-8") for name in _NAMES))


def page_scripts(person: int | None) -> None:
    """Add the scripts, once a drawing; the browser runs them once a page.

    person: whose drafts it keeps, None if nobody signs in.
    """
    forget_report()
    typing_facts(person)
    with st.container(key=_SCRIPTS_KEY):
        run_in_page(_ALL_SCRIPTS, f"<style>{_HIDDEN_SCRIPTS}{_NOTE}</style>")
