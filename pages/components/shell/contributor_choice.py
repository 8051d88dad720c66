"""Contributors: a field to choose some of them, and their names in words."""

from collections import Counter
from collections.abc import Sequence

import streamlit as st

from app.domain.attribute import Attribute, AttributeStatus, ContributorKind
from app.domain.condition import Condition, condition_of
from app.domain.model_call import model_label
from app.domain.passage import PassagePart
from pages.components.shell.current import field_anew, set_anew
from pages.components.shell.labels import plain, quote_words
from pages.components.shell.runs.run_words import EXPLAINED, condition_help, condition_size, kind_word, llms_word

ABOUT = {PassagePart.TEXT: "about", PassagePart.SOURCE: "about", PassagePart.TRANSCRIPT: "in the words"}
"""The words before a passage's quote."""


def contributor_words(attribute: Attribute) -> str:
    """Return who said it, not escaped for Markdown."""
    name = model_label(attribute.contributor)
    return name if attribute.contributor == "rules" else f"{name} ({kind_word(attribute.kind, attribute.contributor)})"


def said_by(attribute: Attribute) -> str:
    """Return who said it, and about which words where it has a passage, escaped for Markdown."""
    who, passage = plain(contributor_words(attribute)), attribute.passage
    return f"{who} {ABOUT[passage.part]} {quote_words(passage)}" if passage else who


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
        with st.container(horizontal=True, gap="small"):
            for label, kind in QUICK.items():
                st.button(
                    label,
                    key=f"{ticks}_{label.lower()}",
                    type="tertiary",
                    on_click=set_anew,
                    args=[ticks, [name for name, own in kinds.items() if kind in (None, own)]],
                )
    condition = condition_of(attributes, chosen)
    if condition.code:
        st.caption(plain(f"{condition_size(condition, llms_word(attributes))}. {condition_help(condition.code)}"))
    else:
        st.caption("No attribute in use is chosen. Tick a contributor.")
    return chosen, condition
