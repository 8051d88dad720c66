"""Which quotes of the judge are highlighted in a text: all of them, or one answer's."""

from collections.abc import Sequence

import streamlit as st

from app.services.results.run_answers.evidence import QuotedAnswer

ALL = "all"


def evidence_choice(quoted: Sequence[QuotedAnswer], scope: str) -> list[QuotedAnswer]:
    """The chosen ones of those that are found; nothing to choose where one is."""
    found = [each for each in quoted if each.place is not None]
    if len(found) < 2:
        return found
    words = {
        str(place): f"{each.judgment.answer.capitalize()} · {each.question.text}" for place, each in enumerate(found)
    }
    chosen = st.selectbox(
        "Evidence",
        [ALL, *words],
        format_func=lambda one: words.get(one, "Of all answers"),
        key=f"evidence_{scope}",
        help="What the judge quotes is looked up, and highlighted where it stands.",
    )
    return found if chosen == ALL or chosen not in words else [found[int(chosen)]]
