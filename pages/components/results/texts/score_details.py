"""Details of a score, where its method says them: aspects with their scores, probabilities."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from pages.components.shell.words import plain

TITLES = {
    "aspects": "Aspects",
    "probabilities": "Probability of each score",
    "outside": "Probability outside the scale",
    "answers": "Answers",
    "rated": "Mean log-probabilities",
    "p_yes": "Probability of yes",
    "yes": "Probability of yes, sentence by sentence",
    "cut": "The text was longer than the model reads, and was cut",
    "abstained": "No score: the judge said",
    "weighted": "Score with the checklist's weights",
}


def score_details(details: Mapping[str, Any]) -> None:
    for name, value in details.items():
        title = TITLES.get(name, name.replace("_", " ").capitalize())
        rows = _rows(value)
        if rows is None:
            st.markdown(f"**{plain(title)}**" if value is True else f"**{plain(title)}**: {plain(_shown(value))}")
            continue
        st.markdown(f"**{plain(title)}**")
        st.dataframe(pd.DataFrame(rows), hide_index=True, key=f"details_{name}", placeholder="–")


def _rows(value: Any) -> list[dict[str, str]] | None:
    """A list or a mapping as rows of words; None for a single value."""
    if isinstance(value, Mapping):
        return [{"What": str(key), "Value": _shown(inner)} for key, inner in value.items()]
    if not isinstance(value, list):
        return None
    if all(isinstance(entry, Mapping) for entry in value):
        return [{str(key).capitalize(): _shown(inner) for key, inner in entry.items()} for entry in value]
    return [{"No.": str(number), "Value": _shown(entry)} for number, entry in enumerate(value, start=1)]


def _shown(value: Any) -> str:
    if value is None:
        return "none"
    return f"{value:.3f}" if isinstance(value, float) else str(value)
