"""Whose attributes: contributors to tick, and the condition that the choice makes."""

from collections import Counter
from collections.abc import Sequence

import streamlit as st

from app.domain.attribute import Attribute, AttributeStatus, ContributorKind
from app.domain.condition import Condition, condition_of
from pages.components.shell.address import field_anew, set_anew
from pages.components.shell.runs.run_words import EXPLAINED, condition_help, condition_size, llms_word
from pages.components.shell.words import model_label, plain

QUICK = {"Everybody": None, "People": ContributorKind.HUMAN, "LLMs": ContributorKind.LLM}


def contributor_choice(attributes: Sequence[Attribute], key: str) -> tuple[list[str], Condition]:
    """The ticked contributors, all at first, and their condition, which says how many attributes in use it has."""
    kinds = {a.contributor: a.kind for a in attributes}
    in_use = Counter(a.contributor for a in attributes if a.status is AttributeStatus.ACTIVE)
    ticks = f"{key}_{len(kinds)}"  # somebody new: everybody is ticked again
    field, start = field_anew(ticks, list(kinds))
    chosen = st.pills(
        "Whose attributes",
        list(kinds),
        selection_mode="multi",
        format_func=lambda name: f"{model_label(name)} · {in_use[name]:,}",
        default=start,
        key=field,
        help=f"Tick contributors. {EXPLAINED}",
    )
    if len(set(kinds.values())) > 1:
        _quick(kinds, ticks)
    condition = condition_of(attributes, chosen)
    if condition.code:
        st.caption(plain(f"{condition_size(condition, llms_word(attributes))}. {condition_help(condition.code)}"))
    else:
        st.caption("No attribute in use is chosen. Tick a contributor.")
    return chosen, condition


def _quick(kinds: dict[str, ContributorKind], ticks: str) -> None:
    with st.container(horizontal=True, gap="small"):
        for label, kind in QUICK.items():
            st.button(
                label,
                key=f"{ticks}_{label.lower()}",
                type="tertiary",
                on_click=set_anew,
                args=[ticks, [name for name, own in kinds.items() if kind in (None, own)]],
            )
