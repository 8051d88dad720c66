"""Parts of a checklist; only the one on the screen is computed."""

import streamlit as st

from pages.components.shell.address import keep, prepare

PARTS = {"questions": "Questions", "try": "Try it", "compare": "Against another version", "history": "History"}
_KEY = "checklist_part"


def choose_part() -> str:
    prepare(_KEY, list(PARTS), "questions")
    part = st.segmented_control(
        "Part",
        list(PARTS),
        format_func=PARTS.__getitem__,
        required=True,
        key=_KEY,
        label_visibility="collapsed",
    )
    assert part is not None  # required
    keep(_KEY, part, "questions")
    return part
