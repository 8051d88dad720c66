"""How many attributes each condition has, and who the contributors are."""

from collections import Counter
from collections.abc import Sequence

import pandas as pd
import streamlit as st

from app.domain.attribute import Attribute, AttributeStatus, Contributor, ContributorKind
from app.domain.condition import conditions_of
from pages.components.shell.runs.condition_words import (
    EXPLAINED,
    condition_help,
    condition_label,
    kind_word,
    llms_word,
)
from pages.components.shell.words import model_label, plain


def counts(attributes: Sequence[Attribute]) -> None:
    """How many in use each condition has, in a line; the paper's names show on hover."""
    llms = llms_word(attributes)
    for condition in conditions_of(attributes):
        if ":" not in condition.code:
            label = plain(condition_label(condition.code, llms))
            st.markdown(f"{label} **{condition.size:,}**", help=condition_help(condition.code), width="content")


def contributor_table(attributes: Sequence[Attribute], contributors: Sequence[Contributor]) -> None:
    """Who they are and how much each said, as the paper's Table 1; it unfolds."""
    with st.expander("By contributor", key="by_contributor"):
        st.caption("Who said how much, and what they told about themselves.", help=EXPLAINED)
        st.dataframe(
            _by_contributor(attributes, contributors),
            placeholder="–",
            hide_index=True,
            key="contributor_counts",
            width="content",
        )


def _by_contributor(attributes: Sequence[Attribute], contributors: Sequence[Contributor]) -> pd.DataFrame:
    people = {contributor.name: contributor for contributor in contributors}
    own: dict[tuple[str, ContributorKind], list[Attribute]] = {}
    for attribute in attributes:
        own.setdefault((attribute.contributor, attribute.kind), []).append(attribute)
    return pd.DataFrame(
        [
            {
                "Contributor": model_label(name),
                "Kind": kind_word(kind, name),
                "Role": people[name].role,
                "Background": people[name].background,
                "In use": Counter(a.status for a in said)[AttributeStatus.ACTIVE],
                "Left out": sum(a.status is not AttributeStatus.ACTIVE for a in said),
                "Rounds": len({a.round for a in said}),
            }
            for (name, kind), said in own.items()
        ]
    )
