"""Which attributes are read, and in what groups: chosen above the list and kept in the address."""

from collections.abc import Callable, Sequence

import streamlit as st

from app.domain.attribute import Attribute, AttributeStatus, ContributorKind
from pages.components.shell.address import keep, prepare, prepare_words
from pages.components.shell.words import model_label

EVERYBODY = "Everybody"
KIND_CHOICES = {"People and LLMs": None, "People": ContributorKind.HUMAN, "LLMs": ContributorKind.LLM}
STATUS_CHOICES = {
    "Any status": None,
    "In use": AttributeStatus.ACTIVE,
    "Excluded": AttributeStatus.EXCLUDED,
    "Merged": AttributeStatus.MERGED,
}
COMPONENT, CONTRIBUTOR, NOTHING = "Component", "Contributor", "Not grouped"


def filtered(attributes: Sequence[Attribute], in_components: bool) -> tuple[list[Attribute], str]:
    """The attributes that the row of choices lets through, and how to group them."""
    who, kinds, states, groups, words = st.columns([5, 5, 5, 5, 6])
    names = [EVERYBODY, *dict.fromkeys(a.contributor for a in attributes)]
    groupings = [COMPONENT, CONTRIBUTOR, NOTHING] if in_components else [CONTRIBUTOR, NOTHING]
    with who:
        name = _choice("Contributor", "said_by", names, EVERYBODY, model_label)
    with kinds:
        kind = KIND_CHOICES[_choice("Kind", "kind", list(KIND_CHOICES), "People and LLMs")]
    with states:
        status = STATUS_CHOICES[_choice("Status", "status", list(STATUS_CHOICES), "Any status")]
    with groups:
        grouping = _choice("Grouped by", "grouped", groupings, groupings[0])
    with words:
        prepare_words("words")
        typed = st.text_input("Search", key="words", placeholder="words in the attribute", icon=":material/search:")
        keep("words", typed, "")
    search = typed.strip().casefold()
    found = [
        a
        for a in attributes
        if name in (EVERYBODY, a.contributor)
        and kind in (None, a.kind)
        and status in (None, a.status)
        and search in a.text.casefold()
    ]
    return found, grouping


def _choice(label: str, key: str, options: list[str], default: str, shown: Callable[[str], str] = str) -> str:
    prepare(key, options, default)
    chosen = st.selectbox(label, options, key=key, format_func=shown)
    keep(key, chosen, default)
    return chosen
