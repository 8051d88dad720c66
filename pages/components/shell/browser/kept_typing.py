"""Drafts of text fields: the server's side of `kept_typing.js`, which keeps them in the person's browser.

Every text field has its drafts kept, unless `LEFT_OUT` names it. Code that saves the words of fields calls
`saved_typing`, code that drops an edit calls `dropped_typing`. A screen with a button that acts on typed words asks
`unsaved_typing` for them.
"""

import html
import json
import re
import secrets
from collections.abc import Mapping
from typing import Any

import streamlit as st

LEFT_OUT: Mapping[str, str] = {
    "typed_key_": "a key, which is kept nowhere",
    "words": "a filter of the list below it",
    "text_search": "a filter of the list below it",
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
"""How the keys of the fields begin that have no drafts -> why."""
_KNOWN = "typing_known"
_MESSAGES = "saved_typing"
_SENT = 60  # messages; those before were read long ago
_HIDDEN = "[data-testid='stLayoutWrapper']:has(> .st-key-typing_facts), .st-key-typing_facts { display: none; }"


def typing_facts(person: int | None) -> None:
    """Once a drawing: whose drafts these are, and the fields without any."""
    left_out = json.dumps([_class(prefix) for prefix in LEFT_OUT])
    with st.container(key="typing_facts"):
        st.html(
            f"<style>{_HIDDEN}</style><span class='interacteval-typing' data-person='{person or ''}' "
            f"data-left-out='{html.escape(left_out)}'></span>"
        )
        show_saved_typing()


def show_saved_typing() -> None:
    """Tell the browser which words were saved. A fragment with text fields calls it too: it is drawn alone."""
    told = st.session_state.get(_MESSAGES)
    if told:
        st.html(f"<span class='interacteval-typing' data-saved='{html.escape(json.dumps(told))}'></span>")


def saved_typing(*keys: str) -> None:
    """The words that these fields hold are saved: their drafts go, but for what was typed since."""
    for key in keys:
        for held in (st.session_state, known_typing()):  # a form's field is in the state once its form is sent
            if key in held:
                _tell(key, str(held[key] or ""))


def dropped_typing(*keys: str) -> None:
    """The person doesn't want these edits: their drafts go, whatever they say."""
    for key in keys:
        _tell(key, None)


def keep_typing(key: str, words: str) -> None:
    """Keep words that no field shows as a draft, such as choices beside a text; `unsaved_typing` brings them back."""
    _tell(key, words, keep=True)


def _tell(key: str, words: str | None, keep: bool = False) -> None:
    told = st.session_state.setdefault(_MESSAGES, {"session": secrets.token_urlsafe(8), "saved": []})
    number = told["saved"][-1][0] + 1 if told["saved"] else 1
    told["saved"] = [*told["saved"], [number, _class(key), words, keep]][-_SENT:]


def unsaved_typing(*prefixes: str) -> dict[str, str]:
    """Key -> words of the drafts whose keys begin so. Call it once a drawing.

    Those that a field outside a form shows are left out: the session's state has them.
    """
    with st.container(key="typing_reported"):
        st.html("<style>.st-key-typing_reported { display: none; }</style>")
        st.text_input(" ".join(prefixes), key=_KNOWN)
    return known_typing()


def known_typing() -> dict[str, str]:
    """What `unsaved_typing` found in the last drawing, for callbacks."""
    try:
        found: Any = json.loads(st.session_state.get(_KNOWN) or "{}")
    except ValueError:
        return {}
    return {str(key): str(words) for key, words in found.items()} if isinstance(found, dict) else {}


def _class(key: str) -> str:
    """A key as Streamlit writes it into the page."""
    return re.sub(r"[^a-zA-Z0-9_-]", "-", key.strip())
