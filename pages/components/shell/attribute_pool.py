"""The attributes of a dimension as a table: counted, filtered, one of them chosen."""

from collections import Counter
from collections.abc import Sequence
from zlib import crc32

import pandas as pd
import streamlit as st

from app.domain.attribute import Attribute, AttributeStatus, Contributor, ContributorKind
from app.domain.condition import conditions_of
from pages.components.shell.runs.condition_words import (
    EXPLAINED,
    STATES,
    condition_help,
    condition_label,
    kind_word,
    llms_word,
)
from pages.components.shell.words import model_label, number, plain

EVERYBODY = "Everybody"
KIND_CHOICES = {"People and LLMs": None, "People": ContributorKind.HUMAN, "LLMs": ContributorKind.LLM}
STATUS_CHOICES = {
    "Any status": None,
    "In use": AttributeStatus.ACTIVE,
    "Excluded": AttributeStatus.EXCLUDED,
    "Merged": AttributeStatus.MERGED,
}
TABLE_HEIGHT = 520


def counts(attributes: Sequence[Attribute], contributors: Sequence[Contributor]) -> None:
    """How many each condition has; who the contributors are, in a table that unfolds (as the paper's Table 1)."""
    conditions = conditions_of(attributes)
    joint = [condition for condition in conditions if ":" not in condition.code]
    llms = llms_word(attributes)
    with st.container(horizontal=True, gap="large", key="condition_counts"):
        for condition in joint:
            short = "Comb" if condition.code == "comb" else condition.code.upper()
            label = f"{condition_label(condition.code, llms)} ({short})"
            st.metric(label, condition.size, help=condition_help(condition.code), width="content")
    with st.expander("By contributor", key="by_contributor"):
        st.caption(EXPLAINED)
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
                "Condition": "SH" if kind is ContributorKind.HUMAN else "SL",
                "In use": Counter(a.status for a in said)[AttributeStatus.ACTIVE],
                "Left out": sum(a.status is not AttributeStatus.ACTIVE for a in said),
                "Rounds": len({a.round for a in said}),
            }
            for (name, kind), said in own.items()
        ]
    )


def filtered(attributes: Sequence[Attribute], dimension_id: int) -> list[Attribute]:
    """The attributes that the row of filters lets through."""
    who, kinds, states, words = st.columns([2, 2, 2, 3])
    names = [EVERYBODY, *dict.fromkeys(a.contributor for a in attributes)]
    name = who.selectbox("Contributor", names, format_func=model_label, key=f"filter_contributor_{dimension_id}")
    kind = KIND_CHOICES[kinds.selectbox("Kind", list(KIND_CHOICES), key="filter_kind")]
    status = STATUS_CHOICES[states.selectbox("Status", list(STATUS_CHOICES), key="filter_status")]
    search = words.text_input("Search", placeholder="words in the attribute", key="filter_search").strip().casefold()
    return [
        a
        for a in attributes
        if name in (EVERYBODY, a.contributor)
        and kind in (None, a.kind)
        and status in (None, a.status)
        and search in a.text.casefold()
    ]


def table(shown: Sequence[Attribute], all_: int, dimension_id: int) -> Attribute | None:
    """The rows with one to be chosen. Other rows are another table, so that a choice never slides to a neighbour."""
    if not shown:
        st.markdown("No attribute fits these filters. Clear the search or choose another contributor.")
        return None
    st.caption(f"{len(shown)} of {number(all_, 'attribute')}. Tick one to edit it.")
    rows = crc32(",".join(str(a.id) for a in shown).encode())
    event = st.dataframe(
        _frame(shown),
        placeholder="–",
        hide_index=True,
        height=min(TABLE_HEIGHT, 38 + 35 * len(shown)),
        on_select="rerun",
        selection_mode="single-row",
        key=f"attributes_{dimension_id}_{rows}",
        column_config={
            "Attribute": st.column_config.TextColumn(width=214),
            "Contributor": st.column_config.TextColumn(width=135),
            "Kind": st.column_config.TextColumn(width=58),
            "Status": st.column_config.TextColumn(width=65),
            "Round": st.column_config.NumberColumn(width=55, help="How often this contributor was asked by then."),
        },
    )
    chosen = [row for row in event["selection"]["rows"] if row < len(shown)]
    return shown[chosen[0]] if chosen else None


def _frame(shown: Sequence[Attribute]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "Attribute": [a.text for a in shown],
            "Contributor": [model_label(a.contributor) for a in shown],
            "Kind": [kind_word(a.kind, a.contributor) for a in shown],
            "Status": [STATES[a.status] for a in shown],
            "Round": [a.round for a in shown],
        }
    )


def said_by(attribute: Attribute) -> str:
    """Who said it, fit for Markdown."""
    name = plain(model_label(attribute.contributor))
    return name if attribute.contributor == "rules" else f"{name} ({kind_word(attribute.kind, attribute.contributor)})"
