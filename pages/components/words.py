"""Words on the screen: people's text shown as text, and the labels that must be the same everywhere."""

import re

import streamlit as st

from app.errors import WorkbenchError

# What Markdown, its math and Streamlit's :directives: would otherwise read as markup.
_MARKUP = re.compile(r"([\\`*_{}\[\]()#+\-.!|<>~$:])")

RULES_LABEL = "rules, not an LLM"


def plain(text: str) -> str:
    """Untrusted text for a place that takes Markdown: shown to the letter. Line breaks become spaces."""
    return _MARKUP.sub(r"\\\1", " ".join(text.split()))


def model_label(name: str) -> str:
    """A model's name as shown everywhere; what is no LLM says so."""
    if name == "rules":
        return f"rules ({RULES_LABEL})"
    return f"{name} (recorded answers)" if name.startswith("replay:") else name


def show_error(error: WorkbenchError) -> None:
    """What happened and what to do, to the letter: messages quote names that people chose."""
    st.error(plain(str(error)), icon=":material/error:")
