"""Drafts of a question's component, weight and "may not apply", kept in session and browser like typed text."""

import json

import streamlit as st

from app.domain.checklist import Question
from pages.components.shell.browser.kept_typing import dropped_typing, keep_typing, known_typing

CHOICES = "question_choices_"
"""Prefix of the keys of these drafts. No field has such a key."""
Choices = tuple[str, float, bool]


def choice_keys_of(question_id: int) -> tuple[str, str, str]:
    """Return the widget keys of component, weight and "may not apply"."""
    component, weight, may_not_apply = (f"question_{f}_{question_id}" for f in ("component", "weight", "may_not_apply"))
    return component, weight, may_not_apply


def kept_choices(seen: Question) -> Choices:
    """Return the draft; without one, or where the question was changed since, the saved choices of the question."""
    saved, key = _of(seen), f"{CHOICES}{seen.id}"
    try:
        before, chosen = json.loads(st.session_state.get(key, known_typing().get(key)) or "[[], []]")
        component, weight, may_not_apply = chosen if before == list(saved) else saved
        return str(component), float(weight), bool(may_not_apply)
    except (TypeError, ValueError):  # the browser may hold anything
        return saved


def choices_of(seen: Question) -> Choices:
    """Return what the three fields hold; where the question is closed, its draft."""
    component, weight, may_not_apply = (
        st.session_state.get(key, kept) for key, kept in zip(choice_keys_of(seen.id), kept_choices(seen), strict=True)
    )
    return str(component or ""), float(weight or 0.0), bool(may_not_apply)


def show_choices(seen: Question) -> None:
    """Fill the fields from the draft. Call before they are drawn; they are filled once for each draft."""
    kept, shown = kept_choices(seen), f"shown_choices_{seen.id}"
    brought = st.session_state.get(shown) != kept
    st.session_state[shown] = kept
    for key, value in zip(choice_keys_of(seen.id), kept, strict=True):
        if brought or key not in st.session_state:
            st.session_state[key] = value or None if key.startswith("question_component_") else value


def keep_choices(seen: Question) -> None:
    """Keep the draft. Callback of the three fields."""
    chosen, key = choices_of(seen), f"{CHOICES}{seen.id}"
    if chosen == _of(seen):
        drop_choices(seen.id)
        return
    st.session_state[key] = json.dumps([_of(seen), chosen])
    keep_typing(key, st.session_state[key])


def drop_choices(question_id: int) -> None:
    """Remove the draft, because it was saved or is not wanted."""
    key = f"{CHOICES}{question_id}"
    st.session_state[key] = ""  # the browser may still tell of the old ones
    dropped_typing(key)


def _of(question: Question) -> Choices:
    return question.component, float(question.weight), question.may_not_apply
