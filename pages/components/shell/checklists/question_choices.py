"""What is chosen beside a question's words: its component, its weight and whether it may not apply.

Choices that are not saved are kept as drafts of words are, in the session and in the browser.
"""

import json

import streamlit as st

from app.domain.checklist import Question
from pages.components.shell.browser.kept_typing import dropped_typing, keep_typing, known_typing

CHOICES = "question_choices_"
"""How the keys of these drafts begin; no field has such a key."""
Choices = tuple[str, float, bool]


def choice_keys_of(question_id: int) -> tuple[str, str, str]:
    """The keys of the three fields."""
    component, weight, may_not_apply = (f"question_{f}_{question_id}" for f in ("component", "weight", "may_not_apply"))
    return component, weight, may_not_apply


def kept_choices(seen: Question) -> Choices:
    """Those that aren't saved; else, and where the question was changed since, those of the question as it was seen."""
    saved, key = _of(seen), f"{CHOICES}{seen.id}"
    try:
        before, chosen = json.loads(st.session_state.get(key, known_typing().get(key)) or "[[], []]")
        component, weight, may_not_apply = chosen if before == list(saved) else saved
        return str(component), float(weight), bool(may_not_apply)
    except (TypeError, ValueError):  # the browser may hold anything
        return saved


def choices_of(seen: Question) -> Choices:
    """As the three fields say, or as they are kept where the question is closed."""
    component, weight, may_not_apply = (
        st.session_state.get(key, kept) for key, kept in zip(choice_keys_of(seen.id), kept_choices(seen), strict=True)
    )
    return str(component or ""), float(weight or 0.0), bool(may_not_apply)


def show_choices(seen: Question) -> None:
    """Before the fields are drawn: they get the kept choices where they are new, or where the browser brings others."""
    kept, shown = kept_choices(seen), f"shown_choices_{seen.id}"
    brought = st.session_state.get(shown) != kept
    st.session_state[shown] = kept
    for key, value in zip(choice_keys_of(seen.id), kept, strict=True):
        if brought or key not in st.session_state:
            st.session_state[key] = value or None if key.startswith("question_component_") else value


def keep_choices(seen: Question) -> None:
    """As a callback of the three fields."""
    chosen, key = choices_of(seen), f"{CHOICES}{seen.id}"
    if chosen == _of(seen):
        drop_choices(seen.id)
        return
    st.session_state[key] = json.dumps([_of(seen), chosen])
    keep_typing(key, st.session_state[key])


def drop_choices(question_id: int) -> None:
    """They are saved, or the person doesn't want them."""
    key = f"{CHOICES}{question_id}"
    st.session_state[key] = ""  # the browser may still tell of the old ones
    dropped_typing(key)


def _of(question: Question) -> Choices:
    return question.component, float(question.weight), question.may_not_apply
